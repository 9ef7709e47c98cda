// @ts-check
/**
 * The gateway's page: the scene live, an arm's force, and a box to push.
 *
 * The box is moved from frames and from values that arrive, and only while the page is visible: a
 * page that hangs or is hidden sends nothing, and the daemon lets its lease end.
 */

import {
  BlockKind,
  BodyKind,
  box as boxMesh,
  ForceOffReason,
  GovernorState,
  Hapticd,
  Refused,
  toolId,
  topic,
} from "../hapticd/index.js";
import { Plot } from "./plot.js";
import { View } from "./scene.js";

/** @typedef {import("../hapticd/layout.js").ArmInfo} ArmInfo */
/** @typedef {import("../hapticd/layout.js").Pose} Pose */

const EDGE_M = 0.04;
const SPEED_M_S = 0.12;
/** How far the box's target may be ahead of the box. */
const LEASH_M = 0.02;
const LEASE_MS = 300;
const COMMAND_MS = 50;
/** @type {Record<string, [number, number, number]>} */
const KEYS = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
};

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`#${id} is not there`);
  return found;
}

const canvas = element("scene", HTMLCanvasElement);
const addBox = element("add-box", HTMLButtonElement);
const removeBox = element("remove-box", HTMLButtonElement);
const enterVr = element("enter-vr", HTMLButtonElement);
const armChoice = element("arm", HTMLSelectElement);
const view = new View(canvas);
const plot = new Plot(element("plot", HTMLCanvasElement));

/** @type {Hapticd | null} */
let client = null;
/** @type {ArmInfo[]} */
let arms = [];
let arm = 0;
/** @type {{ body: number, pose: Pose, target: [number, number, number] } | null} */
let box = null;
/** @type {Set<string>} */
const pressed = new Set();
/** Where the box is held while it is dragged, from its centre. @type {{ x: number, y: number } | null} */
let held = null;
let lastMove = 0;
let lastCommand = 0;
let lastLine = { text: "", times: 0 };

/**
 * @param {string} text
 * @param {"good" | "bad" | ""} state
 */
function show(text, state) {
  lamp("link", text, state);
}

/**
 * @param {string} id
 * @param {string} text
 * @param {"good" | "bad" | ""} state
 */
function lamp(id, text, state) {
  const node = element(id, HTMLElement);
  if (node.textContent !== text) node.textContent = text;
  node.className = `lamp ${state}`;
}

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const node = element(id, HTMLElement);
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {string} text
 * @param {"bad" | ""} [kind]
 */
function log(text, kind = "") {
  const list = element("log", HTMLOListElement);
  if (text === lastLine.text && list.firstElementChild) {
    lastLine.times += 1;
    const [time] = (list.firstElementChild.textContent ?? "").split("  ");
    list.firstElementChild.textContent = `${time}  ${text} (${lastLine.times} times)`;
    return;
  }
  lastLine = { text, times: 1 };
  const line = document.createElement("li");
  const time = new Date().toLocaleTimeString("en-GB");
  line.textContent = `${time}  ${text}`;
  line.className = kind;
  list.prepend(line);
  while (list.childElementCount > 50) list.lastElementChild?.remove();
}

/** @param {unknown} error */
function complain(error) {
  log(error instanceof Error ? error.message : String(error), "bad");
}

/** The token comes in the address's last part, which no server sees, and leaves it at once. */
function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get("token");
  if (token !== null) {
    sessionStorage.setItem("token", token);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("token");
}

async function connect() {
  const token = takeToken();
  if (token === null) {
    show("no token", "bad");
    log("Open the address that `hapticd gateway` printed: its end is the token.", "bad");
    return;
  }
  const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1`;
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    show("connecting", "");
    try {
      const opened = await Hapticd.connect({ url, token, name: "browser" });
      wait = 250;
      const closed = new Promise((resolve) => {
        opened.addEventListener("close", (event) => resolve(/** @type {any} */ (event).detail));
      });
      await begin(opened);
      complain(await closed);
    } catch (error) {
      complain(error);
      log("If this goes on: is the daemon running? A new gateway has a new token.");
    }
    end();
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** @param {Hapticd} opened */
async function begin(opened) {
  client = opened;
  opened.addEventListener("event", (event) => heard(/** @type {CustomEvent} */ (event).detail));
  opened.addEventListener("value", (event) => value(/** @type {CustomEvent} */ (event).detail));
  opened.addEventListener("refused", (event) => refused(/** @type {CustomEvent} */ (event).detail));
  arms = await opened.listArms();
  armChoice.replaceChildren(...arms.map(({ name, index }) => new Option(name, String(index))));
  await opened.subscribe(255, topic.EVENTS | topic.BODIES);
  await chooseArm(arms.some(({ index }) => index === arm) ? arm : 0);
  await opened.setPushRates({ state_hz: 60, surface_hz: 30 });
  await list();
  if (document.hidden) await opened.request("SetFocus", { focused: false });
  addBox.disabled = false;
  show("live", "good");
}

/** @param {number} index */
async function chooseArm(index) {
  const info = arms.find((arm) => arm.index === index);
  if (!client || !info) return;
  arm = index;
  armChoice.value = String(index);
  plot.clear();
  view.hideArm();
  await client.subscribe(index, topic.STATE | topic.CONTACTS);
  const center = info.workspace_center_m.map((value, axis) => {
    return value * info.scale + (info.world_from_base[axis] ?? 0);
  });
  view.frame(center, Math.max(...info.workspace_half_extents_m) * info.scale);
  try {
    view.setShape(toolId(index), await client.shape(toolId(index)));
  } catch (error) {
    complain(error);
  }
}

function end() {
  client = null;
  box = null;
  addBox.disabled = true;
  removeBox.disabled = true;
  view.clear();
  view.hideArm();
  show("not connected", "bad");
  for (const id of ["force", "wanted", "contacts", "speed", "loop"]) write(id, "–");
  lamp("governor", "–", "");
  write("box-position", "");
}

/** Asks for all bodies and shows those that are new. */
async function list() {
  if (!client) return;
  const bodies = await client.listBodies();
  const known = new Set(bodies.map(({ body }) => body));
  for (const body of view.bodies.keys()) if (!known.has(body)) view.remove(body);
  const fresh = bodies.filter(({ body }) => !view.bodies.has(body));
  for (const { body, kind, owned } of fresh) {
    view.add(body, kind, owned);
    try {
      if (kind === BodyKind.Implicit) await client.openSkin(body);
      else if (kind >= BodyKind.Soft) await client.openSurface(body);
      else view.setShape(body, await client.shape(body));
    } catch (error) {
      // It may have gone since it was listed.
      if (!(error instanceof Refused)) throw error;
      view.remove(body);
    }
  }
}

/** @type {Promise<void>} */
let listing = Promise.resolve();

/** @param {{ name: string, fields: any }} event */
function heard({ name, fields }) {
  if (name === "BodyJoined" || name === "BodyLeft") {
    listing = listing.then(list).catch(complain);
    log(name === "BodyJoined" ? `${fields.name} came` : `body ${fields.body} left`);
  } else if (name === "ForceOff" || name === "ForceOn") {
    const who = arms.find(({ index }) => index === fields.arm)?.name ?? fields.arm;
    const why = ForceOffReason[fields.reason];
    log(name === "ForceOn" ? `${who}: force is on` : `${who}: force is off: ${why}`);
  } else if (name === "LeaseExpired") {
    log(`the lease of body ${fields.body} has ended`);
  } else if (name === "ClientSilent") {
    log(`nothing was sent for ${fields.silent_ms} ms: our box makes no force`);
  } else {
    log([name, fields.detail ?? ""].join(" "));
  }
}

/** @param {Refused} error */
function refused(error) {
  complain(error);
}

/** @param {{ kind: number, arm: number, body: number }} of */
function value({ kind, body }) {
  if (!client) return;
  if (kind === BlockKind.State) {
    sample();
    moveBox();
  }
  if (kind === BlockKind.Surface) {
    const surface = client.surface(body);
    if (surface) view.setPoints(body, surface);
  } else if (kind === BlockKind.Skin) {
    const skin = client.skin(body);
    if (skin) view.setPoints(body, skin);
  }
}

/** @param {readonly number[]} vector */
const length = (vector) => Math.hypot(...vector);

function sample() {
  const state = client?.state(arm);
  if (!state) return;
  plot.add(Number(state.time_ns) / 1e9, length(state.force_n), length(state.wanted_force_n));
}

function showState() {
  const state = client?.state(arm);
  if (!client || !state) return;
  view.setPoses(client.bodyPoses());
  view.setArm(state, client.contacts(arm));
  write("force", length(state.force_n).toFixed(2));
  write("wanted", `${length(state.wanted_force_n).toFixed(2)} N`);
  write("contacts", String(state.contacts));
  write("speed", `${(1000 * length(state.linear_velocity_m_s)).toFixed(0)} mm/s`);
  const skipped = client.skipped ? `, ${client.skipped} values skipped` : "";
  write("loop", `tick ${state.tick}, ${state.missed_ticks} missed${skipped}`);
  const reason = state.reason ? `: ${ForceOffReason[state.reason] ?? state.reason}` : "";
  const [text, lamp_] = governor(state.governor);
  lamp("governor", text + reason, lamp_);
}

/**
 * @param {number} code
 * @returns {[string, "good" | "bad" | ""]}
 */
function governor(code) {
  switch (code) {
    case GovernorState.Active:
      return ["Force is on", "good"];
    case GovernorState.Ramping:
      return ["Force is rising", "good"];
    case GovernorState.WaitingSmallForce:
      return ["Waits until the wanted force is small", ""];
    case GovernorState.Fading:
      return ["Force is falling", ""];
    case GovernorState.Fault:
      return ["Force is off", "bad"];
    default:
      return ["No force is asked for", ""];
  }
}

addBox.addEventListener("click", async () => {
  if (!client) return;
  const state = client.state(arm);
  const z = state ? state.world_from_proxy[2] : 0.05;
  const { x, y } = view.target;
  const pose = /** @type {Pose} */ ([x - 0.09, y - 0.05, Math.max(z, 0.04), 0, 0, 0, 1]);
  addBox.disabled = true;
  try {
    const material = { stiffness_n_per_m: 600, damping_n_s_per_m: 1, friction: 0.4 };
    const { body } = await client.addBody(
      {
        name: `box ${crypto.randomUUID().slice(0, 8)}`,
        world_from_body: pose,
        kind: BodyKind.Kinematic,
        solid: true,
        ...material,
      },
      boxMesh(EDGE_M, EDGE_M, EDGE_M),
    );
    const [x, y, z] = pose;
    box = { body, pose, target: [x, y, z] };
    removeBox.disabled = false;
    canvas.focus();
  } catch (error) {
    complain(error);
    addBox.disabled = false;
  }
});

removeBox.addEventListener("click", async () => {
  if (!client || !box) return;
  const { body } = box;
  box = null;
  removeBox.disabled = true;
  write("box-position", "");
  try {
    await client.request("RemoveBody", { body });
  } catch (error) {
    complain(error);
  }
  addBox.disabled = false;
});

/** Moves the box's target by the keys, and sends it on. */
function moveBox() {
  const seconds = Math.min((performance.now() - lastMove) / 1000, 0.1);
  lastMove = performance.now();
  const isSeen = !document.hidden || view.renderer.xr.isPresenting;
  if (!client?.isOpen || !box || !isSeen) return;
  const { body } = box;
  const found = client.bodyPoses().find((pose) => pose.body === body);
  if (found) box.pose = found.world_from_body;
  for (const key of pressed) {
    const direction = KEYS[key];
    direction?.forEach((step, axis) => {
      if (box) box.target[axis] = (box.target[axis] ?? 0) + step * SPEED_M_S * seconds;
    });
  }
  // A box that a tool stops does not run after a target far away once it is free.
  const [x, y, z, ...rotation] = box.pose;
  const ahead = box.target.map((value, axis) => value - ([x, y, z][axis] ?? 0));
  const shorter = held ? 1 : Math.min(1, LEASH_M / Math.max(length(ahead), 1e-9));
  const target = [x, y, z].map((value, axis) => value + (ahead[axis] ?? 0) * shorter);
  if (!held) box.target = /** @type {[number, number, number]} */ (target);
  write("box-position", `at ${[x, y, z].map((part) => (1000 * part).toFixed(1)).join(", ")} mm`);
  const now = performance.now();
  if (now - lastCommand < COMMAND_MS) return;
  lastCommand = now;
  const world_from_body = /** @type {Pose} */ ([...target, ...rotation]);
  client.postBodyPose({ world_from_body, speed_m_s: 2 * SPEED_M_S, body, lease_ms: LEASE_MS });
}

view.renderer.setAnimationLoop(() => {
  showState();
  moveBox();
  view.draw();
  plot.draw();
});

armChoice.addEventListener("change", () => {
  chooseArm(Number(armChoice.value)).catch(complain);
});

window.addEventListener("keydown", (event) => {
  if (!(event.key in KEYS) || event.target instanceof HTMLSelectElement) return;
  pressed.add(event.key);
  event.preventDefault();
});
window.addEventListener("keyup", (event) => pressed.delete(event.key));
window.addEventListener("blur", () => pressed.clear());

document.addEventListener("visibilitychange", () => {
  pressed.clear();
  held = null;
  if (client?.isOpen) client.post("SetFocus", { focused: !document.hidden });
});

/** @param {PointerEvent | WheelEvent} event */
function onCanvas(event) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const x = (2 * (event.clientX - left)) / width - 1;
  return { x, y: 1 - (2 * (event.clientY - top)) / height };
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  canvas.focus();
  const { x, y } = onCanvas(event);
  const hit = view.pick(x, y);
  held = null;
  if (box && hit?.body === box.body) {
    const at = view.onPlane(x, y, box.pose[2]);
    if (at) held = { x: at.x - box.pose[0], y: at.y - box.pose[1] };
  }
});
canvas.addEventListener("pointermove", (event) => {
  if (!canvas.hasPointerCapture(event.pointerId)) return;
  if (held && box) {
    const { x, y } = onCanvas(event);
    const at = view.onPlane(x, y, box.pose[2]);
    if (at) box.target = [at.x - held.x, at.y - held.y, box.target[2]];
  } else {
    view.turn.around -= 0.006 * event.movementX;
    const up = view.turn.up + 0.006 * event.movementY;
    view.turn.up = Math.min(Math.max(up, -0.2), 1.5);
  }
});
canvas.addEventListener("pointerup", () => {
  held = null;
});
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    view.distance = Math.min(Math.max(view.distance * Math.exp(0.001 * event.deltaY), 0.05), 10);
  },
  { passive: false },
);

/** Offers a headset where there is one. */
async function offerVr() {
  const { xr } = navigator;
  if (!xr || !(await xr.isSessionSupported("immersive-vr"))) return;
  enterVr.hidden = false;
  enterVr.addEventListener("click", async () => {
    try {
      const session = await xr.requestSession("immersive-vr", {
        optionalFeatures: ["local-floor"],
      });
      view.setPresenting(true);
      session.addEventListener("end", () => view.setPresenting(false));
      await view.renderer.xr.setSession(session);
    } catch (error) {
      complain(error);
    }
  });
}

/** For those who look from outside, such as a test. */
Object.assign(globalThis, {
  hapticdPage: {
    boxOnScreen: () => box && view.onScreen(box.pose),
    bodies: () => view.bodies.size,
    isPresenting: () => view.renderer.xr.isPresenting,
  },
});

offerVr().catch(complain);
connect().catch(complain);
