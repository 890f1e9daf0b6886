/**
 * P04 (with P05): our ledger equals the upstream's own count, also where upstreams misbehave. Every fault of the table,
 * streamed and whole, with and without a deployment to fall back to; then both books side by side.
 */
import { countFigure, type Rig, zeroFigure } from "./harness/figure.ts";
import { inParallel, post } from "./harness/http-client.ts";
import { leakFigure } from "./harness/leaks.ts";
import { firstModel, withMoney } from "./harness/money.ts";
import { bodyOf, type CompletedAnswer, completedAnswer, type MoneyCall } from "./harness/money-calls.ts";
import { seededRandom } from "./harness/random.ts";
import { judgeCharges, reconcile, reconcileFigures } from "./harness/reconcile.ts";
import { untilSettled } from "./harness/settled.ts";
import { callerFaults, faults } from "./upstream/faults.ts";

/** Hanging upstreams are given up after two seconds. */
const timeouts = { connect: "1s", firstToken: "2s", idle: "1s", total: "3s" };
/** Left to the long form: a hundred megabytes each. */
const heavy = ["huge_line", "endless_event"];
const firstPrompt = 1_000;

function cases(size: "short" | "long", seed: number): MoneyCall[] {
  const random = seededRandom(seed);
  const names = [...faults, ...callerFaults]
    .filter(({ name, make }) => make !== undefined && (size === "long" || !heavy.includes(name)))
    .map(({ name }) => name);
  const rounds = size === "long" ? 30 : 1;
  const kinds = [...names, "", "", ""].flatMap((fault) =>
    [true, false].flatMap((isStream) =>
      ["rig-model", "rig-fallback"].map((model) => ({ fault, isStream, model })),
    ),
  );
  const all = Array.from({ length: rounds }, () => kinds).flat();
  return random.shuffle(all).map(({ fault, isStream, model }, index) => ({
    id: `p04-${index}`,
    isStream,
    maxTokens: 100,
    model,
    plan: {
      fault,
      faultModel: model === "rig-fallback" ? firstModel : "",
      promptTokens: firstPrompt + index,
      cachedTokens: random.int(0, firstPrompt),
      reasoningTokens: random.int(0, 3),
      tokens: random.int(3, 60),
    },
  }));
}

export const run: Rig = ({ size, seed, database }) =>
  withMoney({ database, timeouts }, async (stage) => {
    const plaza = await stage.serve();
    const key = await stage.createKey(await stage.createAccount(1_000_000_000_000n));
    const calls = cases(size, seed);
    const answers: CompletedAnswer[] = [];
    const silent: string[] = [];
    await inParallel(calls, size === "long" ? 40 : calls.length, async (call) => {
      const seen = await post({ url: plaza.chatUrl, key: key.secret, body: bodyOf(call), withinMs: 30_000 });
      const answer = completedAnswer(seen);
      if (answer !== undefined) answers.push(answer);
      if (seen.status === 0) silent.push(`${call.plan.fault}: ${seen.problem}`);
    });
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
      zeroFigure("P04", "the ledger added up again (ledger verify)", 1, await stage.verify()),
      leaks,
    ];
  });
