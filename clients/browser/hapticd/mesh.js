// @ts-check
/**
 * Meshes as files: `AddBody` carries one, a shape comes as one. Metres, the body's frame, triangles
 * counter-clockwise seen from outside.
 * @module
 */

import { DecodeError } from "./codec.js";
import { MESH_HEADER_BYTES, MESH_MAGIC, MESH_VERSION } from "./layout.js";

/**
 * @typedef {object} Mesh
 * @property {Float32Array | Float64Array} positions x, y, z of each vertex, m.
 * @property {Uint32Array} triangles Three indices of vertices each.
 */

/**
 * Returns the mesh of a box around the origin.
 * @param {number} x Length of its edges, m.
 * @param {number} y
 * @param {number} z
 * @returns {Mesh}
 */
export function box(x, y, z) {
  const positions = new Float64Array(24);
  for (let corner = 0; corner < 8; corner += 1) {
    positions[3 * corner] = (corner & 1 ? x : -x) / 2;
    positions[3 * corner + 1] = (corner & 2 ? y : -y) / 2;
    positions[3 * corner + 2] = (corner & 4 ? z : -z) / 2;
  }
  const triangles = Uint32Array.of(
    ...[0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4],
    ...[2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
  );
  return { positions, triangles };
}

/**
 * Returns the file of a mesh.
 * @param {Mesh} mesh
 * @returns {Uint8Array}
 */
export function encodeMesh({ positions, triangles }) {
  const size = positions.BYTES_PER_ELEMENT;
  const start = Math.ceil((MESH_HEADER_BYTES + positions.length * size) / 8) * 8;
  const bytes = new Uint8Array(start + 4 * triangles.length);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, MESH_MAGIC, true);
  view.setUint32(8, MESH_VERSION, true);
  view.setUint32(12, size, true);
  view.setUint32(16, positions.length / 3, true);
  view.setUint32(20, triangles.length / 3, true);
  positions.forEach((value, index) => {
    const at = MESH_HEADER_BYTES + size * index;
    if (size === 4) view.setFloat32(at, value, true);
    else view.setFloat64(at, value, true);
  });
  triangles.forEach((value, index) => view.setUint32(start + 4 * index, value, true));
  return bytes;
}

/**
 * Reads the file of a mesh.
 * @param {ArrayBuffer} buffer
 * @param {number} [offset] Where the file begins; a multiple of 8.
 * @returns {Mesh} Views of the buffer: nothing is copied.
 * @throws {DecodeError} For what is no mesh.
 */
export function decodeMesh(buffer, offset = 0) {
  const view = new DataView(buffer, offset);
  const wrong = (/** @type {string} */ why) => new DecodeError(`no mesh: ${why}`);
  if (view.byteLength < MESH_HEADER_BYTES || view.getBigUint64(0, true) !== MESH_MAGIC) {
    throw wrong("another beginning");
  }
  const size = view.getUint32(12, true);
  if (view.getUint32(8, true) !== MESH_VERSION || (size !== 4 && size !== 8)) {
    throw wrong(`version ${view.getUint32(8, true)} with ${size} bytes a coordinate`);
  }
  const [vertices, count] = [view.getUint32(16, true), view.getUint32(20, true)];
  const start = Math.ceil((MESH_HEADER_BYTES + 3 * vertices * size) / 8) * 8;
  if (view.byteLength !== start + 12 * count) {
    throw wrong(`${view.byteLength} bytes, ${start + 12 * count} are needed`);
  }
  const Coordinates = size === 4 ? Float32Array : Float64Array;
  const positions = new Coordinates(buffer, offset + MESH_HEADER_BYTES, 3 * vertices);
  const triangles = new Uint32Array(buffer, offset + start, 3 * count);
  if (triangles.some((corner) => corner >= vertices)) throw wrong("a corner that is no vertex");
  return { positions, triangles };
}
