/**
 * P04 (with P05): the ledger equals the upstream's count, also when upstreams misbehave. Every fault of the
 * table, streamed and whole, with and without a fallback, each at an upstream that has not failed before;
 * then ledger and journal are compared.
 */
import { inAllFormats } from "../harness/catalog.ts";
import { readAnswer, saysFailed } from "../harness/endpoints.ts";
import { countFigure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { type CompletedAnswer, completedAnswer, type MoneyCall, requestTo } from "../harness/money/calls.ts";
import { leakFigure } from "../harness/money/leaks.ts";
import { firstModel, moneyCatalog, withMoney } from "../harness/money/money.ts";
import { judgeCharges, reconcile, reconcileFigures } from "../harness/money/reconcile.ts";
import { untilSettled } from "../harness/money/settled.ts";
import { addFresh, freshModel } from "../harness/processes/fresh-upstreams.ts";
import { seededRandom } from "../harness/random.ts";
import { callerFaults, faults } from "../upstream/faults.ts";
import type { CallRecord } from "../upstream/journal.ts";

/** Hanging upstreams time out after two seconds. */
const timeouts = { connect: "1s", firstToken: "2s", idle: "1s", total: "3s" };
/** Tested in the long form only: a hundred megabytes each. */
const heavy = ["huge_line", "endless_event"];
const firstPrompt = 1_000;

/** The calls of each round; each round uses a new process without health state. */
function cases(size: "short" | "long", seed: number): MoneyCall[][] {
  const random = seededRandom(seed);
  const names = [...faults, ...callerFaults]
    .filter(({ name, make }) => make !== undefined && (size === "long" || !heavy.includes(name)))
    .map(({ name }) => name);
  const rounds = size === "long" ? 30 : 1;
  const kinds = [...names, "", "", ""].flatMap((fault) =>
    [true, false].map((isStream) => ({ fault, isStream })),
  );
  const all = kinds.flatMap((kind, index) =>
    ["rig-model", "rig-fallback"].map((like) => ({ ...kind, index, like })),
  );
  return Array.from({ length: rounds }, (_, round) =>
    random.shuffle(all).map(({ fault, isStream, like, index }, place) => ({
      id: `p04-${round}-${place}`,
      isStream,
      maxTokens: 100,
      model: freshModel(like, index),
      plan: {
        fault,
        faultModel: like === "rig-fallback" ? firstModel : "",
        promptTokens: firstPrompt + round * all.length + place,
        cachedTokens: random.int(0, firstPrompt),
        reasoningTokens: random.int(0, 3),
        tokens: random.int(3, 60),
      },
    })),
  );
}

/** Faults that end a stream of one deployment before its end. */
const breaking = ["reset_mid_event", "fin_mid_event", "error_in_band"];

/** Describes a broken stream that does not look like one; undefined = its caller can tell. */
export function judgeBroken(seen: Pick<Seen, "status" | "headers" | "body" | "isWhole">): string | undefined {
  if (seen.status !== 200) return undefined;
  if (readAnswer(seen).isComplete) return "presented as complete";
  return saysFailed(seen.body) ? undefined : "ended without an error event";
}

/** Calls with a fault that did not reach the upstream. */
function unheard(calls: readonly MoneyCall[], seen: readonly CallRecord[]): string[] {
  const ids = new Set(seen.map(({ id }) => id));
  return calls.filter(({ id }) => !ids.has(id)).map(({ plan, model }) => `${plan.fault} at ${model}`);
}

export const run: Rig = ({ size, seed, database }) => {
  const rounds = cases(size, seed);
  const calls = rounds.flat();
  const kinds = (rounds[0]?.length ?? 0) / 2;
  const catalog = (baseUrl: string) =>
    inAllFormats(
      addFresh(addFresh(moneyCatalog(baseUrl, timeouts), "rig-model", kinds), "rig-fallback", kinds),
    );
  return withMoney({ seed, database, catalog }, async (stage) => {
    const key = await stage.createKey(await stage.createAccount(1_000_000_000_000n));
    const answers: CompletedAnswer[] = [];
    const silent: string[] = [];
    const broken: (string | undefined)[] = [];
    for (const round of rounds) {
      const plaza = await stage.serve();
      await inParallel(round, size === "long" ? 40 : round.length, async (call) => {
        const seen = await post({
          ...requestTo(plaza, call),
          key: key.secret,
          withinMs: 30_000,
        });
        const answer = completedAnswer(seen);
        if (answer !== undefined) answers.push(answer);
        const { isStream, model = "", plan } = call;
        if (isStream && model.startsWith("rig-model") && breaking.includes(plan.fault ?? "")) {
          const why = judgeBroken(seen);
          broken.push(why && `${plan.fault} at ${requestTo(plaza, call).url}: ${why}`);
        }
        if (seen.status === 0) silent.push(`${call.plan.fault}: ${seen.problem}`);
      });
      if (round !== rounds.at(-1)) await plaza.stop();
    }
    await untilSettled(stage, answers);
    const leaks = await leakFigure(stage, { size, killed: 0 });
    const rows = await stage.reader.requests();
    return [
      ...reconcileFigures(reconcile(rows, stage.calls())),
      ...judgeCharges(answers, rows, await stage.reader.charges()),
      countFigure("P04", "calls answered and recorded", calls.length, [
        ...silent,
        ...(rows.length === calls.length ? [] : [`${rows.length} rows of ${calls.length} calls`]),
      ]),
      countFigure(
        "P04",
        "broken streams end with their format's error",
        broken.length,
        broken.filter((why) => why !== undefined),
      ),
      zeroFigure("P04", "calls that never reached the upstream they were meant for", calls.length, [
        ...unheard(calls, stage.calls()),
      ]),
      zeroFigure("P04", "the ledger added up again (ledger verify)", 1, await stage.verify()),
      leaks,
    ];
  });
};
