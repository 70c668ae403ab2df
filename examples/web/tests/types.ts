// What a caller in TypeScript writes compiles, and what would fail does not.

import { EditKind, FloodplainError, load, Preset, type Mesh, type World } from "floodplain";

export async function flood(): Promise<Mesh> {
  const floodplain = await load();
  const rules = floodplain.waterRulesDefault(Preset.LOSSLESS);
  const world: World = floodplain.waterNew(7n, { ...rules, throughput: 3 }, null);
  world.waterInsertChunks([0, 0, 0], [0]);
  const poured: number = world.apply({ kind: EditKind.POUR, cell: [1, 2, 3], units: 7 }).units;
  const hash: bigint = world.stateHash();
  const masks: BigUint64Array[] = world.takeChanges().map((chunk) => chunk.mask);
  // @ts-expect-error A cell has three numbers.
  world.look(poured, Number(hash));
  // @ts-expect-error Rules are whole.
  world.waterSetRules({ throughput: masks.length });
  return world.mesh(0, 0, 0);
}

export function reason(error: unknown): string {
  return error instanceof FloodplainError ? error.code : "";
}
