// Headless Chromium, the real daemon and the real gateway: HAPTICD and GATEWAY are the programs,
// CHROMIUM the browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const { HAPTICD, GATEWAY, CHROMIUM = "/usr/bin/chromium" } = process.env;
assert(HAPTICD && GATEWAY, "HAPTICD and GATEWAY must be set");
/** A hang becomes a failure. */
export const PATIENCE_MS = 60_000;
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A browser without a screen. */
export function launch() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
    ],
  });
}

/** Ends a program; returns its exit status. */
export async function stopped(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await exit;
  }
  return child.exitCode;
}

export async function until(what, found) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A daemon with a scene, and a gateway before it. */
export async function serve(configuration) {
  const folder = mkdtempSync(join(tmpdir(), "hapticd-page-"));
  const log = openSync(join(folder, "log"), "w");
  const daemon = spawn(HAPTICD, ["run", configuration, "--plain"], {
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
    stdio: ["ignore", log, log],
  });
  const socket = join(folder, "hapticd/app.sock");
  await until("the daemon's socket", () => existsSync(socket));
  const gateway = spawn(GATEWAY, ["--listen", "127.0.0.1:0", "--socket", socket], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: gateway.stdout });
  const url = await new Promise((resolve) => lines.once("line", resolve));
  return {
    url,
    gateway,
    log: () => readFileSync(join(folder, "log"), "utf8"),
    /** Ends both; returns the exit status of the daemon. */
    async end() {
      await stopped(gateway);
      const status = await stopped(daemon);
      rmSync(folder, { recursive: true, force: true });
      return status;
    },
  };
}
