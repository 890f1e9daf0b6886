/**
 * The second part of P21: process clocks are changed by an hour repeatedly. The processes run in this one,
 * each with the product's limit client and its own holder, over one real database. On SQLite the changed
 * clock is that of all processes, as on one machine; on PostgreSQL, whose clock counts, each process has a
 * wrong clock.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@plaza/contract/errors.ts";
import { createLimits, type LimitRequest } from "../../../server/src/gateway/limits/limits.ts";
import { createLeases } from "../../../server/src/gateway/money/leases.ts";
import type { Caller } from "../../../server/src/gateway/request/authenticate.ts";
import type { Log } from "../../../server/src/lib/telemetry/log.ts";
import { openStoreInProcess } from "../../../server/src/store/open.ts";
import { type Figure, zeroFigure } from "../harness/figure.ts";
import { below, beyondShares, mostAbove, type Passed, sliceOf } from "../harness/limit-judge.ts";
import { after } from "../harness/limited-calls.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import type { LedgerTarget } from "../harness/money/ledger-reader.ts";
import { temporaryFolder } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";

const processes = 4;
const hourMs = 3_600_000;
/**
 * A forward clock step is accepted up to the time elapsed since the asking process last asked
 * (docs/call/limits.md), slightly more than the time since the last call of any process. In this load each
 * process asks several times a second.
 */
const stepRefillMs = 500;
const holderLifeMs = 45_000;
const beatMs = 200;
/** A busy machine sends less load: continue this much longer until a request is rejected. */
const latestMs = 20_000;

interface Process {
  readonly limits: ReturnType<typeof createLimits>;
  close(): Promise<void>;
}

/** `ahead`: offset of the process's clock from the true time. */
async function startProcess(
  place: LedgerTarget,
  name: string,
  ahead: { ms: number },
  log: Log,
): Promise<Process> {
  const clock = { wallMs: () => Date.now() + ahead.ms, elapsedMs: () => performance.now() };
  const store = await openStoreInProcess({ database: place, secretKey: Buffer.alloc(32), clock });
  await store.migrate();
  let holders = 0;
  const newHolderId = () => {
    holders += 1;
    return `hld_${name}_${holders}`;
  };
  const leases = createLeases({ store, clock, log, newHolderId, holderLifeMs, sleep });
  await leases.open();
  const later = (ms: number, then: () => void) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  };
  const limits = createLimits({ store, clock, log, holder: leases, later });
  const timers = [setInterval(() => void leases.beat(), beatMs), setInterval(() => limits.tick(), 1_000)];
  return {
    limits,
    async close() {
      for (const timer of timers) clearInterval(timer);
      await limits.close();
      await leases.close().catch(() => {});
      await store.close();
    },
  };
}

function requestOf(name: string, kind: "rpm" | "conc", limit: number): LimitRequest {
  const key = {
    id: `key_${name}_${kind}_${limit}`,
    accountId: `acc_${name}`,
    requestsPerMinute: kind === "rpm" ? limit : null,
    tokensPerMinute: null,
    concurrency: kind === "conc" ? limit : null,
  };
  const accountLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
  return {
    caller: { key, models: undefined, accountLimits } as unknown as Caller,
    snapshot: { limits: {}, installation: undefined },
    model: { id: "m" },
    inputTokens: 10,
    outputTokens: 10,
    answers: 1,
    maxOutput: undefined,
  };
}

interface Outcome {
  readonly passed: Passed[];
  refusedAt: number;
  refusals: number;
  readonly strange: string[];
}

/** Asks all processes repeatedly, until the time is over and a request was rejected. */
async function hammer(all: readonly Process[], request: LimitRequest, heldMs: number, isOver: () => boolean) {
  const outcome: Outcome = { passed: [], refusedAt: 0, refusals: 0, strange: [] };
  const isLate = after(latestMs);
  const lane = async (one: Process): Promise<void> => {
    while (!isOver() || (outcome.refusals === 0 && !isLate())) {
      const sentAt = monotonicMs();
      try {
        const admitted = await one.limits.admit(request);
        const acceptedAt = monotonicMs();
        admitted.start();
        if (heldMs > 0) await pause(heldMs);
        outcome.passed.push({ sentAt, acceptedAt, endedAt: monotonicMs(), units: 1 });
        admitted.end(0);
      } catch (error) {
        outcome.refusals += 1;
        outcome.refusedAt = Math.max(outcome.refusedAt, sentAt);
        if (!(error instanceof GatewayError) || error.code !== "rate_limit_exceeded") {
          outcome.strange.push(String(error));
        }
        await pause(10);
      }
    }
  };
  await Promise.all([...all, ...all].map(lane));
  return outcome;
}

/** Sends requests for `forMs` while clocks are changed by hours. */
export async function clockFigure(place: LedgerTarget, random: Random, forMs: number): Promise<Figure> {
  const folder = temporaryFolder();
  // Clock steps of hours would expire the holders of the processes on the rig's own file.
  const own: LedgerTarget =
    place.kind === "sqlite" ? { kind: "sqlite", file: join(folder, "clock.db") } : place;
  const name = `clk${random.int(0, 999_999)}`;
  const shared = { ms: 0 };
  const aheads = Array.from({ length: processes }, () =>
    place.kind === "sqlite" ? shared : { ms: random.int(-1, 1) * hourMs },
  );
  const all: Process[] = [];
  let lost = 0;
  const nothing = () => {};
  const warn = (event: string) => {
    if (event === "limits_by_share") lost += 1;
  };
  const log: Log = { debug: nothing, info: nothing, warn, error: nothing };
  try {
    for (const [index, ahead] of aheads.entries())
      all.push(await startProcess(own, `${name}-${index}`, ahead, log));
    const isOver = after(forMs);
    let steps = 0;
    let forward = 0;
    const step = async (): Promise<void> => {
      while (!isOver()) {
        await pause(random.int(500, 1_000));
        // Stepping back and forward again makes old rows look older than they are.
        const by = [-hourMs, hourMs][steps] ?? random.pick([-hourMs, hourMs]);
        random.pick(aheads).ms += by;
        steps += 1;
        if (by > 0) forward += 1;
      }
    };
    const limits = [5, 60, 600];
    const [, ...rates] = await Promise.all([
      step(),
      ...limits.map((limit) => hammer(all, requestOf(name, "rpm", limit), 0, isOver)),
    ]);
    const wrong: string[] = [];
    const shown: string[] = [];
    rates.forEach((outcome, index) => {
      const limit = limits[index] ?? 0;
      const above = mostAbove(limit, outcome.passed);
      const under = below(limit, outcome.passed, outcome.refusedAt);
      shown.push(`${outcome.passed.length} of ${limit}, ${under} below`);
      wrong.push(...outcome.strange);
      if (outcome.refusals === 0) wrong.push(`limit ${limit}: nobody was refused`);
      const refilled = limit * ((forward * stepRefillMs) / 60_000);
      if (above > refilled + beyondShares(limit, lost, processes))
        wrong.push(`limit ${limit}: ${above.toFixed(2)} above`);
      // A forward step expires the holders on one machine; units they held count as used.
      const slices = 1 + (place.kind === "sqlite" ? forward : 0);
      if (under > sliceOf(limit) * slices) wrong.push(`limit ${limit}: ${under} below`);
    });
    const title = `clocks set by an hour ${steps} times, 4 processes, database lost ${lost} times (${shown.join(", ")} a minute): off the limit`;
    return zeroFigure("P21", title, limits.length, wrong);
  } finally {
    await Promise.all(all.map((one) => one.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}
