/** Attribution of failures: each is reported once, at a log level that matches who must act. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../protocols/protocol.ts";
import { logHealthEvent } from "./log-health.ts";
import { deploymentOn, liveModel, liveUpstream, testUpstreamHealth } from "./testing/test-upstream-health.ts";
import type { HealthEvent } from "./verdict.ts";

function scene() {
  const rig = testUpstreamHealth();
  const model = liveModel("m", [deploymentOn(liveUpstream("a", { credentials: ["one"] }))]);
  const choice = rig.choose(model);
  assert.ok(choice);
  return {
    rig,
    choice,
    end: (fault?: Fault) => rig.call(choice, fault),
    names: () => rig.events.map(({ name }) => name),
  };
}

test("faults of the caller's making, and those of ours, say nothing about anybody", () => {
  const { rig, end, names } = scene();
  for (const kind of [
    "bad_request",
    "content_filter",
    "context_length",
    "too_large",
    "unsupported",
  ] as const) {
    for (let index = 0; index < 10; index += 1) end({ kind, status: 400 });
  }
  for (const kind of ["stopping", "key_ended"] as const) {
    for (let index = 0; index < 10; index += 1) end({ kind });
  }
  // An unclassified 4xx may also be the caller's fault.
  for (let index = 0; index < 10; index += 1) end({ kind: "server", status: 405 });
  assert.deepEqual(
    [names(), rig.upstreamHealth.slots.list()[0]?.deployments.get("m")?.lastFault],
    [[], undefined],
  );
});

test("five failures in a row eject, told once with what and for how long; an answer brings it back, told once", () => {
  const { rig, end } = scene();
  for (let index = 0; index < 4; index += 1) end({ kind: "server", status: 502 });
  assert.deepEqual(rig.events, []);
  for (let index = 0; index < 4; index += 1) end({ kind: "server", status: 502 });
  assert.deepEqual(rig.events, [
    {
      name: "deployment_ejected",
      upstream: "a",
      upstreamModel: "m",
      fault: "server",
      status: 502,
      forMs: 5_000,
    },
  ]);
  rig.nowMs = 5_000;
  end();
  end();
  assert.deepEqual(rig.events.slice(1), [{ name: "deployment_back", upstream: "a", upstreamModel: "m" }]);
});

test("an answer to a call that began before the ejection does not bring it back", () => {
  const { rig, choice, end, names } = scene();
  rig.upstreamHealth.begin(choice, 0);
  rig.nowMs = 100;
  for (let index = 0; index < 5; index += 1) end({ kind: "network" });
  rig.upstreamHealth.begin(choice, 0);
  rig.upstreamHealth.end(choice, { fault: undefined, isCallerGone: false }, 200);
  assert.deepEqual(names(), ["deployment_ejected"]);
});

test("a pause it asked for is kept, and one that nobody can mean is bounded and marked", () => {
  for (const [retryAfterMs, forMs, isOdd] of [
    [7_000, 7_000, undefined],
    [9_000_000_000, 300_000, true],
  ] as const) {
    const { rig, end } = scene();
    end({ kind: "overloaded", status: 503, retryAfterMs });
    assert.deepEqual(
      rig.events.map(({ name, forMs: told, isOddPause }) => [name, told, isOddPause]),
      [["deployment_resting", forMs, isOdd]],
    );
  }
  const { rig, end } = scene();
  end({ kind: "overloaded", status: 503, retryAfterMs: 0 });
  assert.deepEqual(rig.events, []);
});

test("a throttled credential rests and is told, not more often than every ten seconds, and its return once", () => {
  const { rig, end, names } = scene();
  const throttled = { kind: "rate_limit", status: 429, retryAfterMs: 1_000 } as const;
  end(throttled);
  end(throttled);
  assert.deepEqual(
    rig.events.map(({ name, credential, forMs }) => [name, credential, forMs]),
    [["credential_resting", 1, 1_000]],
  );
  rig.nowMs = 20_000;
  end(throttled);
  assert.equal(rig.events.length, 1, "it has not been back");
  rig.nowMs = 21_000;
  end();
  end();
  assert.deepEqual(names(), ["credential_resting", "credential_back"]);
  end(throttled);
  assert.deepEqual(names(), ["credential_resting", "credential_back", "credential_resting"]);
});

test("one refusal without a time among many answers is about that one call", () => {
  const { rig, choice, end, names } = scene();
  for (let index = 0; index < 10; index += 1) end();
  end({ kind: "rate_limit", status: 429 });
  assert.deepEqual(names(), []);
  assert.equal(rig.upstreamHealth.readyInMs(liveModel("n", [choice.live]), 0), 0);
  end({ kind: "rate_limit", status: 429, retryAfterMs: 500 });
  assert.deepEqual(names(), ["credential_resting"]);
});

test("a refused credential is out and told once, however many calls were under way; an answer brings it back", () => {
  for (const kind of ["upstream_auth", "upstream_quota"] as const) {
    const { rig, end } = scene();
    for (let index = 0; index < 3; index += 1) end({ kind, status: 401 });
    assert.deepEqual(rig.events, [
      { name: "credential_out", upstream: "a", credential: 1, fault: kind, status: 401, forMs: 60_000 },
    ]);
    rig.nowMs = 60_000;
    end();
    assert.equal(rig.events.at(-1)?.name, "credential_back");
    assert.equal(rig.events.length, 2);
    end({ kind, status: 401 });
    assert.equal(rig.events.length, 3, "out once more, told once more");
  }
});

test("a caller that leaves says nothing, unless the answer had begun", () => {
  const { rig, choice, names } = scene();
  for (let index = 0; index < 5; index += 1) rig.call(choice, { kind: "server", status: 500 });
  rig.nowMs = 5_000;
  rig.upstreamHealth.begin(choice, 5_000);
  rig.upstreamHealth.end(choice, { fault: undefined, isCallerGone: true }, 5_100);
  assert.deepEqual(names(), ["deployment_ejected"]);
  rig.upstreamHealth.begin(choice, 5_200);
  choice.answered(5_300);
  rig.upstreamHealth.end(choice, { fault: undefined, isCallerGone: true }, 5_400);
  assert.deepEqual(names(), ["deployment_ejected", "deployment_back"]);
});

test("a doubt about usage is told each time, and marked as a repetition within a minute", () => {
  const { rig, choice } = scene();
  const doubt = (kind: "impossible" | "beyond_asked", nowMs: number) =>
    rig.upstreamHealth.doubtUsage(choice, kind, nowMs);
  doubt("impossible", 0);
  doubt("impossible", 59_999);
  doubt("beyond_asked", 59_999);
  doubt("impossible", 60_000);
  doubt("impossible", 120_000);
  assert.deepEqual(
    rig.events.map(({ name, isRepeated }) => [name, isRepeated]),
    [
      ["usage_distrusted", undefined],
      ["usage_distrusted", true],
      ["usage_beyond_asked", undefined],
      ["usage_distrusted", undefined],
      ["usage_distrusted", undefined],
    ],
  );
});

test("what only a person can mend is an alarm, a return is good news, the rest a warning, a repetition nothing", () => {
  const lines = (event: Partial<HealthEvent> & Pick<HealthEvent, "name">) => {
    const written: unknown[] = [];
    const at = (level: string) => (name: string, fields: object) => written.push([level, name, fields]);
    const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    logHealthEvent(log as never, { upstream: "a", ...event });
    return written;
  };
  const alarm = (name: string) => [["error", name, { upstream: "a", isAlarm: true }]];
  for (const name of ["usage_distrusted", "usage_beyond_asked", "credential_out"] as const) {
    assert.deepEqual(lines({ name }), alarm(name));
    assert.deepEqual(lines({ name, isRepeated: true }), []);
  }
  assert.deepEqual(lines({ name: "deployment_back" }), [["info", "deployment_back", { upstream: "a" }]]);
  assert.deepEqual(lines({ name: "credential_back" }), [["info", "credential_back", { upstream: "a" }]]);
  for (const [fault, level] of [
    ["model_unavailable", "error"],
    ["server", "warn"],
    ["timeout", "warn"],
  ] as const) {
    assert.equal((lines({ name: "deployment_ejected", fault })[0] as string[])[0], level);
  }
});
