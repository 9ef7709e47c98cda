// The codec against the golden file, which the daemon's own crate has written.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode, DecodeError, encode, encodeTable, readWords } from "../hapticd/codec.js";
import * as frames from "../hapticd/frames.js";
import { Hapticd } from "../hapticd/index.js";
import * as layout from "../hapticd/layout.js";
import { box, decodeMesh, encodeMesh } from "../hapticd/mesh.js";

const golden = JSON.parse(readFileSync(new URL("../../protocol/golden.json", import.meta.url)));
const ID = BigInt(golden.id);
const TABLES = {
  requests: layout.REQUESTS,
  replies: layout.REPLIES,
  events: layout.EVENTS,
  gateway_requests: layout.GATEWAY_REQUESTS,
  gateway_messages: layout.GATEWAY_MESSAGES,
};
const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
const hex = (array) => Buffer.from(array).toString("hex");

/** A decoded value as the golden file writes it. */
function plain(value) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { Infinity: "inf", "-Infinity": "-inf", NaN: "NaN" }[value];
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, plain(of)]));
  }
  return value;
}

/** The way back, as far as the codec needs it: texts of numbers are numbers. */
function rich(value, type) {
  if (Array.isArray(value)) return value.map((of) => rich(of));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, rich(of)]));
  }
  return value === "inf" ? Infinity : value;
}

for (const [direction, table] of Object.entries(TABLES)) {
  test(`every golden packet of the ${direction} reads and writes`, () => {
    assert.deepEqual(golden[direction].map(({ name }) => name), Object.keys(table));
    for (const { name, packet, fields } of golden[direction]) {
      assert.equal(hex(encodeTable(table[name], rich(fields), ID)), packet, name);
      if (direction.endsWith("requests")) {
        assert.equal(hex(encode(name, rich(fields), ID)), packet, name);
        continue;
      }
      const read = decode(bytes(packet).buffer);
      assert.deepEqual({ ...read, fields: plain(read.fields) }, {
        name,
        kind: table[name].kind,
        id: ID,
        fields,
        end: packet.length / 2,
      });
      for (let length = 0; length < packet.length / 2; length += 1) {
        const cut = bytes(packet).slice(0, length);
        assert.throws(() => decode(cut.buffer), DecodeError, name);
        if (length < 8) continue;
        new DataView(cut.buffer).setUint32(4, length, true);
        assert.throws(() => decode(cut.buffer), DecodeError, name);
      }
    }
  });
}

test("every golden block reads", () => {
  for (const { name, payload, fields } of golden.blocks) {
    const block = Object.values(layout.BLOCKS).find((block) => block.name === name);
    const view = new DataView(bytes(payload).buffer);
    const { list, ...head } = fields;
    const read = readWords(block.payload, view);
    if (!list) {
      assert.deepEqual(plain(read), head);
      continue;
    }
    assert.equal(Number(read.count), list.length);
    list.forEach((element, index) => {
      const of = block.list.of;
      const word = layout.WORDS[block.payload].words + layout.WORDS[of].words * index;
      assert.deepEqual(plain(readWords(of, view, word)), element);
    });
    assert.throws(() => readWords(block.payload, new DataView(new ArrayBuffer(16))), DecodeError);
  }
});

test("damaged packets are refused or are messages, and nothing else is thrown", () => {
  // Always the same numbers.
  let seed = 1;
  const random = (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  const packets = [...golden.replies, ...golden.events, ...golden.gateway_messages];
  let refused = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const packet = bytes(packets[random(packets.length)].packet);
    for (let count = random(4); count >= 0; count -= 1) {
      packet[random(packet.length)] = random(256);
    }
    try {
      decode(packet.buffer);
    } catch (error) {
      assert(error instanceof DecodeError, String(error));
      refused += 1;
    }
  }
  assert(refused > 5_000, String(refused));
});

test("fields that are missing or do not fit are refused before anything is sent", () => {
  const moved = { world_from_body: [0, 0, 0, 0, 0, 0, 1], speed_m_s: 1, body: 1, lease_ms: 1 };
  assert.equal(encode("SetBodyPose", moved, 1n).length, 16 + 72);
  assert.throws(() => encode("SetBodyPose", { ...moved, body: undefined }, 1n), /`body`/);
  assert.throws(() => encode("SetBodyPose", { ...moved, world_from_body: [1] }, 1n), RangeError);
  assert.throws(() => encode("Nothing", {}, 1n), /`Nothing`/);
  const hello = { magic: 1n, major: 3, minor: 0, features: 0 };
  assert.throws(() => encode("Hello", { ...hello, name: "é".repeat(32) }, 1n), RangeError);
});

/** What the client sees of a WebSocket. */
class Socket extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  closed = [];
  send() {}
  close(code) {
    this.closed.push(code);
  }
  comes(name, fields, id) {
    const data = encodeTable(layout.REPLIES[name], fields, id).buffer;
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

test("an answer of a kind that the request does not have ends the connection", async () => {
  globalThis.WebSocket ??= Socket;
  const socket = new Socket();
  const client = new Hapticd(socket);
  const halted = client.request("HaltBody", { body: 1 });
  socket.comes("Done", {}, 1n);
  assert.deepEqual([await halted, socket.closed], [{}, []]);
  const arms = client.request("ListArms", {});
  socket.comes("Done", {}, 2n);
  await assert.rejects(arms, /`ListArms` was answered by `Done`/);
  assert.deepEqual(socket.closed, [4000]);
});

test("what is attached stands behind the message, and the header says the message's length", () => {
  const attached = Uint8Array.from({ length: 1000 }, (_, index) => index & 255);
  const packet = encode("RemoveBody", { body: 7 }, 9n, attached);
  assert.equal(packet.length, 24 + 1000);
  assert.equal(new DataView(packet.buffer).getUint32(4, true), 24);
  assert.deepEqual(packet.subarray(24), attached);
});

test("a mesh reads back, and a box is closed and outward", () => {
  const mesh = box(1, 2, 3);
  const file = encodeMesh(mesh);
  assert.deepEqual(decodeMesh(file.buffer), mesh);
  const { positions, triangles } = mesh;
  const corner = (index) => positions.subarray(3 * index, 3 * index + 3);
  const edges = new Set();
  let volume = 0;
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = triangles.subarray(at, at + 3);
    for (const edge of [[a, b], [b, c], [c, a]]) edges.add(String(edge));
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [a, b, c].map(corner);
    volume += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  }
  assert.equal(volume / 6, 6);
  assert.equal(edges.size, triangles.length);
  for (const edge of edges) assert(edges.has(edge.split(",").reverse().join(",")), edge);
  for (const [at, value] of [[0, 1], [8, 2], [12, 5], [16, 9], [20, 13], [file.length - 4, 8]]) {
    const damaged = file.slice();
    damaged[at] = value;
    assert.throws(() => decodeMesh(damaged.buffer), DecodeError, String(at));
  }
});

/** Turns a vector by a quaternion. */
function turned([x, y, z, w], [a, b, c]) {
  const [p, q, r] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  const s = 2;
  return [a + s * (y * r - z * q), b + s * (z * p - x * r), c + s * (x * q - y * p)];
}

test("frames: there and back, up stays up, and a turned vector converts to the turned vector", () => {
  const near = (one, two) => one.forEach((value, at) => assert(Math.abs(value - two[at]) < 1e-12));
  const vector = [0.3, -1.2, 2.5];
  const length = Math.hypot(1, 2, 3, 4);
  const quaternion = [1, -2, 3, 4].map((part) => part / length);
  assert.deepEqual(frames.vectorToYUp([0, 0, 1]), [0, 1, -0]);
  near(frames.vectorToZUp(frames.vectorToYUp(vector)), vector);
  near(frames.quaternionToZUp(frames.quaternionToYUp(quaternion)), quaternion);
  const converted = frames.quaternionToYUp(quaternion);
  const before = frames.vectorToYUp(turned(quaternion, vector));
  near(before, turned(converted, frames.vectorToYUp(vector)));
  near(frames.vectorToYUp(vector), turned(frames.Y_UP_FROM_Z_UP, vector));
});
