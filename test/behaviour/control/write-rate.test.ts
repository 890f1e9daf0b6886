import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { Viewer } from "../../../server/src/control/context.ts";
import type { Asking } from "../../../server/src/control/identify.ts";
import { createWriteRate } from "../../../server/src/control/write-rate.ts";
import { startConsole } from "../harness/console-rig.ts";

function createRate(perMinute: number) {
  let nowMs = 0;
  const clock = { wallMs: () => nowMs, elapsedMs: () => nowMs };
  const rate = createWriteRate({ clock, randomBytes, secretKey: () => Buffer.alloc(32) }, perMinute);
  return {
    /** Returns how many of these calls pass, and the stated delay of the first refused one. */
    passed(count: number, viewer: object, ip: (index: number) => string = () => "192.0.2.1") {
      let good = 0;
      let waitMs: number | undefined;
      for (let index = 0; index < count; index += 1) {
        const asking = { from: { ip: ip(index) }, cookies: { get: () => undefined } } as unknown as Asking;
        try {
          rate.admit(asking, viewer as Viewer);
          good += 1;
        } catch (thrown) {
          const { code, detail } = thrown as { code: string; detail: { retryAfterMs: number } };
          assert.equal(code, "rate_limit_exceeded");
          waitMs ??= detail.retryAfterMs;
        }
      }
      return [good, waitMs];
    },
    add(ms: number) {
      nowMs += ms;
    },
  };
}

const nobody = { kind: "nobody" };

test("a session has its own rate, and gets more with time", () => {
  const { passed, add } = createRate(6);
  assert.deepEqual(passed(9, { kind: "user", sessionId: "one" }), [6, 10_000]);
  assert.deepEqual(passed(9, { kind: "user", sessionId: "two" }), [6, 10_000]);
  add(20_000);
  assert.deepEqual(passed(9, { kind: "user", sessionId: "one" }), [2, 10_000]);
});

test("an operator token may make ten times as many", () => {
  const { passed } = createRate(6);
  assert.deepEqual(passed(70, { kind: "token", tokenId: "one" }), [60, 1_000]);
});

test("who is nobody is counted by network, however its addresses rotate", () => {
  const { passed } = createRate(6);
  assert.deepEqual(
    passed(9, nobody, (index) => `2001:db8:1:1::${index}`),
    [6, 10_000],
    "a /64",
  );
  assert.deepEqual(
    passed(30, nobody, (index) => `2001:db8:1:${(index + 10).toString(16)}00::1`),
    [18, 2_500],
  );
  assert.deepEqual(
    passed(1, nobody, () => "2001:db8:2::1"),
    [1, undefined],
    "another /48 is another's",
  );
  assert.deepEqual(passed(9, nobody), [6, 10_000], "an IPv4 address");
  assert.deepEqual(
    passed(30, nobody, (index) => `192.0.2.${index + 2}`),
    [18, 2_500],
    "a /24 has 24 in all",
  );
});

test("changes beyond it are refused before their body is read, and looking is not counted", async (context) => {
  const rig = await startConsole(context, { env: { PLAZA_API_WRITES_PER_MINUTE: "1" } });
  const member = rig.as("member");
  const first = await member.call("PATCH", "/profile", { name: "another name" });
  assert.equal(first.status, 200);
  const second = await member.call("PATCH", "/profile", "[", { "content-type": "application/json" });
  assert.deepEqual([second.status, second.body.error.code], [429, "rate_limit_exceeded"]);
  assert.ok(Number(second.headers.get("retry-after")) >= 1);
  assert.equal((await member.call("GET", "/session")).status, 200);
});
