// @ts-check
/** The force of one arm over the last ten seconds. */

const SECONDS = 10;
const MAX_SAMPLES = 2400;

/** Samples and how they are drawn. */
export class Plot {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    /** @type {{ t: number, sent: number, wanted: number }[]} */
    this.samples = [];
    this.drawnAt = 0;
  }

  clear() {
    this.samples = [];
  }

  /**
   * @param {number} t Time of the tick, s.
   * @param {number} sent N
   * @param {number} wanted N
   */
  add(t, sent, wanted) {
    const last = this.samples.at(-1);
    if (last && t <= last.t) return;
    this.samples.push({ t, sent, wanted });
    while (this.samples.length > MAX_SAMPLES || (this.samples[0]?.t ?? t) < t - SECONDS) {
      this.samples.shift();
    }
  }

  /** Draws, at most 30 times a second. */
  draw() {
    const { canvas, samples } = this;
    if (performance.now() - this.drawnAt < 33) return;
    this.drawnAt = performance.now();
    const context = canvas.getContext("2d");
    if (!context) return;
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const color = (/** @type {string} */ name) => style.getPropertyValue(name);
    const most = samples.reduce((most, { sent, wanted }) => Math.max(most, sent, wanted), 0);
    const top = ceiling(most);
    const end = samples.at(-1)?.t ?? 0;
    const x = (/** @type {number} */ t) => width + ((t - end) / SECONDS) * width;
    const y = (/** @type {number} */ force) => height - 6 - (force / top) * (height - 24);

    context.strokeStyle = color("--line");
    context.fillStyle = color("--quiet");
    context.font = "11px system-ui, sans-serif";
    for (const part of [0, 0.5, 1]) {
      line(context, [0, y(top * part)], [width, y(top * part)]);
    }
    for (let second = 2; second < SECONDS; second += 2) {
      line(context, [x(end - second), 0], [x(end - second), height]);
    }
    context.fillText(`${top} N`, 6, y(top) - 4);
    context.textAlign = "right";
    context.fillText(`last ${SECONDS} s`, width - 6, y(top) - 4);

    context.lineJoin = "round";
    for (const [name, of] of /** @type {const} */ ([
      ["--asked", "wanted"],
      ["--sent", "sent"],
    ])) {
      context.strokeStyle = color(name);
      context.lineWidth = of === "sent" ? 1.8 : 1;
      context.beginPath();
      for (const sample of samples) context.lineTo(x(sample.t), y(sample[of]));
      context.stroke();
    }
  }
}

/**
 * The next of 1, 2, 5, 10, ...
 * @param {number} value
 */
function ceiling(value) {
  for (let step = 1; ; step *= 10) {
    for (const times of [1, 2, 5]) if (value <= step * times) return step * times;
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function line(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}
