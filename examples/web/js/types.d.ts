/** floodplain: finite water, soil and explosions for block games. Made by js/generate.js. */

/** Numbers in a list or a typed array. */
export type Numbers = ArrayLike<number>;
/** x, y and z; y is up. */
export type Triple = [number, number, number];

/** A call that the library refused, or one that ended in a panic. */
export declare class FloodplainError extends Error {
  /** The name of an `FpStatus`, as "NOT_LOADED"; "PANIC" if the module is not to be used again. */
  readonly code: string;
}

/** Triangles of the water in a chunk. */
export interface Mesh {
  /** Three numbers for each vertex, in cells from the least corner of the chunk: 0 to 16. */
  positions: Float32Array;
  /** Unit vectors out of the water, three numbers for each vertex. */
  normals: Float32Array;
  /** The smoothed flow, in full cells a tick, three numbers for each vertex; or empty. */
  flow: Float32Array;
  /** Three for each triangle, counterclockwise as seen from outside the water. */
  indices: Uint32Array;
}

/** The library, from `load`. Chunk positions in a list are three numbers each, one by one. */
export interface Floodplain {
  /** `fp_interface_version`. Returns the version of the interface. */
  interfaceVersion(): number;
  /** Returns the bytes of the module's memory, which grows and never shrinks. */
  memoryBytes(): number;
}

/** A world of any kind, or a client's mirror. Freed with its last reference, or by `free`. */
export interface World {
  /**
   * `fp_view_mesh`. Returns the surface of the water in a chunk, as triangles; empty if the chunk
   * is not here. The arrays are the caller's, and share a buffer.
   */
  mesh(x: number, y: number, z: number, hasFlow?: boolean): Mesh;
  /** `fp_world_free`. Frees it now. */
  free(): void;
}

/** A feed of a world: what looks different, for clients. Freed as a world is. */
export interface Feed {
  /** `fp_feed_free`. Frees it now. */
  free(): void;
}

/**
 * Loads the library. `source` is the module of WebAssembly if it does not lie beside this file: its
 * bytes, a compiled module, or a response of `fetch`. Each call has a memory of its own.
 */
export declare function load(
  source?: BufferSource | WebAssembly.Module | Response | Promise<Response>,
): Promise<Floodplain>;
