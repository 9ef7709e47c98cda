// The script of requests with the answers that every client gets (`clients/conformance`), sent by
// the package in headless Chromium, over the real gateway to the real daemon.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, root, serve, until } from "./kit.mjs";

const folder = join(root, "clients/conformance");
const script = JSON.parse(readFileSync(join(folder, "script.json"), "utf8"));
/** What a step may say. A runner that does not know a word must not pass over it. */
const WORDS = new Set([
  ...["request", "fields", "mesh", "mesh_bytes", "repeat"],
  ...["answer", "gives", "keep", "descriptors", "values"],
]);

let browser;

before(async () => {
  browser = await launch();
});

after(async () => browser?.close());

/** In the page: connects, and keeps what the other functions need. */
async function connect(url) {
  const { Hapticd, Refused, DecodeError } = await import("/hapticd/index.js");
  const layout = await import("/hapticd/layout.js");
  const [address, token] = url.split("/#token=");
  const at = `${address.replace("http", "ws")}/v1`;
  const client = await Hapticd.connect({ url: at, token, name: "conformance" });
  const values = [];
  client.addEventListener("value", ({ detail }) => values.push(detail));
  const name = (codes, code) => Object.entries(codes).find(([, of]) => of === code)?.[0];
  /** A value of the script for a field of this type. */
  const given = (value, type) => {
    const [head, of, codes] = type.split(":");
    if (head === "list") return value.map((item) => record(layout.RECORDS[of], item, given));
    if (head === "code") return layout[codes][value];
    if (head === "u64") return BigInt(value);
    return value === "inf" ? Infinity : value;
  };
  /** A value of an answer as the script has it. */
  const said = (value, type) => {
    const [head, of, codes] = type.split(":");
    if (head === "list") return value.map((item) => record(layout.RECORDS[of], item, said));
    if (head === "code") return name(layout[codes], value);
    if (head === "u64") return Number(value);
    return value === Infinity ? "inf" : value;
  };
  const record = (table, fields, convert) => {
    const types = Object.fromEntries(table.fields);
    const converted = Object.entries(fields).map(([field, value]) => {
      return [field, convert(value, types[field])];
    });
    return Object.fromEntries(converted);
  };
  Object.assign(globalThis, { client, values, layout, given, said, record, Refused, DecodeError });
}

/** In the page: sends a request, and returns its answer as the script has it. */
async function send({ request, fields, file }) {
  const { client, layout, given, said, record, Refused, values } = globalThis;
  const table = layout.REQUESTS[request] ?? layout.GATEWAY_REQUESTS[request];
  if (table === undefined) return { name: `no request ${request}`, fields: {}, descriptors: 0 };
  values.length = 0;
  try {
    const attached = file && Uint8Array.from(file);
    const answer = await client.request(request, record(table, fields, given), attached);
    const name = table.answers[0];
    const { descriptors, ...of } = layout.REPLIES[name];
    const count = typeof descriptors === "number" ? descriptors : answer[descriptors].length;
    const reply = { name, fields: record(of, answer, said), descriptors: count };
    if (name !== "Shape") return reply;
    // What the descriptor holds comes behind the answer.
    const { positions, triangles } = await client.shape(answer.body);
    return { ...reply, descriptors: positions.length > 0 && triangles.length > 0 ? 1 : 0 };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, number, limit, detail } = error;
    const fields = record(layout.REPLIES.Error, { code, number, limit, detail }, said);
    return { name: "Error", fields, descriptors: 0 };
  }
}

/** In the page: whether a value of this kind came, and can be read. */
function valued(kind) {
  const { client, values, layout } = globalThis;
  const found = values.find((value) => value.kind === layout.BlockKind[kind]);
  if (!found) return false;
  const { arm, body } = found;
  switch (kind) {
    case "State":
      return client.state(arm).time_ns > 0n;
    case "Contacts":
      return Array.isArray(client.contacts(arm));
    case "Bodies":
      return client.bodyPoses().length > 0;
    case "Needle":
      return client.needle(arm).phase === layout.NeedlePhase.Absent;
    case "Surface":
      return client.surface(body).points.length > 0 && client.surface(body).triangles.length > 0;
    case "Skin":
      return client.skin(body).triangles.length > 0;
    default:
      throw new Error(`no value of ${kind} can be read`);
  }
}

/** In the page: leaves, and waits for the end. */
function leave() {
  const { client } = globalThis;
  const closed = new Promise((resolve) => client.addEventListener("close", resolve));
  client.close();
  return closed.then(() => {});
}

/** All steps, each as often as it is sent. */
function* repeated(steps) {
  for (const step of steps) {
    const [first, last] = step.repeat ?? [0, 0];
    for (let number = first; number <= last; number += 1) {
      const fields = Object.entries(step.fields ?? {}).map(([name, value]) => {
        return [name, typeof value === "string" ? value.replace("#", String(number)) : value];
      });
      yield { ...step, fields: Object.fromEntries(fields) };
    }
  }
}

/** The file that goes with a request. */
function content({ mesh, mesh_bytes = 0 }) {
  if (mesh === undefined) return undefined;
  const bytes = Buffer.from(script.meshes[mesh], "hex");
  const padding = Buffer.alloc(Math.max(0, mesh_bytes - bytes.length));
  return [...Buffer.concat([bytes, padding])];
}

/** Puts kept values in the place of their names. */
function resolved(value, kept) {
  if (typeof value === "string" && value.startsWith("$")) {
    assert(kept.has(value.slice(1)), value);
    return kept.get(value.slice(1));
  }
  if (Array.isArray(value)) return value.map((item) => resolved(item, kept));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [name, resolved(item, kept)]));
}

/** Compares what the script names; the rest of an answer is free. */
function compare(found, expected, where) {
  if (expected === null || typeof expected !== "object") {
    assert.equal(found, expected, where);
    return;
  }
  assert(found !== null && typeof found === "object", `${where}: ${found}`);
  for (const [name, value] of Object.entries(expected)) {
    compare(found[name], value, `${where}, ${name}`);
  }
}

/** Sends a step and compares its answer. */
async function play(page, step, kept, where) {
  const unknown = Object.keys(step).filter((word) => !WORDS.has(word));
  assert.deepEqual(unknown, [], where);
  const { request } = step;
  const fields = resolved(step.fields, kept);
  const answer = await page.evaluate(send, { request, fields, file: content(step) });
  assert.equal(answer.name, step.answer, `${where}: ${JSON.stringify(answer)}`);
  assert.equal(answer.descriptors, step.descriptors ?? 0, where);
  compare(answer.fields, resolved(step.gives ?? {}, kept), where);
  for (const [name, path] of Object.entries(step.keep ?? {})) {
    const value = path.split(".").reduce((of, part) => of[part], answer.fields);
    assert.notEqual(value, undefined, `${where}: ${path}`);
    kept.set(name, value);
  }
  for (const kind of step.values ?? []) {
    await until(`${where}: a value of ${kind}`, () => page.evaluate(valued, kind));
  }
}

for (const part of script.parts.filter(({ socket }) => socket !== "technician")) {
  test(`each step is answered as the script says: ${part.name}`, async (t) => {
    const served = await serve(join(folder, part.scene));
    t.after(() => served.end());
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    // The package's address: a module from there, without the gateway's own page.
    await page.goto(new URL("/hapticd/index.js", served.url).href);
    await page.evaluate(connect, served.url);
    const kept = new Map();
    let last;
    for (const step of repeated(part.steps)) {
      last = step;
      const where = `${step.request} ${JSON.stringify(step.fields)}`;
      if (step.answer !== null) await play(page, step, kept, where);
    }
    assert.equal(last.request, "Goodbye");
    await page.evaluate(leave);
    await until("the goodbye", () => served.log().includes("`conformance` said goodbye"));
    assert.equal(await served.end(), 0);
  });
}
