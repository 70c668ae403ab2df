// The sample of the C interface in JavaScript: what all languages do, and one hash.

import {
  CHUNK_CELLS, BlastRule, EditKind, Kind, Preset, Shape, WORD_OPEN, WORD_SOLID,
} from "floodplain";

/** Returns water that stands in puddles on a floor, beside an empty chunk. */
function newWater(floodplain) {
  const world = floodplain.waterNew(7n, floodplain.waterRulesDefault(Preset.LOSSLESS));
  const word = (_, index) => {
    if (index < 256) return WORD_SOLID;
    return index < 512 && index % 5 === 0 ? 3 : WORD_OPEN;
  };
  const words = Uint16Array.from({ length: CHUNK_CELLS }, word);
  world.waterInsertChunks([0, 0, 0], words);
  world.waterInsertChunks([1, 0, 0], [WORD_OPEN]);
  world.apply({ kind: EditKind.FILL_SOLID, cell: [16, 0, 0], to: [31, 0, 15] });
  return world;
}

/** Does twenty ticks: whole ones, in slices of cells, in slices of time, and several at once. */
function twentyTicks(world) {
  for (let tick = 0; tick < 5; tick++) world.step();
  for (let tick = 0; tick < 5; tick++) while (!world.stepWithin(200).finished);
  while (!world.stepFor(4_000_000).finished);
  world.run(9);
}

/** Returns a world of water after thirty ticks. */
export function water(floodplain) {
  const world = newWater(floodplain);
  world.apply({ kind: EditKind.ADD_SOURCE, cell: [8, 4, 8] });
  world.apply({ kind: EditKind.POUR, cell: [20, 5, 8], units: 7 });
  world.queue({ kind: EditKind.SET_SOLID, cell: [5, 1, 8] });
  twentyTicks(world);
  const sent = floodplain.editBytes(Kind.WATER, { kind: EditKind.POUR, cell: [3, 9, 3], units: 7 });
  world.applyBytes(sent, floodplain.limitsDefault());
  world.removeChunks([1, 0, 0]);
  const records = world.takeRecords();
  world.run(3);
  world.insertRecords(records);
  world.run(7);
  return world;
}

/** Returns a world of materials after rain and a charge, which it recorded. */
export function materials(floodplain) {
  const world = floodplain.materialsNew(5n, [], floodplain.materialsRulesDefault());
  const cells = Uint8Array.from({ length: CHUNK_CELLS }, (_, index) => (index < 8 * 256 ? 2 : 0));
  world.materialsInsertChunks([{ chunk: [0, 0, 0], materials: cells }]);
  world.recordStart(10, 0);
  world.apply({ kind: EditKind.RAIN, cell: [8, 15, 8], units: 40 });
  world.apply({ kind: EditKind.CHARGE, cell: [4, 8, 4], value: 500, value2: 2 });
  world.run(40);
  return world;
}

/** Returns a world of humidity after rain. */
export function humidity(floodplain) {
  const world = floodplain.humidityNew(Shape.SHEET, floodplain.humidityRulesDefault());
  world.humidityInsertChunk(0, 0, 0, [{ humidity: 0, impermeability: 2, rain: 0 }]);
  world.apply({ kind: EditKind.SET_RAIN, cell: [30, 63, 0], value: 1000 });
  world.apply({ kind: EditKind.SET_ROCK, cell: [30, 60, 0] });
  world.run(50);
  return world;
}

/** Returns a world of pressure after an explosion beside a wall, and the probe in it. */
export function blast(floodplain) {
  const rules = floodplain.blastRulesDefault();
  const wave = { rule: BlastRule.WAVE, coefficient: 0.125, damping: 0.75, threshold: 0.01 };
  Object.assign(rules, wave);
  const world = floodplain.blastNew(Shape.CUBE, rules);
  world.apply({ kind: EditKind.SET_WALL, cell: [4, 0, 0], value: 2 });
  world.apply({ kind: EditKind.SET_PRESSURE, cell: [0, 0, 0], value: 3000 });
  const { probes } = world.blastRunProbed(20, [{ cell: [3, 2, 0], crossSection: 0.5 }]);
  return { world, probe: probes[0] };
}
