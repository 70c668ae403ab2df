// Does the job natively and in WebAssembly by turns, and prints the least times of both.
//
//   node bench/compare.js NATIVE [ROUNDS]     with the package "floodplain" to be found

import { execFileSync } from "node:child_process";
import { job } from "./job.js";

const [native, rounds = "5"] = process.argv.slice(2);
const least = { native: {}, wasm: {} };

function note(side, times) {
  for (const name of ["flood", "meshes"]) {
    least[side][name] = Math.min(least[side][name] ?? Infinity, times[name]);
  }
  return times.result;
}

for (let round = 0; round < Number(rounds); round++) {
  const ours = note("native", JSON.parse(execFileSync(native, { encoding: "utf8" })));
  const theirs = note("wasm", await job());
  if (ours !== theirs) throw new Error(`the jobs came to ${ours} and, in WebAssembly, ${theirs}`);
}
for (const name of ["flood", "meshes"]) {
  const [native, wasm] = [least.native[name], least.wasm[name]];
  const times = `native ${native.toFixed(1)} ms, WebAssembly ${wasm.toFixed(1)} ms`;
  console.log(`${name.padEnd(8)} ${times}: ${(wasm / native).toFixed(2)} times`);
}
