/**
 * Limits shared by several processes over one store: exact in all cases, and refused requests take nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@plaza/contract/errors.ts";
import fc from "fast-check";
import { formatReset } from "./headers.ts";
import type { LimitAdmission, LimitRequest } from "./limits.ts";
import {
  createFakeSlices,
  type FakeProcess,
  type FakeSlices,
  requestOf,
  settled,
} from "./testing/fake-slices.ts";

/** Returns the admission or the error. */
async function tryOne(
  { limits }: FakeProcess,
  request: LimitRequest,
): Promise<LimitAdmission | GatewayError> {
  try {
    return await limits.admit(request);
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    return error;
  }
}

/** Makes this many attempts at once, spread over the processes. Returns the admissions, started. */
async function flood(
  processes: readonly FakeProcess[],
  request: LimitRequest,
  tries: number,
): Promise<{ admissions: LimitAdmission[]; refusals: GatewayError[] }> {
  const outcomes = await Promise.all(
    Array.from({ length: tries }, (_, index) =>
      tryOne(processes[index % processes.length] as FakeProcess, request),
    ),
  );
  const admissions: LimitAdmission[] = [];
  const refusals: GatewayError[] = [];
  for (const outcome of outcomes) {
    if (outcome instanceof GatewayError) refusals.push(outcome);
    else admissions.push(outcome);
  }
  for (const admission of admissions) admission.start();
  return { admissions, refusals };
}

const some = (fake: FakeSlices, count: number): FakeProcess[] =>
  Array.from({ length: count }, () => fake.newProcess());

test("three processes together let through exactly the limit, and one more when its time has come", async () => {
  for (const limit of [1, 5, 60, 600]) {
    const fake = createFakeSlices();
    const processes = some(fake, 3);
    const request = requestOf({ rpm: limit });
    let had = 0;
    for (let round = 0; round < 5; round += 1)
      had += (await flood(processes, request, limit)).admissions.length;
    assert.equal(had, limit);
    await fake.pass(300);
    const { refusals } = await flood(processes, request, 1);
    const early = limit === 600 ? [] : refusals;
    for (const { detail, message } of early) {
      assert.match(message, new RegExp(`This API key is limited to ${limit} requests? per minute`));
      assert.ok((detail.retryAfterMs ?? 0) > 0 && (detail.retryAfterMs ?? 0) <= 60_000 / limit);
      await fake.pass(detail.retryAfterMs ?? 0);
      assert.equal((await flood(processes.slice(0, 1), request, 1)).admissions.length, 1);
    }
  }
});

test("a refused request takes nothing of the limits that had room, and the wait is the longest one", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  const request = requestOf({ rpm: 10, account: 4, all: 8 });
  assert.equal((await flood([one], request, 9)).admissions.length, 4);
  const only = requestOf({ rpm: 10, all: 8 });
  assert.equal((await flood([one], only, 9)).admissions.length, 4);
  assert.equal((await flood([one], requestOf({ rpm: 10 }), 9)).admissions.length, 2);
  const { refusals } = await flood([one], requestOf({ rpm: 10, account: 4, all: 8 }), 1);
  assert.match(refusals[0]?.message ?? "", /This account is limited to 4 requests per minute/);
  assert.deepEqual(one.limits.counts.hits.find(({ scope }) => scope === "account")?.kind, "rpm");
});

test("an admission that is given up before an upstream was called was never taken", async () => {
  const fake = createFakeSlices();
  const processes = some(fake, 2) as [FakeProcess, FakeProcess];
  const request = requestOf({ rpm: 2, tpm: 1_000, conc: 1 });
  for (let round = 0; round < 20; round += 1) {
    const admission = await tryOne(processes[round % 2] as FakeProcess, request);
    assert.ok(
      !(admission instanceof GatewayError),
      admission instanceof GatewayError ? admission.message : "",
    );
    admission.end(0);
    admission.end(900);
    await fake.pass(50);
  }
});

test("tokens: set aside at first, paid as used, the rest comes back; a debt blocks until it is paid", async () => {
  const fake = createFakeSlices();
  const processes = some(fake, 2) as [FakeProcess, FakeProcess];
  const request = requestOf({ tpm: 600 });
  const first = await flood(processes, request, 10);
  assert.equal(first.admissions.length, 6);
  for (const admission of first.admissions) admission.end(50);
  await fake.pass(50);
  const second = await flood(processes, request, 4);
  assert.equal(second.admissions.length, 3);
  for (const admission of second.admissions) admission.end(500);
  // 300 + 1,500 used of 600: the next hundred lack 1,300, at ten per second.
  await fake.pass(1_000);
  const { refusals } = await flood(processes, request, 1);
  const waitMs = refusals[0]?.detail.retryAfterMs ?? 0;
  assert.ok(Math.abs(waitMs - 129_000) < 1_500, `wait ${waitMs}`);
  await fake.pass(waitMs);
  assert.equal((await flood(processes, request, 2)).admissions.length, 1);
});

test("what is too large for a whole minute, or blocked, is told so and not to be tried again", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  for (const request of [requestOf({ tpm: 9 }), requestOf({ rpm: 0 }), requestOf({ conc: 0 })]) {
    const { refusals } = await flood([one], request, 1);
    assert.equal(refusals[0]?.detail.shouldRetry, false);
  }
  assert.equal(fake.state.calls, 0);
  // Only the output exceeds the limit, so the whole limit is taken.
  assert.equal((await flood([one], requestOf({ tpm: 50 }), 1)).admissions.length, 1);
});

test("slots: never more at once than allowed, and all of them again afterwards", async () => {
  const fake = createFakeSlices();
  const processes = some(fake, 4);
  const request = requestOf({ conc: 40 });
  const { admissions } = await flood(processes, request, 100);
  assert.equal(admissions.length, 40);
  for (const admission of admissions) admission.end(0);
  await fake.pass(1_000);
  for (const { limits } of processes) limits.tick();
  await fake.pass(100);
  assert.equal(fake.outstanding("key:key_1:conc"), 0);
  assert.equal((await flood(processes.slice(0, 1), request, 100)).admissions.length, 40);
});

test("what a refused request was lent of one limit, for want of another, is free for others at once", async () => {
  const fake = createFakeSlices();
  const [one, other, third] = some(fake, 3) as [FakeProcess, FakeProcess, FakeProcess];
  const request = requestOf({ rpm: 2, conc: 1 });
  const { admissions } = await flood([one], request, 1);
  assert.equal((await flood([other], request, 1)).refusals.length, 1);
  for (const admission of admissions) admission.end(0);
  await fake.pass(50);
  assert.equal(fake.outstanding("key:key_1:rpm"), 0, "lent to a process that could not use it");
  assert.equal((await flood([third], request, 1)).admissions.length, 1);
});

test("what lies idle goes back, so that another process has all of it", async () => {
  const fake = createFakeSlices();
  const [one, other] = some(fake, 2) as [FakeProcess, FakeProcess];
  const request = requestOf({ rpm: 1_600 });
  await flood([one], request, 1);
  assert.ok(fake.outstanding("key:key_1:rpm") > 50);
  await fake.pass(1_100);
  one.limits.tick();
  await fake.pass(100);
  assert.equal(fake.outstanding("key:key_1:rpm"), 0);
  assert.equal((await flood([other], request, 1_700)).admissions.length, 1_600);
});

test("a process that was thought dead spends nothing of what it had; its requests under way still count", async () => {
  const fake = createFakeSlices();
  const [one, other] = some(fake, 2) as [FakeProcess, FakeProcess];
  const rate = requestOf({ rpm: 1_600, conc: 5 });
  const { admissions } = await flood([one], rate, 3);
  one.die();
  assert.equal(fake.outstanding("key:key_1:conc"), 0);
  one.revive();
  // The next call has a new holder and reports the running requests.
  const { admissions: more } = await flood([one], requestOf({ rpm: 1_600, conc: 5 }), 10);
  assert.ok(more.length <= 5);
  await fake.pass(1_500);
  one.limits.tick();
  await fake.pass(100);
  assert.ok((await flood([other], rate, 10)).admissions.length <= 5 - Math.min(5, admissions.length));
});

test("what was lent to a holder that is gone is not used, and its successor begins with nothing", async () => {
  const fake = createFakeSlices();
  const [one, other] = some(fake, 2) as [FakeProcess, FakeProcess];
  const request = requestOf({ rpm: 1_600 });
  assert.equal((await flood([one], request, 1)).admissions.length, 1);
  one.die();
  const rest = (await flood([other], request, 1_600)).admissions.length;
  assert.ok(rest < 1_550, `${rest}: the slice counts as used`);
  one.revive();
  assert.equal((await flood([one], request, 10)).admissions.length, 0);
});

test("the store lost: slices, then a stated share of the limit; told when it is back", async () => {
  const fake = createFakeSlices();
  const processes = some(fake, 4);
  const request = requestOf({ rpm: 40 });
  for (const process of processes) assert.equal((await flood([process], request, 1)).admissions.length, 1);
  await fake.pass(300);
  fake.state.mode = "lost";
  const first = await flood([processes[0] as FakeProcess], request, 40);
  assert.ok(
    first.admissions.length >= 8 && first.admissions.length <= 12,
    `${first.admissions.length} by slice and share`,
  );
  assert.ok((first.refusals[0]?.detail.retryAfterMs ?? 0) > 0);
  fake.state.mode = "up";
  await fake.pass(1_100);
  for (const { limits } of processes) limits.tick();
  await fake.pass(300);
  // Except for one second's refill, the rest of the forty and no more.
  const rest = await flood(processes.slice(1), request, 60);
  assert.ok(
    Math.abs(first.admissions.length + 4 + rest.admissions.length - 41) <= 1,
    `${rest.admissions.length} after it`,
  );
});

test("a store that does not answer holds nobody up for longer than a second", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  const request = requestOf({ rpm: 5 });
  fake.state.mode = "mute";
  const asked = flood([one], request, 3);
  await fake.pass(1_100);
  assert.equal((await asked).admissions.length, 3);
  assert.deepEqual(one.logged, ["limits_by_share"]);
  assert.equal((await flood([one], request, 5)).admissions.length, 2);
  fake.state.mode = "up";
  await fake.pass(300);
  one.limits.tick();
  await fake.pass(300);
  assert.equal((await flood([one], request, 5)).admissions.length, 0);
  assert.deepEqual(one.logged, ["limits_by_share", "limits_shared_again"]);
});

test("a limit that changes acts with the next request", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  assert.equal((await flood([one], requestOf({ rpm: 1_600 }), 2)).admissions.length, 2);
  assert.equal((await flood([one], requestOf({ rpm: 4 }), 9)).admissions.length, 2);
  assert.equal((await flood([one], requestOf({ rpm: 8 }), 9)).admissions.length, 4);
  // Units lent under a changed limit go back without further demand.
  await flood([one], requestOf({ rpm: 3_200 }), 1);
  one.limits.headers(requestOf({ rpm: 1_600 }));
  assert.ok(fake.outstanding("key:key_1:rpm") > 1);
  one.limits.tick();
  await fake.pass(50);
  assert.equal(fake.outstanding("key:key_1:rpm"), 0);
});

test("headers: the tightest of the subjects, what this process knows, OpenAI's forms", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  const request = requestOf({ rpm: 60, account: 600, tpm: 6_000 });
  const { admissions } = await flood([one], request, 6);
  const pairs = (flat: readonly string[]) =>
    Object.fromEntries(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]]] : [])));
  assert.deepEqual(pairs(one.limits.headers(request)), {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "54",
    "x-ratelimit-reset-requests": "6s",
    "x-ratelimit-limit-tokens": "6000",
    "x-ratelimit-remaining-tokens": "5400",
    "x-ratelimit-reset-tokens": "6s",
  });
  for (const admission of admissions) admission.end(10);
  assert.equal(pairs(one.limits.headers(request))["x-ratelimit-remaining-tokens"], "5940");
  assert.deepEqual(one.limits.headers(requestOf({ conc: 3 })), []);
  const forms = [0, 0.4, 120, 1_000, 1_500, 59_999.2, 60_000, 360_000, 3_600_000].map(formatReset);
  assert.deepEqual(forms, ["0s", "1ms", "120ms", "1s", "1.5s", "60s", "1m0s", "6m0s", "1h0m0s"]);
});

test("subjects that are as new are forgotten", async () => {
  const fake = createFakeSlices();
  const [one] = some(fake, 1) as [FakeProcess];
  for (const admission of (await flood([one], requestOf({ rpm: 60, tpm: 6_000, conc: 2 }), 2)).admissions)
    admission.end(1);
  assert.equal(one.limits.counts.subjects, 3);
  for (let second = 0; second < 70; second += 1) {
    await fake.pass(1_000);
    one.limits.tick();
  }
  assert.equal(one.limits.counts.subjects, 0);
});

test("whatever fails, in any time T at most limit × (1 + T/60 s) are let through while the store answers", async () => {
  const step = fc.tuple(
    fc.integer({ min: 0, max: 9 }),
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 4_000 }),
    fc.integer({ min: 1, max: 25 }),
  );
  const sequences = fc.array(step, { minLength: 5, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 120 }), sequences, async (limit, steps) => {
      const fake = createFakeSlices();
      const processes = some(fake, 3);
      const uses: { ms: number; units: number }[] = [];
      let ms = 0;
      for (const [what, who, waitMs, tries] of steps) {
        const process = processes[who] as FakeProcess;
        if (what === 0) {
          process.die();
          process.revive();
        } else if (what === 1) {
          // The clock jumps back and forward; the state of an earlier call may be the better one.
          fake.state.stepMs -= waitMs * 10;
        } else if (what === 2) {
          await fake.pass(waitMs);
          ms += waitMs;
          for (const { limits } of processes) limits.tick();
        } else {
          const { admissions } = await flood([process], requestOf({ rpm: limit }), tries);
          uses.push({ ms, units: admissions.length });
          for (const admission of admissions) admission.end(0);
        }
        await settled();
      }
      for (let from = 0; from < uses.length; from += 1) {
        let sum = 0;
        for (let to = from; to < uses.length; to += 1) {
          sum += uses[to]?.units ?? 0;
          const passedMs = (uses[to]?.ms ?? 0) - (uses[from]?.ms ?? 0);
          assert.ok(sum * 60_000 <= limit * (60_000 + passedMs), `${sum} in ${passedMs} ms of ${limit}`);
        }
      }
    }),
    { numRuns: 40 },
  );
});
