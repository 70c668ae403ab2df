// The package in Node: the hash of all languages, what calls take and give back, errors, memory.
//
//   node --test tests/      with the package "floodplain" to be found

import assert from "node:assert/strict";
import test from "node:test";
import * as fp from "floodplain";
import { blast, humidity, materials, water } from "./sample.js";

const floodplain = await fp.load();

/** Whether the package was built with worlds of materials, of humidity and of pressure. */
const hasAll = (() => {
  try {
    floodplain.materialsNew(1, [], floodplain.materialsRulesDefault());
    return true;
  } catch (error) {
    assert.equal(error.code, "KIND");
    return false;
  }
})();

/** Returns an open chunk with a floor. */
function pond(chunks = [0, 0, 0]) {
  const world = floodplain.waterNew(7, floodplain.waterRulesDefault(fp.Preset.LOSSLESS));
  world.waterInsertChunks(chunks, new Uint16Array(chunks.length / 3));
  const to = [chunks.length * 16 / 3 - 1, 0, 15];
  world.apply({ kind: fp.EditKind.FILL_SOLID, cell: [0, 0, 0], to });
  return world;
}

const code = (wanted) => (error) => error instanceof fp.FloodplainError && error.code === wanted;

test("a world of water comes to the recorded hash", () => {
  assert.equal(water(floodplain).stateHash().toString(16), "803048e599d23851");
});

test("all kinds of worlds come to the hash of all languages", { skip: !hasAll }, async () => {
  const { readFileSync } = await import("node:fs");
  const expected = readFileSync(process.env.FP_EXPECTED, "utf8");
  const { world, probe } = blast(floodplain);
  assert.notEqual(probe.impulse[0], 0);
  const worlds = [water(floodplain), materials(floodplain), humidity(floodplain), world];
  const hash = worlds.reduce((hash, world) => hash ^ world.stateHash(), 0n);
  assert.equal(`floodplain: state hash ${hash.toString(16).padStart(16, "0")}\n`, expected);
});

test("edits tell their outcomes, and queued ones their reports", () => {
  const world = pond();
  const poured = world.apply({ kind: fp.EditKind.POUR, cell: [3, 5, 3], units: 7 });
  assert.deepEqual([poured.kind, poured.units], [fp.OutcomeKind.UNITS, 7]);
  const pour = { kind: fp.EditKind.POUR, units: 1 };
  const tickets = [[3, 5, 3], [99, 5, 3]].map((cell) => world.queue({ ...pour, cell }));
  world.step();
  const reports = world.takeEditReports();
  assert.deepEqual(reports.map((one) => one.ticket), tickets);
  assert.equal(reports[1].status, fp.Status.NOT_LOADED);
  assert.equal(world.waterLedger().total, 7 + reports[0].outcome.units);
  world.validate();
});

test("what is refused throws its status and words, and changes nothing", () => {
  const world = pond();
  const before = world.stateHash();
  const pour = { kind: fp.EditKind.POUR, cell: [3, 99, 3], units: 7 };
  assert.throws(() => world.apply(pour), code("NOT_LOADED"));
  assert.throws(() => world.apply({ kind: 1234 }), code("TAG"));
  assert.throws(() => world.waterInsertChunks([0, 0, 0], [0]), code("CHUNK_PRESENT"));
  assert.throws(() => world.waterInsertChunks([1, 0, 0], [0, 0]), code("LENGTH"));
  assert.throws(() => world.insertRecords([1, 2, 3]), code("DECODE"));
  assert.throws(() => world.mirrorApply(new Uint8Array(3)), code("KIND"));
  assert.equal(world.stateHash(), before);
});

test("changes, meshes and falls follow the water", () => {
  const world = pond([0, 0, 0, 1, 0, 0]);
  assert.equal(world.mesh(0, 0, 0).indices.length, 0);
  world.apply({ kind: fp.EditKind.FILL_WATER, cell: [2, 1, 2], to: [9, 4, 9], units: 7 });
  world.apply({ kind: fp.EditKind.ADD_SOURCE, cell: [20, 9, 8] });
  world.takeChanges();
  world.run(3);
  const changes = world.takeChanges();
  assert.ok(changes.length >= 2 && changes.every((one) => one.mask instanceof BigUint64Array));
  const stale = floodplain.meshesTouched(changes);
  assert.ok(stale.length >= 6 && stale instanceof Int32Array);
  world.followFlow();
  const mesh = world.mesh(0, 0, 0, true);
  assert.equal(world.mesh(0, 0, 0).flow.length, 0);
  const vertices = mesh.positions.length / 3;
  assert.ok(mesh.indices.length > 0 && mesh.indices.every((index) => index < vertices));
  assert.ok(mesh.positions.every((at) => at >= 0 && at <= 16));
  assert.deepEqual([mesh.normals.length, mesh.flow.length], [3 * vertices, 3 * vertices]);
  assert.ok(world.falls(1, 0, 0).some((fall) => fall.direction === 2 && fall.cells > 1));
  assert.ok(world.submerged([2, 1, 2], [8, 2, 8]).volume > 0);
  assert.equal(world.looks(0, 0, 0).length, fp.CHUNK_CELLS);
  assert.equal(world.current(2, 1, 2).length, 3);
});

test("a mirror looks as its world", () => {
  const world = pond();
  const feed = world.feedNew();
  feed.sendCurrents();
  const mirror = floodplain.mirrorNew(fp.Kind.WATER, 100);
  mirror.mirrorApply(feed.whole(world, world.chunks()));
  for (let tick = 0; tick < 5; tick++) {
    world.apply({ kind: fp.EditKind.POUR, cell: [8, 9, 8], units: 7 });
    world.step();
    assert.equal(mirror.mirrorApply(feed.take(world)), tick + 1);
    assert.deepEqual(mirror.looks(0, 0, 0), world.looks(0, 0, 0));
  }
  assert.throws(() => mirror.step(), code("KIND"));
  feed.free();
});

test("snapshots, records and recordings come back", () => {
  const world = pond();
  world.recordStart(1, 0);
  world.apply({ kind: fp.EditKind.POUR, cell: [8, 9, 8], units: 7 });
  world.run(9);
  const again = floodplain.recordReplay(fp.Kind.WATER, world.recordBytes());
  const loaded = floodplain.worldLoad(fp.Kind.WATER, world.snapshot());
  assert.deepEqual([again.stateHash(), loaded.stateHash()], [world.stateHash(), world.stateHash()]);
  assert.equal(loaded.ticks(), 9);
  loaded.removeChunks([0, 0, 0]);
  const records = loaded.takeRecords();
  assert.equal(loaded.chunks().length, 0);
  loaded.insertRecords(records);
  assert.equal(loaded.waterLedger().total, world.waterLedger().total);
});

test("budgets of cells and of time end early, and their slices come to the same", () => {
  const [one, other] = [pond(), pond()];
  for (const world of [one, other]) {
    world.apply({ kind: fp.EditKind.FILL_WATER, cell: [0, 1, 0], to: [9, 9, 9], units: 7 });
  }
  let slices = 1;
  while (!one.stepWithin(100).finished) slices++;
  assert.ok(slices > 3);
  slices = 1;
  while (!other.stepFor(1).finished) slices++;
  assert.ok(slices > 3);
  assert.equal(one.stateHash(), other.stateHash());
});

test("rules and limits pass through JavaScript unchanged", () => {
  const world = pond();
  const rules = floodplain.waterRulesDefault(fp.Preset.DESERT);
  rules.outer[0] = { kind: fp.EdgeKind.LEVEL, level: -5 };
  rules.evaporation = 0.25;
  world.waterSetRules(rules);
  assert.deepEqual(world.waterRules(), rules);
  const limits = floodplain.limitsDefault();
  const pour = { kind: fp.EditKind.POUR, cell: [1, 1, 1], units: 7 };
  const bytes = floodplain.editBytes(fp.Kind.WATER, pour);
  assert.equal(world.applyBytes(bytes, limits).units, 7);
  assert.throws(() => world.applyBytes(bytes, { ...limits, mostUnits: 6 }), code("LIMIT"));
  assert.equal(world.applyBytes(bytes, null).units, 0);
});

test("handles are freed once, belong to their library, and leave no memory behind", async () => {
  const world = pond();
  world.free();
  world.free();
  assert.throws(() => world.step(), code("POINTER"));
  const other = await fp.load();
  assert.throws(() => floodplain.waterNew(1, floodplain.waterRulesDefault(0)).feedNew().take(
    other.waterNew(1, other.waterRulesDefault(0))), TypeError);
  let most = 0;
  for (let round = 0; round < 200; round++) {
    const world = pond(Array.from({ length: 60 }, (_, at) => [at, 0, 0]).flat());
    world.apply({ kind: fp.EditKind.FILL_WATER, cell: [0, 1, 0], to: [99, 15, 15], units: 7 });
    world.run(2);
    most = Math.max(most, world.activity().memoryBytes);
    world.free();
  }
  assert.ok(floodplain.memoryBytes() < 4 * most + (16 << 20), `${floodplain.memoryBytes()} bytes`);
});

test("a panic ends the library with its words, and no other one", async () => {
  const broken = await fp.load();
  // No function panics that is known; a trap of the module stands for one.
  const mirror = broken.mirrorNew(fp.Kind.WATER, 1);
  Object.assign(mirror, { pointer: 2 ** 31 });
  assert.throws(() => mirror.ticks(), code("PANIC"));
  assert.throws(() => broken.limitsDefault(), code("PANIC"));
  floodplain.limitsDefault();
});
