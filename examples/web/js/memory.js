// The memory of the module: room for what a call passes, and structs and lists written into it and
// read out of it, by the tables of `bindings.js`.

import { structs } from "./bindings.js";

const ARRAYS = {
  int8_t: Int8Array, uint8_t: Uint8Array, int16_t: Int16Array, uint16_t: Uint16Array,
  int32_t: Int32Array, uint32_t: Uint32Array, float: Float32Array, double: Float64Array,
  uint64_t: BigUint64Array, size_t: Uint32Array,
};
const SETTERS = {
  int8_t: "setInt8", uint8_t: "setUint8", int16_t: "setInt16", uint16_t: "setUint16",
  int32_t: "setInt32", uint32_t: "setUint32", float: "setFloat32", double: "setFloat64",
  size_t: "setUint32",
};
const MOST = (1n << 64n) - 1n;

/** Returns the bytes of a value of a type. */
export function sizeOf(type) {
  return structs[type]?.size ?? (type === "int64_t" ? 8 : ARRAYS[type].BYTES_PER_ELEMENT);
}

/** Returns a number as 64 bits. From 2⁵³ on they are rounded, so the greatest comes back as 2⁶⁴. */
export function whole(value) {
  const number = BigInt(typeof value === "number" ? Math.trunc(value) : value);
  return number > MOST ? MOST : number;
}

export class Memory {
  constructor(exports) {
    this.exports = exports;
    /** Room that calls use one after another: its place, its end, and the first free byte of it. */
    this.start = this.end = this.free = 0;
    /** Room beyond it, for this call only. */
    this.blocks = [];
    this.missing = 0;
    this.reserve(1 << 16);
  }

  /** Returns a view of the memory, which moves when it grows. */
  get view() {
    const { buffer } = this.exports.memory;
    if (this.last?.buffer !== buffer) this.last = new DataView(buffer);
    return this.last;
  }

  allocate(bytes) {
    const place = this.exports.fp_web_allocate(bytes) >>> 0;
    if (!place) throw new RangeError(`there is no memory for ${bytes} bytes`);
    return place;
  }

  reserve(bytes) {
    if (this.start) this.exports.fp_web_free(this.start, this.end - this.start);
    this.start = this.free = this.end = 0;
    this.start = this.free = this.allocate(bytes);
    this.end = this.start + bytes;
  }

  /** Begins a call: all room of the one before is free again. */
  begin() {
    for (const [place, bytes] of this.blocks) this.exports.fp_web_free(place, bytes);
    this.blocks.length = 0;
    if (this.missing) this.reserve(2 * (this.end - this.start + this.missing));
    this.missing = 0;
    this.free = this.start;
  }

  /** Returns room until the next call begins. */
  room(bytes) {
    const size = (bytes + 7) & ~7;
    if (this.free + size <= this.end) {
      const place = this.free;
      this.free += size;
      return place;
    }
    const place = this.allocate(size);
    this.blocks.push([place, size]);
    // A rare large list does not keep its room.
    if (size < 1 << 20) this.missing += size;
    return place;
  }

  /** Returns a list in memory, valid until the next call. */
  list(type, place, count) {
    return new ARRAYS[type](this.exports.memory.buffer, place, count);
  }

  /** Writes numbers or structs into new room. */
  writeList(type, values) {
    const size = sizeOf(type);
    const place = this.room(values.length * size);
    if (!structs[type]) this.list(type, place, values.length).set(values);
    else values.forEach((value, at) => this.writeStruct(type, value, place + at * size));
    return place;
  }

  /** Returns a copy of numbers or structs. */
  readList(type, place, count) {
    if (!structs[type]) return this.list(type, place, count).slice();
    const size = sizeOf(type);
    return Array.from({ length: count }, (_, at) => this.readStruct(type, place + at * size));
  }

  /** Returns copies of lists of numbers of four bytes, in one buffer: to make several takes longer. */
  readTogether(lists) {
    const buffer = new ArrayBuffer(lists.reduce((sum, [, , count]) => sum + 4 * count, 0));
    let start = 0;
    return lists.map(([type, place, count]) => {
      const copy = new ARRAYS[type](buffer, start, count);
      copy.set(this.list(type, place, count));
      start += 4 * count;
      return copy;
    });
  }

  writeNumber(type, place, value) {
    const isLong = type === "uint64_t" || type === "int64_t";
    if (isLong) this.view.setBigUint64(place, whole(value), true);
    else this.view[SETTERS[type]](place, value, true);
  }

  readNumber(type, place, isWhole) {
    if (type === "uint64_t" || type === "int64_t") {
      const number = this.view[type === "int64_t" ? "getBigInt64" : "getBigUint64"](place, true);
      return isWhole ? number : Number(number);
    }
    return this.view[SETTERS[type].replace("set", "get")](place, true);
  }

  /** Writes a struct; fields that the value lacks are 0, sizes and counts are filled in. */
  writeStruct(type, value, place = this.room(sizeOf(type))) {
    const { size, fields } = structs[type];
    this.list("uint8_t", place, size).fill(0);
    for (const field of fields) {
      const own = place + field.place;
      if (field.name === "structSize") this.writeNumber("uint32_t", own, size);
      else if (value[field.name] == null) continue;
      else if (field.isPointer) this.writePointed(fields, field, value[field.name], place);
      else this.writeField(field, value[field.name], own);
    }
    return place;
  }

  writeField({ type, count, isStruct }, value, place) {
    const size = sizeOf(type);
    for (let at = 0; at < (count ?? 1); at++) {
      const one = count ? value[at] : value;
      if (isStruct) this.writeStruct(type, one, place + at * size);
      else this.writeNumber(type, place + at * size, one);
    }
  }

  /** Writes what a field points to: a text, or a list whose length stands in a field of its own. */
  writePointed(fields, { name, type, place: own }, value, place) {
    if (type === "char") {
      const bytes = new TextEncoder().encode(`${value}\0`);
      this.writeNumber("uint32_t", place + own, this.writeList("uint8_t", bytes));
      return;
    }
    const count = fields.find((field) => field.name === `${name.replace(/s$/, "")}Count`);
    this.writeNumber("uint32_t", place + own, this.writeList(type, value));
    this.writeNumber("uint32_t", place + count.place, value.length);
  }

  readStruct(type, place) {
    const value = {};
    for (const { name, type: own, count, place: off, isStruct } of structs[type].fields) {
      if (name === "structSize" || name === "reserved") continue;
      const [first, size] = [place + off, sizeOf(own)];
      const one = (at) => isStruct ? this.readStruct(own, at) : this.readNumber(own, at);
      if (!count) value[name] = one(first);
      else if (own === "uint64_t") value[name] = this.readList(own, first, count);
      else value[name] = Array.from({ length: count }, (_, at) => one(first + at * size));
    }
    return value;
  }
}
