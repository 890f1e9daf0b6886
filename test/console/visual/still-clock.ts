/**
 * Preloaded into a process (`NODE_OPTIONS=--import …`) whose pages are compared with pictures: its wall clock
 * stands still at STILL_CLOCK_MS, in Unix milliseconds. With STILL_CLOCK_STEP_MS it moves so far with every
 * look at it, so that what is made later is later. Timers go on.
 */
const stepMs = Number(process.env["STILL_CLOCK_STEP_MS"] ?? 0);
let nowMs = Number(process.env["STILL_CLOCK_MS"]);

function look(): number {
  nowMs += stepMs;
  return nowMs;
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [look()] : args, newTarget),
  get: (target, name) => (name === "now" ? look : Reflect.get(target, name)),
});
