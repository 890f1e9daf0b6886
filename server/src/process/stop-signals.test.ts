import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { createLog } from "../lib/telemetry/log.ts";
import { catchStopSignals } from "./stop-signals.ts";

function setUp(stopsOnHangUp = false) {
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const log = createLog({ level: "silent", clock, write: () => {} });
  const source = new EventEmitter();
  const exits: number[] = [];
  const stops: boolean[] = [];
  let end = (): void => {};
  const signals = catchStopSignals({
    clock,
    log,
    stopMs: 60_000,
    exit: (status) => void exits.push(status),
    source: source as unknown as Pick<NodeJS.Process, "on">,
    stopsOnHangUp,
  });
  const stop = (isPatient: boolean): Promise<void> => {
    stops.push(isPatient);
    return new Promise((resolve) => {
      end = resolve;
    });
  };
  const send = (signal: string, atMs: number): void => {
    nowMs = atMs;
    source.emit(signal, signal);
  };
  return { signals, stop, send, exits, stops, source, end: () => end() };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the first signal stops, with patience for SIGTERM only; the process ends with 0 when that is done", async () => {
  for (const [signal, isPatient] of [
    ["SIGTERM", true],
    ["SIGINT", false],
  ] as const) {
    const { signals, stop, send, exits, stops, end } = setUp();
    signals.onStop(stop);
    assert.equal(signals.isAsked, false);
    send(signal, 10);
    assert.ok(signals.isAsked);
    assert.deepEqual(stops, [isPatient]);
    await turn();
    assert.deepEqual(exits, []);
    end();
    await turn();
    assert.deepEqual(exits, [0]);
  }
});

test("a signal that came before there was anything to stop is obeyed as soon as there is", async () => {
  const { signals, stop, send, stops, end, exits } = setUp();
  send("SIGTERM", 10);
  assert.ok(signals.isAsked);
  assert.deepEqual([stops, exits], [[], []]);
  signals.onStop(stop);
  assert.deepEqual(stops, [true]);
  end();
  await turn();
  assert.deepEqual(exits, [0]);
});

test("a second signal ends it at once, also in the start; one right after the first is the same one", () => {
  for (const isStarted of [true, false]) {
    const { signals, stop, send, exits, stops } = setUp();
    if (isStarted) signals.onStop(stop);
    send("SIGINT", 10);
    send("SIGINT", 600);
    assert.deepEqual(exits, []);
    send("SIGTERM", 1_200);
    assert.deepEqual(exits, [1]);
    assert.equal(stops.length, isStarted ? 1 : 0);
  }
});

test("a stop that fails ends the process with 1", async () => {
  const { signals, send, exits } = setUp();
  signals.onStop(() => Promise.reject(new Error("no")));
  send("SIGTERM", 10);
  await turn();
  assert.deepEqual(exits, [1]);
});

test("SIGHUP stops only where it is said to", () => {
  assert.equal(setUp(false).source.listenerCount("SIGHUP"), 0);
  const { signals, stop, send, stops } = setUp(true);
  signals.onStop(stop);
  send("SIGHUP", 10);
  assert.deepEqual(stops, [false]);
});
