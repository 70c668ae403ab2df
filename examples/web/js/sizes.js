// Prints the sizes of a built package, and fails if its module is too large with brotli, as servers
// send it: sizes.js FOLDER [MOST]

import { readdirSync, readFileSync, statSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, most = "Infinity"] = process.argv.slice(2);
const module = readFileSync(`${folder}/floodplain.wasm`);
const params = { [constants.BROTLI_PARAM_LGWIN]: 24 };
const brotli = brotliCompressSync(module, { params }).length;
const gzip = gzipSync(module, { level: 9 }).length;
const sizes = `${module.length} bytes, ${brotli} with brotli, ${gzip} with gzip`;
console.log(`${folder}/floodplain.wasm: ${sizes}`);
for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  console.log(`${folder}/${file}: ${statSync(`${folder}/${file}`).size} bytes`);
}
if (brotli >= Number(most)) {
  console.error(`that is ${most} bytes or more`);
  process.exit(1);
}
