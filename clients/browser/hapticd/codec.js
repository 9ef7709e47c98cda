// @ts-check
/**
 * Messages and blocks to and from bytes, by the tables of the layout alone.
 *
 * Decoding checks lengths, kinds, zero bytes and texts, and throws a `DecodeError` that names the
 * field. Nothing here knows a message by name.
 * @module
 */

import * as layout from "./layout.js";

/** @typedef {{ kind: number, descriptors: number | string, fields: readonly (readonly [string, string])[], reserved: number }} MessageTable */
/** @typedef {Record<string, any>} Fields */

/** Bytes that are no message of the protocol; the sender's fault. */
export class DecodeError extends Error {}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true });

/** Bytes of numbers. @type {Record<string, number>} */
const BYTES = { u8: 1, u16: 2, u32: 4, u64: 8, bool: 1, f64: 8, positive: 8, limit: 8 };

/** All messages that come from daemon and gateway, by kind. */
const INCOMING = new Map(
  [layout.REPLIES, layout.EVENTS, layout.GATEWAY_MESSAGES].flatMap((table) =>
    Object.entries(table).map(([name, message]) => [message.kind, { name, message }]),
  ),
);

/** @type {Record<string, MessageTable>} */
const OUTGOING = { ...layout.REQUESTS, ...layout.GATEWAY_REQUESTS };

/** Writes values one behind the other. */
class Writer {
  constructor() {
    this.bytes = new Uint8Array(256);
    this.view = new DataView(this.bytes.buffer);
    this.length = 0;
  }

  /**
   * Makes room for more bytes, which are zero.
   * @param {number} count
   * @returns {number} Where they begin.
   */
  grow(count) {
    const start = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return start;
  }

  /**
   * @param {string} type
   * @param {any} value
   */
  number(type, value) {
    const at = this.grow(/** @type {number} */ (BYTES[type]));
    switch (type) {
      case "u8":
        return this.view.setUint8(at, value);
      case "u16":
        return this.view.setUint16(at, value, true);
      case "u32":
        return this.view.setUint32(at, value, true);
      case "u64":
        return this.view.setBigUint64(at, BigInt(value), true);
      case "bool":
        return this.view.setUint8(at, value ? 1 : 0);
      default:
        return this.view.setFloat64(at, value, true);
    }
  }

  /**
   * @param {string} value
   * @param {number} bytes
   */
  text(value, bytes) {
    const encoded = ENCODER.encode(value);
    if (encoded.length >= bytes || encoded.includes(0)) {
      throw new RangeError(`a text of ${encoded.length} bytes, ${bytes - 1} without zeros fit`);
    }
    const at = this.grow(bytes);
    this.bytes.set(encoded, at);
  }
}

/** Reads values one behind the other. */
class Reader {
  /** @param {DataView} view */
  constructor(view) {
    this.view = view;
    this.at = 0;
  }

  /**
   * @param {number} count
   * @param {string} field
   */
  take(count, field) {
    const start = this.at;
    this.at += count;
    if (this.at > this.view.byteLength) {
      throw new DecodeError(`the body ends before \`${field}\` does`);
    }
    return start;
  }

  /**
   * @param {string} type
   * @param {string} field
   * @returns {any}
   */
  number(type, field) {
    const at = this.take(/** @type {number} */ (BYTES[type]), field);
    return numberAt(this.view, at, type);
  }

  /**
   * @param {number} bytes
   * @param {string} field
   */
  text(bytes, field) {
    const at = this.view.byteOffset + this.take(bytes, field);
    const raw = new Uint8Array(this.view.buffer, at, bytes);
    const end = raw.indexOf(0);
    if (end < 0 || raw.subarray(end).some((byte) => byte !== 0)) {
      throw new DecodeError(`\`${field}\` does not end with zeros`);
    }
    try {
      return DECODER.decode(raw.subarray(0, end));
    } catch {
      throw new DecodeError(`\`${field}\` is not UTF-8`);
    }
  }

  /** @param {number} count */
  zeros(count) {
    const at = this.view.byteOffset + this.take(count, "reserved");
    if (new Uint8Array(this.view.buffer, at, count).some((byte) => byte !== 0)) {
      throw new DecodeError("reserved bytes are not zero");
    }
  }
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {string} type
 * @returns {any}
 */
function numberAt(view, at, type) {
  switch (type) {
    case "u8":
      return view.getUint8(at);
    case "u16":
      return view.getUint16(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "u64":
      return view.getBigUint64(at, true);
    case "bool":
      return (view.getUint8(at) & 1) === 1;
    default:
      return view.getFloat64(at, true);
  }
}

/**
 * @param {Writer} out
 * @param {string} type
 * @param {any} value
 */
function put(out, type, value) {
  const [head = "", of = "", max = ""] = type.split(":");
  const [item = "", count] = head.split("*");
  if (head === "pose" || count !== undefined) {
    const length = head === "pose" ? 7 : Number(count);
    if (value.length !== length) {
      throw new RangeError(`${value.length} numbers instead of ${length}`);
    }
    for (const number of value) out.number(head === "pose" ? "f64" : item, number);
  } else if (head === "name") {
    out.text(value, 64);
  } else if (head === "text") {
    out.text(value, Number(of));
  } else if (head === "code") {
    out.number(of, value);
  } else if (head === "list") {
    if (value.length > Number(max)) throw new RangeError(`more than ${max} elements`);
    out.number("u32", value.length);
    out.grow(4);
    for (const element of value) putRecord(out, record(of), element);
  } else {
    out.number(head, value);
  }
}

/**
 * @param {Reader} input
 * @param {string} type
 * @param {string} field
 * @returns {any}
 */
function take(input, type, field) {
  const [head = "", of = "", max = ""] = type.split(":");
  const [item = "", count] = head.split("*");
  if (head === "pose") return numbers(7, () => input.number("f64", field));
  if (count !== undefined) return numbers(Number(count), () => input.number(item, field));
  if (head === "name") return input.text(64, field);
  if (head === "text") return input.text(Number(of), field);
  if (head === "code") return input.number(of, field);
  if (head === "list") {
    const length = input.number("u32", field);
    input.zeros(4);
    if (length > Number(max)) throw new DecodeError(`\`${field}\` has ${length} elements`);
    return numbers(length, () => takeRecord(input, record(of)));
  }
  if (head === "bool") {
    const value = input.number("u8", field);
    if (value > 1) throw new DecodeError(`\`${field}\` is ${value}, and must be 0 or 1`);
    return value === 1;
  }
  return input.number(head, field);
}

/**
 * @param {number} count
 * @param {() => any} next
 */
function numbers(count, next) {
  return Array.from({ length: count }, next);
}

/** @param {string} name */
function record(name) {
  return /** @type {Record<string, Pick<MessageTable, "fields" | "reserved">>} */ (layout.RECORDS)[
    name
  ];
}

/**
 * @param {Writer} out
 * @param {Pick<MessageTable, "fields" | "reserved"> | undefined} table
 * @param {Fields} values
 */
function putRecord(out, table, values) {
  if (table === undefined) throw new RangeError("there is no such structure");
  for (const [name, type] of table.fields) {
    if (values[name] === undefined) throw new RangeError(`\`${name}\` is missing`);
    put(out, type, values[name]);
  }
  out.grow(table.reserved);
}

/**
 * @param {Reader} input
 * @param {Pick<MessageTable, "fields" | "reserved"> | undefined} table
 * @returns {Fields}
 */
function takeRecord(input, table) {
  if (table === undefined) throw new DecodeError("there is no such structure");
  /** @type {Fields} */
  const values = {};
  for (const [name, type] of table.fields) values[name] = take(input, type, name);
  input.zeros(table.reserved);
  return values;
}

/**
 * Returns a request's bytes, and `attached` behind them.
 * @param {string} name
 * @param {Fields} fields
 * @param {bigint} id
 * @param {Uint8Array} [attached]
 * @returns {Uint8Array<ArrayBuffer>}
 * @throws {RangeError} For a field that is missing or does not fit.
 */
export function encode(name, fields, id, attached) {
  const table = OUTGOING[name];
  if (table === undefined) throw new RangeError(`there is no request \`${name}\``);
  return encodeTable(table, fields, id, attached);
}

/**
 * The same for any message, such as those of the daemon in a test.
 * @param {MessageTable} table
 * @param {Fields} fields
 * @param {bigint} id
 * @param {Uint8Array} [attached]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encodeTable(table, fields, id, attached = new Uint8Array(0)) {
  const out = new Writer();
  out.number("u16", table.kind);
  const { descriptors } = table;
  out.number("u8", typeof descriptors === "number" ? descriptors : fields[descriptors].length);
  out.grow(5);
  out.number("u64", id);
  putRecord(out, table, fields);
  const { length } = out;
  out.view.setUint32(4, length, true);
  const at = out.grow(attached.length);
  out.bytes.set(attached, at);
  return out.bytes.slice(0, out.length);
}

/**
 * Reads what came in a frame: a message, and where the bytes behind it begin.
 * @param {ArrayBuffer} frame
 * @returns {{ name: string, kind: number, id: bigint, fields: Fields, end: number }}
 * @throws {DecodeError}
 */
export function decode(frame) {
  if (frame.byteLength < layout.HEADER_BYTES) {
    throw new DecodeError(`${frame.byteLength} bytes are no message`);
  }
  const header = new DataView(frame, 0, layout.HEADER_BYTES);
  const kind = header.getUint16(0, true);
  const length = header.getUint32(4, true);
  const found = INCOMING.get(kind);
  if (found === undefined) throw new DecodeError(`there is no message of kind ${kind}`);
  if (length < layout.HEADER_BYTES || length > frame.byteLength || header.getUint8(3) !== 0) {
    throw new DecodeError(`a header of ${length} bytes in a frame of ${frame.byteLength}`);
  }
  const { HEADER_BYTES } = layout;
  const input = new Reader(new DataView(frame, HEADER_BYTES, length - HEADER_BYTES));
  const fields = takeRecord(input, found.message);
  if (input.at !== input.view.byteLength) {
    throw new DecodeError(`${input.view.byteLength - input.at} bytes behind the last field`);
  }
  return { name: found.name, kind, id: header.getBigUint64(8, true), fields, end: length };
}

/**
 * Reads a structure at fixed places of words.
 * @param {string} name
 * @param {DataView} view
 * @param {number} [word] Index of its first word.
 * @returns {Fields}
 * @throws {DecodeError} If the words end before it does.
 */
export function readWords(name, view, word = 0) {
  const table = /** @type {Record<string, { words: number, fields: any[][] }>} */ (layout.WORDS)[
    name
  ];
  if (table === undefined || (word + table.words) * 8 > view.byteLength) {
    throw new DecodeError(`\`${name}\` does not fit into ${view.byteLength} bytes`);
  }
  /** @type {Fields} */
  const values = {};
  for (const [field, first, bit, type] of table.fields) {
    const at = (word + first) * 8 + bit / 8;
    values[field] = wordsAt(view, at, type);
  }
  return values;
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {string} type
 * @returns {any}
 */
function wordsAt(view, at, type) {
  if (type.startsWith("words:")) return readWords(type.slice(6), view, at / 8);
  if (type === "pose") return floatsAt(view, at, 7);
  const star = type.indexOf("*");
  if (star > 0) return floatsAt(view, at, Number(type.slice(star + 1)));
  return numberAt(view, at, type);
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {number} count
 */
function floatsAt(view, at, count) {
  const values = new Array(count);
  for (let index = 0; index < count; index += 1) {
    values[index] = view.getFloat64(at + 8 * index, true);
  }
  return values;
}
