// The library for JavaScript: worlds as objects whose methods are the functions of the C interface.

import { functions, Status } from "./bindings.js";
import { Memory, sizeOf, whole } from "./memory.js";

export * from "./bindings.js";

const NAMES = Object.fromEntries(Object.entries(Status).map(([name, number]) => [number, name]));

const TAKEN = ["handle", "number", "list through"];
const isTaken = ({ how }) => how.endsWith(" in") || TAKEN.includes(how);

/** A call that the library refused, or one that ended in a panic. */
export class FloodplainError extends Error {
  constructor(code, words) {
    super(words);
    this.name = "FloodplainError";
    this.code = code;
  }
}

/** A module that was loaded, and the calls of it. */
class Library {
  /** Why no call is made any more. */
  broken = null;

  constructor() {
    const decode = (place, count) => {
      return new TextDecoder().decode(this.memory.list("uint8_t", place, count));
    };
    this.imports = { floodplain: {
      now: () => performance.now(),
      panicked: (place, count) => { this.broken = decode(place, count); },
    } };
    this.lastWords = () => {
      const memory = this.memory;
      const [length, room] = [memory.room(4), memory.room(4096)];
      this.exports.fp_last_error(room, 4096, length);
      return decode(room, Math.min(memory.readNumber("size_t", length), 4096));
    };
    // What a handle of JavaScript leaves behind when nothing refers to it any more.
    this.lost = new FinalizationRegistry(([free, pointer]) => {
      if (this.broken === null) this.exports[free](pointer);
    });
  }

  begin(instance) {
    this.exports = instance.exports;
    this.memory = new Memory(instance.exports);
    this.exports.fp_web_start();
  }

  /** Calls a function of the module. Returns its status, if it is one that `isExpected`. */
  enter(name, passed, isExpected = 0) {
    if (this.broken !== null) throw new FloodplainError("PANIC", this.broken);
    let status;
    try {
      status = this.exports[name](...passed);
    } catch (trap) {
      this.broken ??= String(trap);
      throw new FloodplainError("PANIC", this.broken);
    }
    if (status !== 0 && status !== isExpected) {
      throw new FloodplainError(NAMES[status], this.lastWords());
    }
    return status;
  }

  /** Calls a function by its entry in the table. */
  call({ name, entries }, given) {
    this.memory.begin();
    const passed = [];
    let next = 0;
    const places = entries.map((entry) => {
      const first = passed.length;
      this.pass(entry, isTaken(entry) ? given[next++] : undefined, passed);
      return first;
    });
    const list = entries.findIndex(({ how }) => how === "list out");
    if (list < 0) this.enter(name, passed);
    else this.fill(name, entries[list], passed, places[list]);
    const results = entries.flatMap((entry, at) => this.result(entry, passed, places[at]));
    if (results.length < 2) return results[0]?.value;
    return Object.fromEntries(results.map(({ name, value }) => [name, value]));
  }

  /** Adds what the function takes for an entry of its table. */
  pass({ how, type, each, shared }, value, passed) {
    const memory = this.memory;
    switch (how) {
      case "handle": passed.push(this.pointerOf(value)); break;
      case "number": passed.push(/64/.test(type) ? whole(value) : value); break;
      case "made": case "number out": passed.push(memory.room(8)); break;
      case "triple out": passed.push(memory.room(3 * sizeOf(type))); break;
      case "triple in": passed.push(value == null ? 0 : memory.writeList(type, value)); break;
      case "struct in": passed.push(value == null ? 0 : memory.writeStruct(type, value)); break;
      case "struct out": passed.push(memory.room(sizeOf(type))); break;
      case "list in": case "list through":
        // Of the words of several chunks, the count is that of each chunk.
        each = shared ? passed.at(-1) || 1 : each;
        passed.push(memory.writeList(type, value), value.length / each);
        break;
      case "list out": passed.push(0, 0, memory.room(4)); break;
    }
  }

  /** Calls a function that writes a list, once more if the room for it is too small. */
  fill(name, entry, passed, at) {
    const memory = this.memory;
    let capacity = this.capacities?.get(name) ?? 16;
    for (;;) {
      passed[at] = memory.room(capacity * sizeOf(entry.type));
      passed[at + 1] = capacity;
      const status = this.enter(name, passed, Status.BUFFER);
      if (status === 0) break;
      capacity = memory.readNumber("size_t", passed[at + 2]);
    }
    (this.capacities ??= new Map()).set(name, Math.min(capacity, 4096));
  }

  /** Returns what the function gave for an entry, as a list of none or one. */
  result({ how, type, name, isWhole }, passed, at) {
    const memory = this.memory;
    const value = (make) => [{ name, value: make() }];
    switch (how) {
      case "made": return value(() => this.handle(type, memory.readNumber("uint32_t", passed[at])));
      case "number out": return value(() => memory.readNumber(type, passed[at], isWhole));
      case "triple out": return value(() => Array.from(memory.list(type, passed[at], 3)));
      case "struct out": return value(() => memory.readStruct(type, passed[at]));
      case "list out": {
        const count = memory.readNumber("size_t", passed[at + 2]);
        return value(() => memory.readList(type, passed[at], count));
      }
      case "list through": return value(() => memory.readList(type, passed[at], passed[at + 1]));
      default: return [];
    }
  }

  pointerOf(handle) {
    if (handle?.library !== this) throw new TypeError("this is no world or feed of this library");
    return handle.pointer;
  }

  /** Returns the object of a new handle. */
  handle(type, pointer) {
    const handle = Object.create(this[type].prototype);
    Object.assign(handle, { library: this, pointer });
    const free = type === "FpWorld" ? "fp_world_free" : "fp_feed_free";
    this.lost.register(handle, [free, pointer], handle);
    return handle;
  }

  /** Frees a handle; once more is nothing. */
  free(name, handle) {
    this.enter(name, [this.pointerOf(handle)]);
    this.lost.unregister(handle);
    handle.pointer = 0;
  }

  /** Returns the surface of the water in a chunk. */
  mesh(world, x, y, z, hasFlow = false) {
    const memory = this.memory;
    for (;;) {
      memory.begin();
      const [vertices, indices] = (this.meshRoom ??= [1024, 1536]);
      const [positions, normals] = [memory.room(12 * vertices), memory.room(12 * vertices)];
      const flow = hasFlow ? memory.room(12 * vertices) : 0;
      const triangles = memory.room(4 * indices);
      const place = memory.room(32);
      const fields = [positions, normals, flow, vertices, 0, triangles, indices, 0];
      memory.list("uint32_t", place, 8).set(fields);
      const passed = [this.pointerOf(world), x, y, z, place];
      const status = this.enter("fp_view_mesh", passed, Status.BUFFER);
      const counts = memory.list("uint32_t", place, 8);
      if (status === 0) {
        const three = (list) => ["float", list, list && 3 * counts[4]];
        const lists = [positions, normals, flow].map(three);
        const made = memory.readTogether([...lists, ["uint32_t", triangles, counts[7]]]);
        return { positions: made[0], normals: made[1], flow: made[2], indices: made[3] };
      }
      this.meshRoom = [Math.max(vertices, counts[4]), Math.max(indices, counts[7])];
    }
  }
}

/** Returns the object that a game calls, with classes of worlds and feeds for this library. */
function objects(library) {
  const floodplain = {
    interfaceVersion: () => library.exports.fp_interface_version(),
    memoryBytes: () => library.exports.memory.buffer.byteLength,
  };
  const [FpWorld, FpFeed] = [class World {}, class Feed {}];
  Object.assign(library, { FpWorld, FpFeed });
  const owners = { World: FpWorld.prototype, Feed: FpFeed.prototype };
  for (const one of functions) {
    const owner = owners[one.owner];
    if (!owner) floodplain[one.method] = (...given) => library.call(one, given);
    else if (one.method === "free") owner.free = function () { library.free(one.name, this); };
    else owner[one.method] = function (...given) { return library.call(one, [this, ...given]); };
  }
  FpWorld.prototype.mesh = function (...given) { return library.mesh(this, ...given); };
  return floodplain;
}

/** Returns the module beside this file: read from disk in Node, fetched in a browser. */
async function own() {
  const url = new URL("floodplain.wasm", import.meta.url);
  if (url.protocol !== "file:") return fetch(url);
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}

/** Loads the library. */
export async function load(source) {
  const library = new Library();
  source = await (source ?? own());
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status}`);
    source = await source.arrayBuffer();
  }
  const made = await WebAssembly.instantiate(source, library.imports);
  library.begin(made.instance ?? made);
  return objects(library);
}
