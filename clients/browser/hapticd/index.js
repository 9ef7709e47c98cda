// @ts-check
/**
 * The client of `hapticd gateway` for browsers, and for Node from version 22 on.
 *
 * ```js
 * const client = await Hapticd.connect({ url: "ws://127.0.0.1:8127/v1", token, name: "my page" });
 * await client.subscribe(0, topic.STATE);
 * await client.setPushRates({ state_hz: 60 });
 * client.addEventListener("value", () => console.log(client.state(0)?.force_n));
 * ```
 *
 * It has no timer: leases go on only while the page itself sends something. Metres, newtons,
 * right-handed, z up; `frames.js` converts.
 * @module
 */

import { decode, DecodeError, encode, readWords } from "./codec.js";
import * as layout from "./layout.js";
import { decodeMesh, encodeMesh } from "./mesh.js";

export { DecodeError } from "./codec.js";
export * from "./frames.js";
export {
  ALL_ARMS,
  BlockKind,
  BodyKind,
  ErrorCode,
  flag,
  ForceOffReason,
  GovernorState,
  MAX_PUSH_HZ,
  topic,
} from "./layout.js";
export { box } from "./mesh.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {layout.RequestsFields & layout.GatewayRequestsFields} AllRequests */
/** @typedef {typeof layout.REQUESTS & typeof layout.GATEWAY_REQUESTS} Tables */
/**
 * What a request is answered with.
 * @template {keyof AllRequests} N
 * @typedef {Tables[N] extends { answers: readonly [infer A, ...unknown[]] } ? A extends keyof layout.RepliesFields ? layout.RepliesFields[A] : never : void} Answer
 */
/**
 * The newest points of a soft body, a cloth or a body of a crowd. World frame, m.
 * @typedef {object} SurfaceValue
 * @property {number} version How often it was published.
 * @property {Float32Array} points x, y, z each.
 * @property {Uint32Array} triangles The same array as long as the body is there.
 */
/**
 * The newest mesh of an implicit body. World frame, m and m/s.
 * @typedef {object} SkinValue
 * @property {number} version How often it was published.
 * @property {Float32Array} points
 * @property {Float32Array} normals
 * @property {Float32Array} velocities
 * @property {Uint32Array} triangles
 */
/** @typedef {{ version: bigint, kind: number, arm: number, body: number, skipped: bigint, view: DataView }} Raw */

/** What carries a request out, by its name. @type {Map<string, readonly string[]>} */
const ANSWERS = new Map(
  Object.entries({ ...layout.REQUESTS, ...layout.GATEWAY_REQUESTS }).map(([name, request]) => [
    name,
    "answers" in request ? request.answers : [],
  ]),
);

/** The daemon, or the gateway, refused a request: whose fault it is, with numbers. */
export class Refused extends Error {
  /**
   * @param {string} request
   * @param {layout.Error} error
   */
  constructor(request, error) {
    const names = Object.entries(layout.ErrorCode);
    const name = names.find(([, code]) => code === error.code)?.[0] ?? `code ${error.code}`;
    const numbers = error.number || error.limit ? ` (${error.number}, ${error.limit})` : "";
    super(`${request}: ${name}${numbers}${error.detail ? `: ${error.detail}` : ""}`);
    this.name = "Refused";
    /** One of `ErrorCode`. */
    this.code = error.code;
    /** Number that belongs to the code. */
    this.number = error.number;
    /** Limit that belongs to the code. */
    this.limit = error.limit;
    /** A sentence; may be empty. */
    this.detail = error.detail;
  }
}

/** The connection is gone, or was refused; `code` and the message are those of the WebSocket. */
export class Disconnected extends Error {
  /**
   * @param {number} code
   * @param {string} reason
   */
  constructor(code, reason) {
    super(reason || `the connection was closed (${code})`);
    this.name = "Disconnected";
    this.code = code;
  }
}

/**
 * A connection. Events: `value` (a block has a new value: `detail` has `kind`, `arm`, `body`),
 * `event` (`detail` is an event of the daemon: `name` and `fields`), `refused` (`detail` is the
 * `Refused` of a request that was posted), `close` (`detail` is a `Disconnected`).
 */
export class Hapticd extends EventTarget {
  #socket;
  #nextId = 1n;
  /** @type {Map<bigint, { name: string, resolve: (fields: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** @type {Map<number, ((mesh: Mesh) => void)[]>} */
  #shapes = new Map();
  /** @type {Map<string, Raw>} */
  #values = new Map();
  /** @type {Map<number, Uint32Array>} */
  #triangles = new Map();
  /** @type {layout.Welcome | null} */
  #welcome = null;

  /** @param {WebSocket} socket */
  constructor(socket) {
    super();
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", ({ code, reason }) => {
      const error = new Disconnected(code, reason);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      this.dispatchEvent(new CustomEvent("close", { detail: error }));
    });
  }

  /**
   * Connects and says hello.
   * @param {object} options
   * @param {string} options.url `ws://HOST:PORT/v1`, or `wss:`.
   * @param {string} options.token The gateway's token; a new one with each start.
   * @param {string} options.name Name that technicians see.
   * @returns {Promise<Hapticd>}
   * @throws {Disconnected} Where the gateway or the daemon is not there or refuses. Browsers do not
   * tell a page why an upgrade was refused: the gateway's log does.
   */
  static async connect({ url, token, name }) {
    const socket = new WebSocket(url, ["hapticd.v1", `token.${token}`]);
    const client = new Hapticd(socket);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      client.addEventListener("close", (event) => {
        reject(/** @type {CustomEvent} */ (event).detail);
      });
    });
    const { MAGIC, MAJOR, MINOR } = layout;
    const hello = { magic: MAGIC, major: MAJOR, minor: MINOR, features: 0, name };
    client.#welcome = /** @type {layout.Welcome} */ (await client.request("Hello", hello));
    return client;
  }

  /** The daemon's welcome: its version and this client's limits. */
  get welcome() {
    if (this.#welcome === null) throw new Disconnected(1005, "no welcome yet");
    return this.#welcome;
  }

  /** Whether requests can be sent. */
  get isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a request and returns what it is answered with.
   * @template {keyof AllRequests} N
   * @param {N} name
   * @param {AllRequests[N]} fields
   * @param {Uint8Array} [attached] What a descriptor carries on the daemon's socket.
   * @returns {Promise<Answer<N>>}
   * @throws {Refused}
   * @throws {Disconnected}
   */
  request(name, fields, attached) {
    return new Promise((resolve, reject) => {
      const id = this.#send(name, fields, attached);
      this.#waiting.set(id, { name, resolve, reject });
    });
  }

  /**
   * Sends a request without waiting; suitable for every frame. A refusal comes as event `refused`.
   * @template {keyof AllRequests} N
   * @param {N} name
   * @param {AllRequests[N]} fields
   */
  post(name, fields) {
    const id = this.#send(name, fields);
    const reject = (/** @type {Error} */ error) => {
      if (error instanceof Refused) {
        this.dispatchEvent(new CustomEvent("refused", { detail: error }));
      }
    };
    this.#waiting.set(id, { name, resolve: () => {}, reject });
  }

  /**
   * @param {string} name
   * @param {Record<string, any>} fields
   * @param {Uint8Array} [attached]
   */
  #send(name, fields, attached) {
    if (!this.isOpen) throw new Disconnected(1006, "not connected");
    const id = this.#nextId;
    const packet = encode(name, fields, id, attached);
    this.#nextId += 1n;
    this.#socket.send(packet);
    return id;
  }

  /** @param {unknown} data */
  #take(data) {
    try {
      if (!(data instanceof ArrayBuffer)) throw new DecodeError("a text instead of a message");
      const message = decode(data);
      if (message.kind >> 8 === 0x83) this.#pushed(message, data);
      else if (message.kind >> 8 === 0x82) this.#event(message);
      else this.#reply(message);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      // Nothing behind what was not understood can be trusted.
      this.#socket.close(4000, error.message.slice(0, 100));
    }
  }

  /** @param {{ name: string, fields: Record<string, any> }} message */
  #event({ name, fields }) {
    if (name === "BodyLeft") {
      this.#triangles.delete(fields.body);
      this.#values.delete(key(layout.BlockKind.Surface, 0, fields.body));
      this.#values.delete(key(layout.BlockKind.Skin, 0, fields.body));
    }
    this.dispatchEvent(new CustomEvent("event", { detail: { name, fields } }));
  }

  /** @param {{ name: string, id: bigint, fields: Record<string, any> }} message */
  #reply({ name, id, fields }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (name === "Error") {
      const error = new Refused(waiting?.name ?? "a message", /** @type {any} */ (fields));
      if (waiting) waiting.reject(error);
      else this.dispatchEvent(new CustomEvent("refused", { detail: error }));
    } else if (name === "Refused") {
      const { reason, major, minor, limit } = fields;
      const names = Object.entries(layout.RefusalReason);
      const why = names.find(([, code]) => code === reason)?.[0] ?? `reason ${reason}`;
      const text = `the daemon (protocol ${major}.${minor}) refuses: ${why} (${limit})`;
      waiting?.reject(new Disconnected(1008, text));
    } else if (waiting) {
      if (!ANSWERS.get(waiting.name)?.includes(name)) {
        const error = new DecodeError(`\`${waiting.name}\` was answered by \`${name}\``);
        waiting.reject(error);
        throw error;
      }
      waiting.resolve(fields);
    }
  }

  /**
   * @param {{ name: string, fields: Record<string, any>, end: number }} message
   * @param {ArrayBuffer} frame
   */
  #pushed({ name, fields, end }, frame) {
    if (name === "ShapeFile") {
      const mesh = decodeMesh(frame, end);
      const waiting = this.#shapes.get(fields.body) ?? [];
      this.#shapes.delete(fields.body);
      for (const resolve of waiting) resolve(mesh);
    } else if (name === "SurfaceTriangles") {
      const triangles = new Uint32Array(frame, end, 3 * fields.triangles);
      if (triangles.some((corner) => corner >= fields.points)) {
        throw new DecodeError("a corner that is no point");
      }
      this.#triangles.set(fields.body, triangles);
    } else {
      const { kind, arm, body, version, skipped } = fields;
      if (frame.byteLength !== end + 8 * fields.words) throw new DecodeError("a cut block");
      const view = new DataView(frame, end);
      this.#values.set(key(kind, arm, body), { kind, arm, body, version, skipped, view });
      this.dispatchEvent(new CustomEvent("value", { detail: { kind, arm, body } }));
    }
  }

  /**
   * Returns the arm's newest state; `null` before the first.
   * @param {number} arm
   * @returns {layout.ArmState | null}
   */
  state(arm) {
    const raw = this.#values.get(key(layout.BlockKind.State, arm, 0));
    return raw ? /** @type {layout.ArmState} */ (readWords("ArmState", raw.view)) : null;
  }

  /**
   * Returns the arm's newest contacts.
   * @param {number} arm
   * @returns {layout.Contact[]}
   */
  contacts(arm) {
    return /** @type {layout.Contact[]} */ (this.#list(layout.BlockKind.Contacts, arm));
  }

  /**
   * Returns the newest poses of all rigid bodies.
   * @returns {layout.BodyState[]}
   */
  bodyPoses() {
    return /** @type {layout.BodyState[]} */ (this.#list(layout.BlockKind.Bodies, 0));
  }

  /**
   * Returns the newest state of the needle at the arm's tool; `null` before the first.
   * @param {number} arm
   * @returns {layout.NeedleState | null}
   */
  needle(arm) {
    const raw = this.#values.get(key(layout.BlockKind.Needle, arm, 0));
    return raw ? /** @type {layout.NeedleState} */ (readWords("NeedleState", raw.view)) : null;
  }

  /**
   * @param {1 | 2 | 3} kind
   * @param {number} arm
   */
  #list(kind, arm) {
    const raw = this.#values.get(key(kind, arm, 0));
    const { payload, list } = /** @type {{ payload: string, list: { of: string } }} */ (
      layout.BLOCKS[kind]
    );
    if (!raw) return [];
    const fixed = /** @type {any} */ (layout.WORDS)[payload].words;
    const each = /** @type {any} */ (layout.WORDS)[list.of].words;
    const count = (raw.view.byteLength / 8 - fixed) / each;
    return Array.from({ length: Math.floor(count) }, (_, index) =>
      readWords(list.of, raw.view, fixed + each * index),
    );
  }

  /**
   * Returns the newest points of an opened surface; `null` before the first.
   * @param {number} body
   * @returns {SurfaceValue | null}
   */
  surface(body) {
    const raw = this.#values.get(key(layout.BlockKind.Surface, 0, body));
    const triangles = this.#triangles.get(body);
    if (!raw || !triangles) return null;
    const [points = new Float32Array(0)] = floats(raw.view, layout.WORDS.SurfaceFrameHeader.words);
    return { version: Number(raw.version), points, triangles };
  }

  /**
   * Returns the newest mesh of an opened skin; `null` before the first.
   * @param {number} body
   * @returns {SkinValue | null}
   */
  skin(body) {
    const raw = this.#values.get(key(layout.BlockKind.Skin, 0, body));
    if (!raw) return null;
    const { counts } = readWords("SkinFrameHeader", raw.view);
    const list = Math.ceil((3 * counts.points) / 2);
    const first = layout.WORDS.SkinFrameHeader.words;
    const rows = [0, 1, 2].map((index) => {
      const at = raw.view.byteOffset + 8 * (first + index * list);
      return new Float32Array(raw.view.buffer, at, 3 * counts.points);
    });
    const [points, normals, velocities] = /** @type {Float32Array[]} */ (rows);
    const at = raw.view.byteOffset + 8 * (first + 3 * list);
    const triangles = new Uint32Array(raw.view.buffer, at, 3 * counts.triangles);
    return /** @type {SkinValue} */ ({
      version: Number(raw.version),
      points,
      normals,
      velocities,
      triangles,
    });
  }

  /** Returns how many values were due and not sent, since this page had not read. */
  get skipped() {
    let sum = 0;
    for (const { skipped } of this.#values.values()) sum += Number(skipped);
    return sum;
  }

  /** Returns all arms, by index. */
  async listArms() {
    return (await this.request("ListArms", {})).arms;
  }

  /** Returns all bodies. */
  async listBodies() {
    /** @type {layout.BodyInfo[]} */
    const all = [];
    for (;;) {
      const page = await this.request("ListBodies", { skip: all.length });
      all.push(...page.bodies);
      if (page.bodies.length === 0 || all.length >= page.total) return all;
    }
  }

  /**
   * Subscribes to blocks of an arm, and to events; `topics` is a sum of bits of `topic`. Values
   * come at the rate of `setPushRates`.
   * @param {number} arm
   * @param {number} topics
   */
  subscribe(arm, topics) {
    return this.request("Subscribe", { arm, topics });
  }

  /**
   * Sets how often values come, Hz; at most `MAX_PUSH_HZ`.
   * @param {Partial<layout.SetPushRates>} rates
   */
  setPushRates({ state_hz = 0, surface_hz = 0 }) {
    return this.request("SetPushRates", { state_hz, surface_hz });
  }

  /**
   * Returns the mesh of a body that is shown by its pose, or of an arm's tool (`toolId`).
   * @param {number} body
   * @returns {Promise<Mesh>}
   */
  async shape(body) {
    const mesh = new Promise((resolve) => {
      this.#shapes.set(body, [...(this.#shapes.get(body) ?? []), resolve]);
    });
    await this.request("OpenShape", { body });
    return /** @type {Promise<Mesh>} */ (mesh);
  }

  /**
   * Opens the surface of a soft body, a cloth or a body of a crowd.
   * @param {number} body
   */
  openSurface(body) {
    return this.request("OpenSurface", { body });
  }

  /**
   * Opens the skin of an implicit body.
   * @param {number} body
   */
  openSkin(body) {
    return this.request("OpenSkin", { body });
  }

  /**
   * Adds a body; it stays until it is removed or the connection ends.
   * @param {Omit<layout.AddBody, "restitution" | "density_kg_m3"> & Partial<layout.AddBody>} body
   * @param {Mesh} mesh
   * @returns {Promise<layout.BodyAdded>} Its identity, and the triangles that are left of its mesh.
   */
  addBody(body, mesh) {
    const fields = { restitution: 0, density_kg_m3: 1000, ...body };
    return this.request("AddBody", fields, encodeMesh(mesh));
  }

  /**
   * Moves a kinematic body towards a pose, without waiting for the answer. The command holds for
   * `lease_ms`.
   * @param {layout.SetBodyPose} command
   */
  postBodyPose(command) {
    this.post("SetBodyPose", command);
  }

  /** Leaves in good order. */
  close() {
    if (this.isOpen) this.#send("Goodbye", {});
    this.#socket.close(1000);
  }
}

/**
 * Returns the identity of an arm's tool, for `shape` and in contacts.
 * @param {number} arm
 */
export function toolId(arm) {
  return 0xffffffff - arm;
}

/**
 * @param {number} kind
 * @param {number} arm
 * @param {number} body
 */
function key(kind, arm, body) {
  return `${kind} ${arm} ${body}`;
}

/**
 * Returns all numbers behind the first words; an odd number of them has one of nobody's behind.
 * @param {DataView} view
 * @param {number} words
 */
function floats(view, words) {
  const count = Math.floor((view.byteLength - 8 * words) / 12) * 3;
  return [new Float32Array(view.buffer, view.byteOffset + 8 * words, count)];
}
