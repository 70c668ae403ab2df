// The job that WebAssembly is compared by, in Node: a flood and meshes; `job.rs` is the same for
// this machine.

import { EditKind, load, Preset, WORD_OPEN } from "floodplain";

const [WIDE, HIGH, TICKS, MESH_ROUNDS] = [8, 2, 200, 50];

const count = (length) => Array.from({ length }, (_, at) => at);
const row = (x, y) => count(WIDE).map((z) => [x, y, z]);
const chunks = count(WIDE).flatMap((x) => count(HIGH).flatMap((y) => row(x, y)));

/** Returns a block of water that falls apart in a basin. */
function flood(floodplain) {
  const world = floodplain.waterNew(7n, floodplain.waterRulesDefault(Preset.LOSSLESS));
  world.waterInsertChunks(chunks.flat(), chunks.map(() => WORD_OPEN));
  const edge = WIDE * 16 - 1;
  world.apply({ kind: EditKind.FILL_SOLID, cell: [0, 0, 0], to: [edge, 0, edge] });
  world.apply({ kind: EditKind.FILL_WATER, cell: [40, 1, 40], to: [87, 24, 87], units: 7 });
  return world;
}

/** Makes the meshes of all chunks. Returns the number of indices. */
function meshes(world) {
  let sum = 0;
  for (let round = 0; round < MESH_ROUNDS; round++) {
    for (const [x, y, z] of chunks) sum += world.mesh(x, y, z).indices.length;
  }
  return sum;
}

function milliseconds(job) {
  const begin = performance.now();
  job();
  return performance.now() - begin;
}

/** Does the job. Returns its times in milliseconds, and what it came to. */
export async function job() {
  const world = flood(await load());
  const times = { flood: milliseconds(() => world.run(TICKS)) };
  let indices = 0;
  times.meshes = milliseconds(() => { indices = meshes(world); });
  return { ...times, result: `${world.stateHash().toString(16).padStart(16, "0")} ${indices}` };
}
