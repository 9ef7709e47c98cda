// The page in headless Chromium, with the real gateway and the real daemon. HAPTICD and GATEWAY are
// the programs, CHROMIUM the browser; screenshots go to the folder SHOTS.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, PATIENCE_MS, root, serve, stopped, until } from "./kit.mjs";

const { SHOTS } = process.env;
assert(SHOTS, "SHOTS must be set");

let browser;

before(async () => {
  browser = await launch();
});

after(async () => browser?.close());

/** A daemon with a scene, a gateway, and the page. */
async function open(t, configuration, script) {
  const served = await serve(join(root, "config", configuration));
  const context = await browser.newContext({
    viewport: { width: 1100, height: 700 },
  });
  const page = await context.newPage();
  if (script) await page.addInitScript(script);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  t.after(async () => {
    await context.close();
    await served.end();
  });
  await page.goto(served.url, { timeout: PATIENCE_MS });
  return { page, url: served.url, gateway: served.gateway, problems };
}

const text = (page, id) => page.locator(`#${id}`).textContent();
const number = async (page, id) => Number.parseFloat(await text(page, id));
const position = async (page) => {
  const found = (await text(page, "box-position")).match(/-?[\d.]+/g);
  return found && found.map(Number);
};

test("the scene is live and a force is plotted when the hand touches", async (t) => {
  const { page, url, problems } = await open(t, "demo.toml");
  await until("live", async () => (await text(page, "link")) === "live");
  assert(!page.url().includes("token"), page.url());
  assert(url.includes("#token="));
  await until("a force", async () => (await number(page, "force")) > 0.3);
  await until("a contact", async () => (await number(page, "contacts")) > 0);
  const first = await text(page, "loop");
  await until("later ticks", async () => (await text(page, "loop")) !== first);
  // Ten seconds of the plot, as far as the clock goes.
  await page.waitForTimeout(6000);
  await page.screenshot({ path: join(SHOTS, "terrain.png") });
  assert.deepEqual(problems, []);
});

test("keys and the mouse move the box, and it goes when it is removed", async (t) => {
  const { page, problems } = await open(t, "demo.toml");
  await until("live", async () => (await text(page, "link")) === "live");
  await page.click("#add-box");
  const start = await until("the box", () => position(page));
  await page.keyboard.down("ArrowUp");
  const moved = await until("a move", async () => {
    const now = await position(page);
    return now[1] > start[1] + 15 && now;
  });
  await page.keyboard.up("ArrowUp");
  assert(Math.abs(moved[0] - start[0]) < 1 && Math.abs(moved[2] - start[2]) < 1, String(moved));
  await page.keyboard.down("PageUp");
  await until("a rise", async () => (await position(page))[2] > start[2] + 10);
  await page.keyboard.up("PageUp");
  await page.screenshot({ path: join(SHOTS, "box.png") });

  // Where the page draws the box, it can be dragged; elsewhere the view turns.
  const before = await position(page);
  const at = await page.evaluate(() => globalThis.hapticdPage.boxOnScreen());
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 60, at.y, { steps: 5 });
  await until("a drag", async () => {
    const now = await position(page);
    return Math.hypot(now[0] - before[0], now[1] - before[1]) > 10;
  });
  await page.mouse.up();
  const bodies = () => page.evaluate(() => globalThis.hapticdPage.bodies());
  assert.equal(await bodies(), 3);
  await page.click("#remove-box");
  await until("the end of the box", async () => (await bodies()) === 2);
  assert.deepEqual(problems, []);
});

for (const scene of ["cloth", "coil", "crowd"]) {
  test(`what deforms is drawn as it moves: ${scene}`, async (t) => {
    const { page, problems } = await open(t, `${scene}.toml`);
    await until("live", async () => (await text(page, "link")) === "live");
    const triangles = () => page.evaluate(() => {
      return Number(document.getElementById("scene").dataset.triangles);
    });
    // The tools are 2,560, the arrow and the contacts some hundred.
    await until("the scene", async () => (await triangles()) > 4500);
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(SHOTS, `${scene}.png`) });
    assert.deepEqual(problems, []);
  });
}

test("without the token nothing is shown, and the page says what to do", async (t) => {
  const { page, url } = await open(t, "demo.toml");
  await until("live", async () => (await text(page, "link")) === "live");
  // Another tab has no part of this one's.
  const other = await page.context().newPage();
  await other.goto(url.split("#")[0]);
  await until("a word", async () => (await text(other, "link")) === "no token");
  assert.match(await text(other, "log"), /hapticd gateway/);
  const wrong = await page.context().newPage();
  await wrong.goto(`${url.slice(0, -4)}AAAA`);
  await until("a refusal", async () => (await text(wrong, "log")).includes("new token"));
});

test("a page whose gateway dies says so", async (t) => {
  const { page, gateway } = await open(t, "demo.toml");
  await until("live", async () => (await text(page, "link")) === "live");
  await stopped(gateway);
  await until("the end", async () => (await text(page, "link")) !== "live");
  assert.equal(await text(page, "force"), "–");
});

test("a headset is offered where there is one, and shows the same scene", async (t) => {
  const iwer = fileURLToPath(new URL("../node_modules/iwer/build/iwer.min.js", import.meta.url));
  const script = `${readFileSync(iwer, "utf8")}
    const device = new IWER.XRDevice(IWER.metaQuest3);
    device.installRuntime({ forceInstall: true });
    globalThis.headset = device;`;
  const { page, problems } = await open(t, "demo.toml", script);
  await until("live", async () => (await text(page, "link")) === "live");
  await until("the offer", () => page.isVisible("#enter-vr"));
  await page.click("#enter-vr");
  await until("a session", () => page.evaluate(() => globalThis.hapticdPage.isPresenting()));
  const first = await text(page, "loop");
  await until("frames in the headset", async () => (await text(page, "loop")) !== first);
  await page.screenshot({ path: join(SHOTS, "headset.png") });
  assert.deepEqual(problems, []);
});
