// @ts-check
/**
 * From the daemon's frame (right-handed, z up) to that of three.js, WebXR and glTF (right-handed,
 * y up). Which way is forward is the scene's own: here y, away from the user, becomes -z.
 * Both frames are right-handed, so torques and angular velocities convert as forces do.
 * @module
 */

/** @typedef {[number, number, number]} Vector */
/** @typedef {[number, number, number, number]} Quaternion x, y, z, w */

/** Turns the daemon's frame into the other; for a group that holds the whole scene. */
export const Y_UP_FROM_Z_UP = /** @type {Quaternion} */ ([-Math.SQRT1_2, 0, 0, Math.SQRT1_2]);

/**
 * Converts a position, velocity, force, torque or normal.
 * @param {ArrayLike<number>} vector
 * @returns {Vector}
 */
export function vectorToYUp(vector) {
  const [x = 0, y = 0, z = 0] = Array.from(vector);
  return [x, z, -y];
}

/**
 * The way back.
 * @param {ArrayLike<number>} vector
 * @returns {Vector}
 */
export function vectorToZUp(vector) {
  const [x = 0, y = 0, z = 0] = Array.from(vector);
  return [x, -z, y];
}

/**
 * Converts a rotation.
 * @param {ArrayLike<number>} quaternion x, y, z, w.
 * @returns {Quaternion}
 */
export function quaternionToYUp(quaternion) {
  const [x = 0, y = 0, z = 0, w = 1] = Array.from(quaternion);
  return [x, z, -y, w];
}

/**
 * The way back.
 * @param {ArrayLike<number>} quaternion x, y, z, w.
 * @returns {Quaternion}
 */
export function quaternionToZUp(quaternion) {
  const [x = 0, y = 0, z = 0, w = 1] = Array.from(quaternion);
  return [x, -z, y, w];
}
