// @ts-check
/**
 * The scene as three.js draws it. Everything within `world` is in the daemon's frame, z up; the
 * group turns it.
 */

import { BodyKind, toolId, Y_UP_FROM_Z_UP } from "../hapticd/index.js";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  GridHelper,
  Group,
  HemisphereLight,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "../vendor/three.js";

/** @typedef {import("../hapticd/layout.js").ArmState} ArmState */
/** @typedef {import("../hapticd/layout.js").Pose} Pose */

/** Colours by kind of body. @type {Record<number, number>} */
const COLORS = {
  [BodyKind.Static]: 0x5b6b82,
  [BodyKind.Kinematic]: 0x7fa8e8,
  [BodyKind.Dynamic]: 0xc9b27c,
  [BodyKind.Soft]: 0xe08a8a,
  [BodyKind.Cloth]: 0xb692d6,
  [BodyKind.Crowd]: 0xc9b27c,
  [BodyKind.Implicit]: 0xe0a080,
};
const OURS = 0x7fd1b9;
const METRES_PER_NEWTON = 0.02;
const MAX_ARROW_M = 0.2;
const MAX_CONTACTS = 64;

/** What is drawn of the daemon's scene. */
export class View {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true });
    this.ratio = Math.min(window.devicePixelRatio, 2);
    this.frameMs = 16;
    this.drawnAt = 0;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.xr.enabled = true;
    this.scene = new Scene();
    this.scene.background = new Color(0x14181f);
    this.camera = new PerspectiveCamera(42, 1, 0.005, 50);
    this.world = new Group();
    this.world.quaternion.set(...Y_UP_FROM_Z_UP);
    /** What a headset moves; on a screen it stands still. */
    this.room = new Group();
    this.room.add(this.world);
    this.scene.add(this.room, new HemisphereLight(0xdfe8ff, 0x2a2620, 1));
    const sun = new DirectionalLight(0xfff4e0, 2.6);
    sun.position.set(-0.9, 0.6, 0.5);
    this.scene.add(sun);
    const grid = new GridHelper(1, 20, 0x303948, 0x232a35);
    grid.rotation.x = Math.PI / 2;
    this.grid = grid;
    this.world.add(grid);

    /** @type {Map<number, Mesh>} */
    this.bodies = new Map();
    this.tool = this.#tool(0xffb454, 1);
    this.hand = this.#tool(0xffb454, 0.28);
    this.arrow = new Arrow(0xffb454);
    this.world.add(this.tool, this.hand, this.arrow.group);
    const dot = new MeshBasicMaterial({ color: 0xff7b72 });
    this.contacts = new InstancedMesh(new SphereGeometry(0.0018, 12, 8), dot, MAX_CONTACTS);
    this.contacts.count = 0;
    this.contacts.frustumCulled = false;
    this.world.add(this.contacts);

    this.target = new Vector3(0, 0, 0.02);
    this.distance = 0.55;
    this.turn = { around: -0.9, up: 0.55 };
    this.raycaster = new Raycaster();
  }

  /**
   * @param {number} color
   * @param {number} opacity
   */
  #tool(color, opacity) {
    const material = new MeshStandardMaterial({
      color,
      roughness: 0.35,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
    });
    const mesh = new Mesh(new SphereGeometry(0.005, 32, 16), material);
    mesh.visible = false;
    return mesh;
  }

  /** Removes all bodies. */
  clear() {
    for (const body of [...this.bodies.keys()]) this.remove(body);
  }

  /** @param {number} body */
  remove(body) {
    const mesh = this.bodies.get(body);
    if (!mesh) return;
    mesh.removeFromParent();
    mesh.geometry.dispose();
    /** @type {MeshStandardMaterial} */ (mesh.material).dispose();
    this.bodies.delete(body);
  }

  /**
   * Adds a body; its shape and place come later.
   * @param {number} body
   * @param {number} kind
   * @param {boolean} isOurs
   */
  add(body, kind, isOurs) {
    this.remove(body);
    const material = new MeshStandardMaterial({
      color: isOurs ? OURS : (COLORS[kind] ?? 0xffffff),
      roughness: 0.75,
      flatShading: kind !== BodyKind.Implicit && kind !== BodyKind.Soft && kind !== BodyKind.Cloth,
      side: kind === BodyKind.Cloth ? DoubleSide : 0,
    });
    const mesh = new Mesh(new BufferGeometry(), material);
    mesh.frustumCulled = false;
    mesh.visible = false;
    mesh.userData = { body };
    this.bodies.set(body, mesh);
    this.world.add(mesh);
  }

  /**
   * Gives a body, or the tool, its constant shape.
   * @param {number} body
   * @param {import("../hapticd/mesh.js").Mesh} shape
   */
  setShape(body, { positions, triangles }) {
    const meshes = body >= toolId(7) ? [this.tool, this.hand] : [this.bodies.get(body)];
    for (const mesh of meshes) {
      if (!mesh) continue;
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
      geometry.setIndex(new BufferAttribute(triangles, 1));
      geometry.computeVertexNormals();
      mesh.geometry.dispose();
      mesh.geometry = geometry;
    }
  }

  /**
   * Shows the newest points of a surface or a skin, which are in the world's frame.
   * @param {number} body
   * @param {{ points: Float32Array, normals?: Float32Array, triangles: Uint32Array }} value
   */
  setPoints(body, { points, normals, triangles }) {
    const mesh = this.bodies.get(body);
    if (!mesh) return;
    let { geometry } = mesh;
    if (geometry.getAttribute("position")?.array.length !== points.length) {
      geometry.dispose();
      geometry = new BufferGeometry();
      const position = new BufferAttribute(new Float32Array(points.length), 3);
      position.setUsage(DynamicDrawUsage);
      geometry.setAttribute("position", position);
      mesh.geometry = geometry;
    }
    const position = /** @type {BufferAttribute} */ (geometry.getAttribute("position"));
    position.array.set(points);
    position.needsUpdate = true;
    if (geometry.userData.triangles !== triangles) {
      geometry.setIndex(new BufferAttribute(triangles, 1));
      geometry.userData = { triangles };
    }
    if (normals) geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    else geometry.computeVertexNormals();
    mesh.visible = true;
  }

  /** @param {readonly { body: number, world_from_body: Pose }[]} poses */
  setPoses(poses) {
    for (const { body, world_from_body } of poses) {
      const mesh = this.bodies.get(body);
      if (!mesh) continue;
      place(mesh, world_from_body);
      mesh.visible = true;
    }
  }

  /**
   * @param {ArmState} state
   * @param {readonly { point_m: number[] }[]} contacts
   */
  setArm(state, contacts) {
    place(this.tool, state.world_from_proxy);
    place(this.hand, state.world_from_device);
    this.tool.visible = true;
    this.hand.visible = true;
    const [x, y, z] = state.world_from_proxy;
    this.arrow.set(new Vector3(x, y, z), new Vector3(...state.force_n));
    this.contacts.count = Math.min(contacts.length, MAX_CONTACTS);
    const matrix = new Matrix4();
    contacts.slice(0, MAX_CONTACTS).forEach(({ point_m: [x = 0, y = 0, z = 0] }, index) => {
      this.contacts.setMatrixAt(index, matrix.makeTranslation(x, y, z));
    });
    this.contacts.instanceMatrix.needsUpdate = true;
  }

  /** No arm is shown until the next state. */
  hideArm() {
    this.tool.visible = false;
    this.hand.visible = false;
    this.arrow.group.visible = false;
    this.contacts.count = 0;
  }

  /**
   * Looks at a workspace.
   * @param {number[]} center World frame, m.
   * @param {number} radius m
   */
  frame([x = 0, y = 0, z = 0], radius) {
    this.target.set(x, y, z);
    this.distance = Math.max(0.12, 3.6 * radius);
    this.grid.scale.setScalar(Math.max(0.2, 3.6 * radius));
    this.grid.position.set(x, y, Math.min(0, z - radius) - 0.03);
  }

  /** Fewer pixels where frames take too long: what is late does not help a hand. */
  #relax() {
    const now = performance.now();
    const took = Math.min(now - this.drawnAt, 500);
    this.drawnAt = now;
    this.frameMs += 0.1 * (took - this.frameMs);
    if (this.frameMs < 60 || this.ratio <= 0.5) return;
    this.frameMs = 16;
    this.ratio = Math.max(0.5, 0.7 * this.ratio);
    this.renderer.setPixelRatio(this.ratio);
  }

  draw() {
    const { renderer, camera } = this;
    if (!renderer.xr.isPresenting) this.#relax();
    if (!renderer.xr.isPresenting) {
      const { clientWidth: width, clientHeight: height } = renderer.domElement;
      const size = renderer.getSize(new Vector2());
      if (size.x !== width || size.y !== height) {
        renderer.setSize(width, height, false);
        camera.aspect = width / Math.max(height, 1);
        camera.updateProjectionMatrix();
      }
      const { around, up } = this.turn;
      const offset = new Vector3(
        Math.sin(around) * Math.cos(up),
        Math.sin(up),
        Math.cos(around) * Math.cos(up),
      );
      const target = this.world.localToWorld(this.target.clone());
      camera.position.copy(target).addScaledVector(offset, this.distance);
      camera.lookAt(target);
    }
    renderer.render(this.scene, camera);
    // For whoever looks from outside: how much is shown.
    renderer.domElement.dataset.triangles = String(renderer.info.render.triangles);
  }

  /**
   * Puts the workspace before the wearer of a headset, or back.
   * @param {boolean} isPresenting
   */
  setPresenting(isPresenting) {
    this.room.position.set(0, isPresenting ? 1.1 : 0, isPresenting ? -0.5 : 0);
    if (isPresenting) {
      const center = this.world.localToWorld(this.target.clone());
      this.room.position.sub(center).add(new Vector3(0, 1.1, -0.5));
    }
  }

  /**
   * Returns the body under a point of the canvas, and the point on it.
   * @param {number} x From -1 to 1.
   * @param {number} y From -1 to 1, upwards.
   * @returns {{ body: number, point: Vector3 } | null}
   */
  pick(x, y) {
    this.raycaster.setFromCamera(new Vector2(x, y), this.camera);
    const [hit] = this.raycaster.intersectObjects([...this.bodies.values()], false);
    if (!hit) return null;
    return { body: hit.object.userData.body, point: this.world.worldToLocal(hit.point.clone()) };
  }

  /**
   * Returns where a place is seen, in the window's pixels.
   * @param {readonly number[]} place World frame, m.
   */
  onScreen([x = 0, y = 0, z = 0]) {
    const seen = this.world.localToWorld(new Vector3(x, y, z)).project(this.camera);
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    return { x: left + (width * (seen.x + 1)) / 2, y: top + (height * (1 - seen.y)) / 2 };
  }

  /**
   * Returns where the ray through a point of the canvas meets the horizontal plane at a height.
   * @param {number} x From -1 to 1.
   * @param {number} y From -1 to 1, upwards.
   * @param {number} height World frame, m.
   * @returns {Vector3 | null}
   */
  onPlane(x, y, height) {
    this.raycaster.setFromCamera(new Vector2(x, y), this.camera);
    const ray = this.raycaster.ray.clone().applyMatrix4(this.world.matrixWorld.clone().invert());
    return ray.intersectPlane(new Plane(new Vector3(0, 0, 1), -height), new Vector3());
  }
}

/** An arrow from a point along a force. */
class Arrow {
  /** @param {number} color */
  constructor(color) {
    const material = new MeshBasicMaterial({ color });
    this.group = new Group();
    this.shaft = new Mesh(new CylinderGeometry(0.0012, 0.0012, 1, 12), material);
    this.tip = new Mesh(new ConeGeometry(0.0036, 0.012, 16), material);
    this.group.add(this.shaft, this.tip);
    this.group.visible = false;
  }

  /**
   * @param {Vector3} from
   * @param {Vector3} force N
   */
  set(from, force) {
    const size = force.length();
    this.group.visible = size > 0.02;
    if (!this.group.visible) return;
    const length = Math.min(size * METRES_PER_NEWTON, MAX_ARROW_M);
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), force.divideScalar(size));
    this.shaft.scale.y = length;
    this.shaft.position.y = length / 2;
    this.tip.position.y = length + 0.006;
  }
}

/**
 * @param {Mesh} mesh
 * @param {Pose} pose
 */
function place(mesh, [x, y, z, a, b, c, d]) {
  mesh.position.set(x, y, z);
  mesh.quaternion.set(a, b, c, d);
}
