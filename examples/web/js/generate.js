// Makes `bindings.js` and `index.d.ts` of the header of the C interface: constants, structs with
// their places in memory, and for each function that a module exports what it takes and gives back.
//
//   node js/generate.js HEADER MODULE FOLDER

import { readFileSync, writeFileSync } from "node:fs";

const [headerFile, moduleFile, folder] = process.argv.slice(2);
const header = readFileSync(headerFile, "utf8");
const exported = new Set(
  WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(moduleFile))).map((e) => e.name),
);

/** Sizes in memory of WebAssembly; what has another alignment than its size is a struct. */
const SIZES = {
  int8_t: 1, uint8_t: 1, char: 1, int16_t: 2, uint16_t: 2, int32_t: 4, uint32_t: 4, float: 4,
  size_t: 4, int64_t: 8, uint64_t: 8, double: 8, pointer: 4,
};
/** What a list of these numbers is in JavaScript. */
const ARRAYS = {
  int8_t: "Int8Array", uint8_t: "Uint8Array", int16_t: "Int16Array", uint16_t: "Uint16Array",
  int32_t: "Int32Array", uint32_t: "Uint32Array", float: "Float32Array", double: "Float64Array",
  uint64_t: "BigUint64Array", size_t: "Uint32Array",
};
const HANDLES = ["FpWorld", "FpFeed"];
/** 64 bits that are no count, so that none of them may be rounded. */
const WHOLE = new Set(["seed", "hash"]);
/** Lists of a fixed length that functions take and give by a bare pointer. */
const TRIPLES = new Set(["a", "b", "point", "border_kinds", "current", "flow"]);
/** Structs and lists that may be null. */
const NULLABLE = new Set(["bounds", "limits", "borderKinds"]);
/** Structs of which a caller fills in some fields only: the others are 0. */
const PARTIAL = new Set(["Edit", "Content", "Material", "Probe"]);
/** What is written by hand in `index.js`. */
const BY_HAND = new Set(["fp_last_error", "fp_view_mesh", "fp_interface_version"]);

const camel = (words) => words.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const bare = (name) => name.replace(/^Fp/, "");

/** Returns a comment of the header without its frame. */
function words(comment) {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd());
  return lines.join("\n").trim();
}

function comment(text, indent) {
  const lines = text.split("\n").map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}

/** Returns a declaration of a field or a parameter as its parts. */
function declared(text) {
  const match = text.trim().match(/^(const )?(\w+) (\**)(\w+)(?:\[(\d+)\])?$/);
  if (!match) throw new Error(`cannot read ${JSON.stringify(text)}`);
  const [, isConst, type, stars, name, count] = match;
  return { isConst: !!isConst, type, stars: stars.length, name, count: Number(count ?? 0) };
}

/** Returns the declarations of a form: the words of the comment above each, and its parts. */
function declarations(form) {
  const found = header.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n${form}`, "g"));
  return [...found].map(([, text, ...parts]) => [words(text), ...parts]);
}

function readConstants() {
  const all = [];
  const found = header.matchAll(/\/\*\*([^/]*?)\*\/\n#define FP_(\w+) (.+)/g);
  for (const [, text, name, value] of found) {
    const [number, shift = 0] = value.replace(/[()]/g, "").split("<<").map(Number);
    all.push({ name, value: number * 2 ** shift, doc: words(text) });
  }
  return all;
}

function readEnums() {
  return declarations("enum Fp(\\w+)\\n#if[\\s\\S]*?\\{([\\s\\S]*?)\\};").map(([doc, name, body]) => {
    const prefix = `FP_${name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()}_`;
    const values = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(\w+) = (\d+),/g)];
    const value = ([, text, key, number]) => ({
      doc: words(text), name: key.slice(prefix.length), value: Number(number),
    });
    return { name, doc, values: values.map(value) };
  });
}

/** Returns the structs, by name, each with the place of each field. */
function readStructs() {
  const structs = new Map();
  const found = declarations("typedef struct \\{([\\s\\S]*?)\\} Fp(\\w+);");
  for (const [doc, body, name] of found) {
    const fields = [];
    let [place, align] = [0, 1];
    for (const [, text, line] of body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^;]+);/g)) {
      const field = declared(line);
      const inner = structs.get(bare(field.type));
      const type = field.stars ? "pointer" : field.type;
      const size = inner ? inner.size : SIZES[type];
      const own = inner ? inner.align : size;
      place = Math.ceil(place / own) * own;
      fields.push({ ...field, place, doc: words(text), isStruct: !!inner });
      place += size * Math.max(field.count, 1);
      align = Math.max(align, own);
    }
    structs.set(name, { name, doc, fields, align, size: Math.ceil(place / align) * align });
  }
  return structs;
}

/** Returns what becomes of a function's parameters: an entry for each thing passed or given. */
function sortParameters(name, list, structs) {
  const entries = [];
  for (let at = 0; at < list.length; at++) {
    const one = list[at];
    const next = list[at + 1];
    const element = bare(one.type);
    const entry = { name: camel(one.name), type: structs.has(element) ? element : one.type };
    if (one.stars === 2) entry.how = "made";
    else if (HANDLES.includes(one.type) && one.stars) entry.how = "handle";
    else if (one.stars && next?.name === "capacity") [entry.how, at] = ["list out", at + 2];
    else if (one.stars && next?.name.match(/count$|^words_each$/)) {
      entry.how = one.isConst ? "list in" : "list through";
      // As many chunks as triples of numbers; as many words as there are for all chunks.
      entry.each = /^(chunks)$/.test(one.name) ? 3 : 1;
      entry.shared = next.name === "words_each";
      at++;
    } else if (TRIPLES.has(one.name) && one.stars) {
      entry.how = one.isConst ? "triple in" : "triple out";
    } else if (one.stars && structs.has(element)) {
      entry.how = one.isConst ? "struct in" : "struct out";
    }
    else if (one.stars) entry.how = "number out";
    else entry.how = "number";
    if (/^u?int64_t$/.test(one.type)) entry.isWhole = WHOLE.has(one.name);
    entries.push(entry);
  }
  return entries;
}

function readFunctions(structs) {
  const all = [];
  const found = declarations("\\w+ (fp_\\w+)\\(([^;]*)\\);");
  for (const [doc, name, list] of found) {
    if (!exported.has(name) || BY_HAND.has(name)) continue;
    const parameters = list.split(",").map((text) => declared(text.replace(/\s+/g, " ")));
    const entries = sortParameters(name, parameters, structs);
    const owner = entries[0].how === "handle" ? bare(entries[0].type) : "Floodplain";
    const own = owner === "World" ? /^fp_(world|view)_/ : owner === "Feed" ? /^fp_feed_/ : /^fp_/;
    const method = camel(name.replace(own, "").replace(/^fp_/, ""));
    all.push({ name, owner, method, entries, doc });
  }
  return all;
}

/** Returns the fields that a caller sees: not those that are filled in for it. */
function seen(struct) {
  return struct.fields.filter(({ name }) => {
    const countOf = (field) => `${field.name.replace(/s$/, "")}_count`;
    const isCount = struct.fields.some((field) => field.stars && name === countOf(field));
    return name !== "struct_size" && name !== "reserved" && !isCount;
  });
}

function typeOfField(field) {
  if (field.stars) return field.type === "char" ? "string | null" : "Numbers | null";
  const one = field.isStruct ? bare(field.type) : "number";
  if (!field.count) return one;
  if (field.isStruct) return `${one}[]`;
  if (field.type === "uint64_t") return "BigUint64Array";
  return field.count === 3 ? "Triple" : "number[]";
}

function typeOfEntry(entry, structs) {
  const { how, type, name } = entry;
  const orNull = NULLABLE.has(name) ? " | null" : "";
  const taken = PARTIAL.has(type) ? `Partial<${type}>` : type;
  const number = entry.isWhole ? "bigint" : "number";
  const isStruct = structs.has(type);
  switch (how) {
    case "made": case "handle": return bare(type);
    case "number": return entry.isWhole ? "bigint | number" : "number";
    case "number out": return number;
    case "struct in": return `${taken}${orNull}`;
    case "struct out": return type;
    case "list in": return isStruct ? `${taken}[]` : "Numbers";
    case "list through": return `${type}[]`;
    case "list out": return isStruct ? `${type}[]` : ARRAYS[type];
    case "triple in": return `Numbers${orNull}`;
    case "triple out": return "Triple";
    default: throw new Error(how);
  }
}

const isGiven = ({ how }) => how === "made" || how.endsWith(" out") || how === "list through";
const TAKEN = ["handle", "number", "list through"];
const isTaken = ({ how }) => how.endsWith(" in") || TAKEN.includes(how);

function signature({ entries, owner, method }, structs) {
  const taken = entries.filter(isTaken).slice(owner === "Floodplain" ? 0 : 1);
  const mayLack = (entry) => typeOfEntry(entry, structs).endsWith("| null");
  const parameter = (entry, at) => {
    const isOptional = mayLack(entry) && taken.slice(at).every(mayLack);
    return `${entry.name}${isOptional ? "?" : ""}: ${typeOfEntry(entry, structs)}`;
  };
  const given = entries.filter(isGiven);
  const fields = given.map((entry) => `${entry.name}: ${typeOfEntry(entry, structs)}`);
  const one = given.length > 0 ? typeOfEntry(given[0], structs) : "void";
  const result = given.length > 1 ? `{ ${fields.join("; ")} }` : one;
  return `${method}(${taken.map(parameter).join(", ")}): ${result};`;
}

function bindings(constants, enums, structs, functions) {
  const lines = ["// Made of the header of the C interface by js/generate.js."];
  for (const { name, value } of constants) lines.push(`export const ${name} = ${value};`);
  for (const { name, values } of enums) {
    const entries = values.map((value) => `${value.name}: ${value.value}`);
    lines.push(`export const ${name} = Object.freeze({ ${entries.join(", ")} });`);
  }
  const table = {};
  for (const { name, size, fields } of structs.values()) {
    table[name] = { size, fields: fields.map(({ name, type, stars, count, place, isStruct }) => ({
      name: camel(name), type: isStruct ? bare(type) : type, place,
      ...(stars && { isPointer: true }), ...(count && { count }), ...(isStruct && { isStruct }),
    })) };
  }
  lines.push(`export const structs = ${JSON.stringify(table)};`);
  const calls = functions.map(({ doc, ...call }) => call);
  lines.push(`export const functions = ${JSON.stringify(calls)};`);
  return `${lines.join("\n")}\n`;
}

function types(constants, enums, structs, functions) {
  const parts = [readFileSync(new URL("types.d.ts", import.meta.url), "utf8")];
  for (const { name, value, doc } of constants) {
    parts.push(`${comment(doc, "")}export declare const ${name}: ${value};`);
  }
  for (const { name, doc, values } of enums) {
    const line = (one) => `${comment(one.doc, "  ")}  readonly ${one.name}: ${one.value};`;
    const lines = values.map(line);
    parts.push(`${comment(doc, "")}export declare const ${name}: {\n${lines.join("\n")}\n};`);
  }
  for (const struct of structs.values()) {
    if (struct.name === "Mesh" || struct.name === "SaveReport") continue;
    const lines = seen(struct).map(
      (field) => `${comment(field.doc, "  ")}  ${camel(field.name)}: ${typeOfField(field)};`,
    );
    const body = `export interface ${struct.name} {\n${lines.join("\n")}\n}`;
    parts.push(`${comment(struct.doc, "")}${body}`);
  }
  for (const owner of ["Floodplain", "World", "Feed"]) {
    const own = functions.filter((one) => one.owner === owner && one.method !== "free");
    const doc = (one) => comment(`\`${one.name}\`. ${one.doc}`, "  ");
    const lines = own.map((one) => `${doc(one)}  ${signature(one, structs)}`);
    parts.push(`export interface ${owner} {\n${lines.join("\n")}\n}`);
  }
  return `${parts.join("\n\n")}\n`;
}

const made = [readConstants(), readEnums(), readStructs()];
made.push(readFunctions(made[2]));
writeFileSync(`${folder}/bindings.js`, bindings(...made));
writeFileSync(`${folder}/index.d.ts`, types(...made));
