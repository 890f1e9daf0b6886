/**
 * P22: revoking, disabling or limiting a key takes effect in all processes within a second, and permanently.
 * Four processes on one database under load; keys are changed one after another while all processes receive
 * calls with them.
 */

import { boundFigure, countFigure, percentile, type Rig, zeroFigure } from "../harness/figure.ts";
import { createLimitedKey, type Offered, offer, offerOne } from "../harness/limited-calls.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import type { MoneyCall } from "../harness/money/calls.ts";
import { type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";

const processes = 4;
const plenty = 1_000_000_000_000n;
const actsWithinMs = 1_000;
/** How long calls with a changed key continue. */
const watchedMs = 2_500;
/** A change without effect after this time counts as lost. */
const givenUpMs = 15_000;

type ChangeKind = "revoke" | "disable" | "limit to 0" | "suspend" | "enable";

interface Change {
  readonly kind: ChangeKind;
  /** Error code of calls once the change has effect; undefined = they pass. */
  readonly code: string | undefined;
  make(stage: MoneyStage, key: MoneyKey): Promise<unknown>;
  /** Prepares the key, if it must not be active before. */
  before?(stage: MoneyStage, key: MoneyKey): Promise<unknown>;
}

const none = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null };

const changes: readonly Change[] = [
  {
    kind: "revoke",
    code: "invalid_api_key",
    make: ({ store }, key) => store.setKeyStatus(key.id, "revoked"),
  },
  {
    kind: "revoke",
    code: "invalid_api_key",
    make: ({ store }, key) => store.setKeyStatus(key.id, "revoked"),
  },
  {
    kind: "disable",
    code: "api_key_disabled",
    make: ({ store }, key) => store.setKeyStatus(key.id, "disabled"),
  },
  {
    kind: "limit to 0",
    code: "rate_limit_exceeded",
    make: ({ store }, key) => store.setAccountLimits(key.accountId, { ...none, requestsPerMinute: 0 }),
  },
  {
    kind: "suspend",
    code: "account_suspended",
    make: ({ store }, key) => store.setAccountStatus(key.accountId, "suspended"),
  },
  {
    kind: "enable",
    code: undefined,
    make: ({ store }, key) => store.setKeyStatus(key.id, "active"),
    before: ({ store }, key) => store.setKeyStatus(key.id, "disabled"),
  },
];

/** A call after the change: the process, the time since the change was durable, and its result. */
export interface Probe {
  readonly process: number;
  readonly sinceMs: number;
  /**
   * The result matches the state after the change, the state before it, or neither (such as an overload
   * error).
   */
  readonly is: "changed" | "as before" | "other";
  readonly what: string;
}

export interface Judged {
  /** The time of the last call, in any process, with the result from before the change; 0 = none. */
  readonly actedMs: number;
  readonly revivals: readonly string[];
  readonly missing: readonly string[];
}

/** After its first result of the new state, a process must not return to the old one. */
export function judgeProbes(probes: readonly Probe[]): Judged {
  let actedMs = 0;
  const revivals: string[] = [];
  const missing: string[] = [];
  for (let process = 0; process < processes; process += 1) {
    const own = probes.filter((probe) => probe.process === process);
    const first = own.find((probe) => probe.is === "changed");
    if (first === undefined) {
      missing.push(`process ${process}: ${own.at(-1)?.what ?? "never asked"}`);
      continue;
    }
    for (const probe of own) {
      if (probe.is !== "as before") continue;
      if (probe.sinceMs > first.sinceMs)
        revivals.push(`process ${process} after ${probe.sinceMs.toFixed(0)} ms: ${probe.what}`);
      else actedMs = Math.max(actedMs, probe.sinceMs);
    }
  }
  return { actedMs, revivals, missing };
}

const codeOf = (offered: Offered): string => errorCode(offered.seen.body) ?? "none";

function outcomeOf({ code }: Change, one: Offered): Probe["is"] {
  const isServed = one.status === 200;
  const isRefused = codeOf(one) === (code ?? "api_key_disabled");
  if (isServed || isRefused) return isServed === (code === undefined) ? "changed" : "as before";
  return "other";
}

/** Sends calls with one key to one process, one after another. */
async function probeOne(
  stage: { readonly plazas: readonly Plaza[] },
  {
    key,
    change,
    process,
    changedAt,
    callOf,
  }: {
    readonly key: MoneyKey;
    readonly change: Change;
    readonly process: number;
    readonly changedAt: number;
    readonly callOf: () => MoneyCall;
  },
  random: Random,
): Promise<Probe[]> {
  const probes: Probe[] = [];
  let isSeen = false;
  for (;;) {
    const sinceMs = monotonicMs() - changedAt;
    if (isSeen ? sinceMs >= watchedMs : sinceMs >= givenUpMs) return probes;
    const one = await offerOne(stage.plazas[process] as Plaza, key, callOf());
    const is = outcomeOf(change, one);
    isSeen ||= is === "changed";
    probes.push({ process, sinceMs, is, what: `status ${one.status}, code ${codeOf(one)}` });
    // Frequent until the change has effect, then at all phases of the change feed's poll.
    await pause(isSeen ? random.int(200, 700) : random.int(20, 60));
  }
}

interface ChangeSeen extends Judged {
  readonly kind: ChangeKind;
}

async function oneChange(
  stage: MoneyStage,
  plazas: readonly Plaza[],
  { change, name }: { readonly change: Change; readonly name: string },
  random: Random,
): Promise<ChangeSeen> {
  const key = await createLimitedKey(stage, await stage.createAccount(plenty), {
    requestsPerMinute: 100_000,
  });
  await change.before?.(stage, key);
  let made = 0;
  const callOf = (): MoneyCall => {
    made += 1;
    return { id: `${name}-${made}`, isStream: false, maxTokens: 4, plan: { tokens: 1 } };
  };
  // Most keys are known to every process before; some are read at the time of the change.
  const known = random.chance(0.7) ? plazas : plazas.slice(0, 2);
  await Promise.all(known.map((plaza) => offerOne(plaza, key, callOf())));
  const late = random.chance(0.5) ? plazas.map((plaza) => offerOne(plaza, key, callOf())) : [];
  await change.make(stage, key);
  const changedAt = monotonicMs();
  const probes = await Promise.all(
    plazas.map((_, process) =>
      probeOne({ plazas }, { key, change, process, changedAt, callOf }, random.fork(`probe-${process}`)),
    ),
  );
  await Promise.all(late);
  return { kind: change.kind, ...judgeProbes(probes.flat()) };
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ seed, database }, async (stage) => {
    const random = seededRandom(seed);
    const plazas = await Promise.all(Array.from({ length: processes }, () => stage.serve()));
    const count = size === "long" ? 1_000 : 16;
    const width = size === "long" ? 12 : 8;
    const seen: ChangeSeen[] = [];
    const unheard: string[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) {
        const index = next;
        next += 1;
        const change = changes[index % changes.length] as Change;
        const one = await oneChange(
          stage,
          plazas,
          { change, name: `p22-${index}` },
          random.fork(`change-${index}`),
        );
        seen.push(one);
        if (one.missing.length > 0) unheard.push(`${one.kind} ${index}: ${one.missing.join("; ")}`);
        if (size === "long" && index % 100 === 99)
          process.stderr.write(`     P22 ${index + 1} of ${count} changes\n`);
      }
    };
    const ordinary = await stage.createKey(await stage.createAccount(plenty));
    let isOver = false;
    const load = offer({
      plazas,
      keys: [ordinary],
      lanes: 4,
      prefix: "p22-load",
      random,
      againMs: 50,
      isOver: () => isOver,
      callOf: (id) => ({ id, isStream: true, maxTokens: 40, plan: { tokens: 20, gapMs: 5 } }),
    });
    await Promise.all(Array.from({ length: width }, lane));
    isOver = true;
    const served = (await load).filter(({ status }) => status === 200).length;
    const acted = seen.map(({ actedMs }) => actedMs);
    const revivals = seen.flatMap(({ kind, revivals: found }) => found.map((why) => `${kind}: ${why}`));
    const p50 = percentile(acted, 50).toFixed(0);
    return [
      countFigure(
        "P22",
        `keys changed beside ${served} other calls that act at all ${processes} processes`,
        seen.length,
        unheard,
      ),
      zeroFigure("P22", `revivals in the ${watchedMs / 1_000} s afterwards`, seen.length, revivals),
      boundFigure(
        "P22",
        `last call answered as before a change (p50 ${p50} ms), worst`,
        Math.max(...acted),
        actsWithinMs,
      ),
    ];
  });
