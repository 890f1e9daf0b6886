/** The mixed load of P30: ordinary calls in independent lanes at a steady pace. Checks every answer. */
import type { ClientRequest } from "node:http";
import { post, type Seen } from "../harness/http-client.ts";
import { pause } from "../harness/measure/clock.ts";
import { completedAnswer } from "../harness/money/calls.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import type { Random } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";

export interface SoakKeys {
  /** Keys without relevant limits. */
  readonly plain: readonly string[];
  /** A key with so few requests per minute that most calls are refused. */
  readonly limited: string;
}

/** Counts of calls so far. */
export interface SoakCounts {
  calls: number;
  /** Counts by kind: streams, whole answers, disconnected, faulty, limited, refused, overloaded. */
  readonly by: Record<string, number>;
  readonly wrong: string[];
}

const wrongMax = 100;
const faults = ["status_500_body", "status_429_plain", "reset_mid_event", "done_never"];

interface Act {
  readonly name: string;
  /** Runs one call and returns why its result is wrong; undefined = correct. */
  run(plaza: Plaza, keys: SoakKeys, random: Random): Promise<string | undefined>;
}

function bodyOf(
  model: string,
  isStream: boolean,
  rig: Readonly<Record<string, unknown>>,
  prompt = "hello",
): string {
  return JSON.stringify({
    model,
    messages: [{ role: "user", content: prompt }],
    stream: isStream,
    max_tokens: 400,
    x_rig: rig,
  });
}

const said = (seen: Seen): string =>
  `status ${seen.status}, code ${errorCode(seen.body) ?? "none"}${seen.problem === "" ? "" : `, ${seen.problem}`}`;

/** A busy machine may refuse calls, with the overload error. */
const isTurnedAway = (seen: Seen): boolean => seen.status === 503 && errorCode(seen.body) === "overloaded";

const served =
  (isStream: boolean): Act["run"] =>
  async (plaza, keys, random) => {
    const rig = {
      tokens: random.int(0, 120),
      gapMs: random.chance(0.3) ? 5 : 0,
      headersMs: random.int(0, 40),
    };
    const prompt = "word ".repeat(random.chance(0.05) ? random.int(1_000, 40_000) : random.int(1, 200));
    const body = bodyOf("rig-model", isStream, rig, prompt);
    const seen = await post({ url: plaza.chatUrl, key: random.pick(keys.plain), body });
    return completedAnswer(seen) !== undefined || isTurnedAway(seen) ? undefined : said(seen);
  };

const acts: readonly Act[] = [
  { name: "streams", run: served(true) },
  { name: "streams", run: served(true) },
  { name: "whole answers", run: served(false) },
  {
    name: "left",
    async run(plaza, keys, random) {
      const calls: ClientRequest[] = [];
      const body = bodyOf("rig-model", true, { tokens: 200, gapMs: 10 });
      const leaving = pause(random.int(1, 300)).then(() => {
        for (const call of calls) call.destroy();
      });
      await post({
        url: plaza.chatUrl,
        key: random.pick(keys.plain),
        body,
        onRequest: (call) => void calls.push(call),
      });
      await leaving;
      return undefined;
    },
  },
  {
    name: "faulty",
    async run(plaza, keys, random) {
      const body = bodyOf("rig-faulty", random.chance(0.5), { tokens: 20, fault: random.pick(faults) });
      const seen = await post({ url: plaza.chatUrl, key: random.pick(keys.plain), body });
      return seen.status >= 400 || (seen.status === 200 && seen.isWhole) ? undefined : said(seen);
    },
  },
  {
    name: "limited",
    async run(plaza, keys) {
      const seen = await post({
        url: plaza.chatUrl,
        key: keys.limited,
        body: bodyOf("rig-model", false, {}),
      });
      return seen.status === 200 || seen.status === 429 || isTurnedAway(seen) ? undefined : said(seen);
    },
  },
  {
    name: "refused",
    async run(plaza, keys, random) {
      const isKey = random.chance(0.5);
      const key = isKey ? "sk-plaza-nobody" : random.pick(keys.plain);
      const seen = await post({ url: plaza.chatUrl, key, body: bodyOf("no-such-model", false, {}) });
      return seen.status === (isKey ? 401 : 404) || isTurnedAway(seen) ? undefined : said(seen);
    },
  },
];

/**
 * Sends requests repeatedly, `lanes` concurrently and each `paceMs` after its previous one, until the end.
 */
export async function soak(
  {
    plaza,
    keys,
    random,
    lanes,
    paceMs,
  }: { plaza: Plaza; keys: SoakKeys; random: Random; lanes: number; paceMs: number },
  counts: SoakCounts,
  isOver: () => boolean,
): Promise<void> {
  const lane = async (index: number): Promise<void> => {
    const own = random.fork(`lane-${index}`);
    while (!isOver()) {
      const act = own.pick(acts);
      const wrong = await act.run(plaza, keys, own);
      counts.calls += 1;
      counts.by[act.name] = (counts.by[act.name] ?? 0) + 1;
      if (wrong !== undefined && counts.wrong.length < wrongMax) counts.wrong.push(`${act.name}: ${wrong}`);
      await pause(own.int(paceMs / 2, paceMs * 1.5));
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
}
