/**
 * Money on every endpoint that tells conversations, at upstreams of every format, as an attacker and a lying
 * upstream try it: callers that leave, reports that cannot be true, failures before and after content,
 * repeated calls, and balances that are exactly enough.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import type { TestAccount } from "../harness/app-in-process.ts";
import { callers } from "../harness/formats/callers.ts";
import { type FormatStage, formats, nanosPerToken, pairs, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type Said, type Tokens, type UpstreamFormat } from "../harness/formats/upstreams.ts";
import type { ScriptedAnswer } from "../harness/scripted-upstream.ts";

const context = 8_000;
const maxOutput = 2_000;
let stage: FormatStage;
before(async () => {
  stage = await startFormats({ context, maxOutput });
});
after(async () => {
  await stage?.stop();
});

type Fields = Record<string, unknown>;
const both = [false, true];
const how = (caller: string, upstream: string, isStream: boolean): string =>
  `${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`;

const worth = ({ input, cached, output }: Omit<Tokens, "reasoning">): bigint =>
  BigInt(input) * nanosPerToken.input +
  BigInt(cached) * nanosPerToken.cached +
  BigInt(output) * nanosPerToken.output;

/** NanoUsd that the account has, and that is lent of it. */
async function balanceOf({ accountId }: TestAccount): Promise<bigint> {
  const found = await stage.app.store.findAccount(accountId);
  assert.ok(found !== undefined);
  return found.balance;
}

describe("an upstream that lies about what was used", () => {
  const sound = { input: 17, cached: 4, output: 9, reasoning: 3 };
  const zeros = { input: 0, cached: 0, output: 0, reasoning: 0 };
  const lies: Readonly<Record<string, Tokens>> = {
    "a huge prompt": { ...sound, input: 1_000_000_000 },
    "a huge output": { ...sound, output: 1_000_000_000 },
    "more than the model reads": { ...sound, input: context + 1 },
    "a negative prompt": { ...sound, input: -100 },
    "a negative output": { ...sound, output: -1, reasoning: 0 },
    "half a token": { ...sound, output: 9.5, reasoning: 0 },
  };
  for (const [caller, upstream] of pairs) {
    for (const isStream of both) {
      for (const [name, tokens] of Object.entries(lies)) {
        test(`${name}: charged by estimate, ${how(caller, upstream, isStream)}`, async () => {
          const said: Said = { texts: ["Yes."], tokens };
          stage.upstreams[upstream].answerWith(answerOf(upstream, said, isStream));
          const seen = await stage.send(caller, upstream, { isStream });
          assert.equal(seen.status, 200, String(seen.body));
          const row = await stage.rowOf(seen);
          assert.deepEqual([row.state, row.usageSource], ["complete", "estimated"]);
          assert.ok(row.charge > 0n && row.charge < worth({ input: 300, cached: 0, output: 300 }));
        });
      }

      test(`nothing but zeros: charged by estimate, ${how(caller, upstream, isStream)}`, async () => {
        for (const said of [
          { texts: ["Yes."] },
          { thoughts: "Hm." },
          { calls: [{ id: "c", name: "f", args: {} }] },
        ]) {
          stage.upstreams[upstream].answerWith(answerOf(upstream, { ...said, tokens: zeros }, isStream));
          const seen = await stage.send(caller, upstream, { isStream, tools: ["f"], thinks: true });
          assert.equal(seen.status, 200, String(seen.body));
          const row = await stage.rowOf(seen);
          assert.deepEqual([row.state, row.usageSource], ["complete", "estimated"], JSON.stringify(said));
          assert.ok(row.outputTokens > 0 && row.inputTokens > 0, JSON.stringify(said));
          assert.equal(row.charge, worth({ input: row.inputTokens, cached: 0, output: row.outputTokens }));
        }
      });

      test(`no output of an empty answer, and a prompt all from a cache: as reported, ${how(caller, upstream, isStream)}`, async () => {
        const reports: readonly (readonly [Said, Tokens])[] = [
          [{ end: "length" }, { ...zeros, input: 17 }],
          [{ texts: ["Yes."] }, { ...zeros, cached: 17, output: 2 }],
          [{ texts: ["Yes."] }, { ...zeros, cached: 17 }],
        ];
        for (const [said, tokens] of reports) {
          stage.upstreams[upstream].answerWith(answerOf(upstream, { ...said, tokens }, isStream));
          const seen = await stage.send(caller, upstream, { isStream });
          assert.equal(seen.status, 200, String(seen.body));
          const row = await stage.rowOf(seen);
          assert.deepEqual([row.usageSource, row.charge], ["exact", worth(tokens)], JSON.stringify(tokens));
        }
      });

      test(`none: charged by estimate, ${how(caller, upstream, isStream)}`, async () => {
        const answer = withoutUsage(answerOf(upstream, { texts: ["Yes."] }, isStream));
        stage.upstreams[upstream].answerWith(answer);
        const seen = await stage.send(caller, upstream, { isStream });
        assert.equal(seen.status, 200, String(seen.body));
        const row = await stage.rowOf(seen);
        assert.deepEqual([row.state, row.usageSource], ["complete", "estimated"]);
        assert.ok(row.outputTokens > 0 && row.inputTokens > 0 && row.charge > 0n);
      });
    }

    test(`twice in one stream: charged once, by the last, ${caller} at ${upstream}`, async () => {
      const said: Said = { texts: ["Yes."], tokens: sound };
      const answer = withUsageTwice(upstream, answerOf(upstream, said, true));
      stage.upstreams[upstream].answerWith(answer);
      const seen = await stage.send(caller, upstream, { isStream: true });
      assert.equal(seen.status, 200, String(seen.body));
      const row = await stage.rowOf(seen);
      assert.deepEqual([row.state, row.usageSource, row.charge], ["complete", "exact", worth(sound)]);
    });
  }
});

const usageNames = /"(?:usage|usageMetadata)":\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** Reports are renamed, so that there are none. */
const renamed = (text: string): string =>
  text.replaceAll(usageNames, (report) => report.replace(/^"\w+"/, '"made_up"'));

function withoutUsage(answer: ScriptedAnswer): ScriptedAnswer {
  const { body, events } = answer;
  if (events !== undefined)
    return {
      ...answer,
      events: events.map((one) => renamed(typeof one === "string" ? one : JSON.stringify(one))),
    };
  return { ...answer, body: renamed(typeof body === "string" ? body : JSON.stringify(body)) };
}

/** The event that reports comes twice, the first time with other counts. */
function withUsageTwice(upstream: UpstreamFormat, answer: ScriptedAnswer): ScriptedAnswer {
  const more = (text: string): string =>
    text.replace(/("(?:completion_tokens|output_tokens|candidatesTokenCount)":)\d+/g, "$12");
  if (answer.events !== undefined) {
    const texts = answer.events.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
    const at = texts.findLastIndex((text) => /"usage/.test(text));
    const first = more(texts[at] ?? "").replace(/"finishReason":"STOP",?/, "");
    return { ...answer, events: [...texts.slice(0, at), first, ...texts.slice(at)] };
  }
  const pieces = String(answer.body).split(/(?<=\n\n)/);
  const at = pieces.findLastIndex((text) => /"usage":\{/.test(text));
  const first =
    upstream === "openai-responses"
      ? more(pieces[at] ?? "").replaceAll("response.completed", "response.in_progress")
      : more(pieces[at] ?? "").replace('"stop_reason":"end_turn"', '"stop_reason":null');
  return { ...answer, body: [...pieces.slice(0, at), first, ...pieces.slice(at)].join("") };
}

/** A stream up to its first words, and then nothing. */
function stalled(upstream: UpstreamFormat, tokens?: Tokens): ScriptedAnswer {
  const said: Said = { texts: ["First.", "Second."] };
  const answer = answerOf(upstream, tokens === undefined ? said : { ...said, tokens }, true);
  if (answer.events !== undefined) {
    const at = answer.events.findIndex((one) => JSON.stringify(one).includes("First."));
    return { ...answer, events: answer.events.slice(0, at + 1), ending: "hang" };
  }
  const pieces = String(answer.body).split(/(?<=\n\n)/);
  const at = pieces.findIndex((piece) => piece.includes("First."));
  return { ...answer, body: pieces.slice(0, at + 1).join(""), ending: "hang" };
}

describe("a caller that leaves in the middle of a stream", () => {
  /** Calls, and leaves once the first word is there. */
  async function leave(caller: UpstreamFormat, upstream: UpstreamFormat, account: TestAccount) {
    const body = stage.bodyFor(caller, upstream, { isStream: true });
    let text = "";
    const seen = await post({
      url: `${stage.app.origin}${callers[caller].path(upstream, true)}`,
      key: account.key,
      body: JSON.stringify(body),
      onArrival: ({ bytes }, call) => {
        text += bytes.toString("utf8");
        if (text.includes("First.")) call.destroy();
      },
    });
    await stage.upstreams[upstream].calls[0]?.cancelled;
    const row = await stage.app.newestRow(account.accountId, 1);
    assert.equal(row.state, "aborted", text);
    return { seen, row };
  }

  for (const caller of formats) {
    for (const upstream of ["anthropic-messages", "gemini"] as const) {
      test(`pays for the prompt as its upstream has told it: ${caller} at ${upstream}`, async () => {
        const account = await stage.app.newAccount("1");
        // Messages tell it at the start, Gemini with every piece.
        const tokens = { input: 30, cached: 1_900, output: 9, reasoning: 0 };
        stage.upstreams[upstream].answerWith(stalled(upstream, tokens));
        const { row } = await leave(caller, upstream, account);
        const told = [row.usageSource, row.inputTokens, row.cachedInputTokens];
        assert.deepEqual(told, ["estimated", tokens.input, tokens.cached]);
        const words = row.outputTokens - row.reasoningTokens;
        assert.ok(words >= 1 && words <= 20, String(words));
      });
    }

    test(`pays for what was written where Gemini has told of the prompt alone: ${caller}`, async () => {
      const account = await stage.app.newAccount("1");
      const tokens = { input: 30, cached: 1_900, output: 0, reasoning: 0 };
      stage.upstreams.gemini.answerWith(stalled("gemini", tokens));
      const { row } = await leave(caller, "gemini", account);
      assert.deepEqual([row.inputTokens, row.cachedInputTokens], [tokens.input, tokens.cached]);
      const words = row.outputTokens - row.reasoningTokens;
      assert.ok(words >= 1 && words <= 20, String(words));
    });
  }

  for (const [caller, upstream] of pairs) {
    test(`pays for what was written, and the upstream is stopped: ${caller} at ${upstream}`, async () => {
      const account = await stage.app.newAccount("1");
      const before = await balanceOf(account);
      stage.upstreams[upstream].answerWith(stalled(upstream));
      const { seen, row } = await leave(caller, upstream, account);
      // Also at Gemini, whose objects report what was used so far: it goes on until it notices.
      assert.equal(row.usageSource, "estimated");
      // What it may have thought meanwhile is estimated by the time.
      const words = row.outputTokens - row.reasoningTokens;
      assert.ok(words >= 1 && words <= 20, String(words));
      assert.equal(before - (await balanceOf(account)), row.charge);
      assert.equal(seen.isWhole, false);
    });
  }
});

describe("a failure before anything was sent", () => {
  /** Ways to say nothing, after which another deployment is asked. */
  const failures: Readonly<Record<string, ScriptedAnswer>> = {
    "a 503": { status: 503, body: "{}" },
    "an empty stream": { body: "", headers: { "content-type": "text/event-stream" } },
    "no JSON": { body: "data: oops\n\n", headers: { "content-type": "text/event-stream" } },
  };
  for (const caller of formats) {
    for (const [name, failure] of Object.entries(failures)) {
      for (const [first, second] of pairs.filter(([one, other]) => one !== other)) {
        test(`${name} at ${first}, then ${second}: ${caller} is charged for one answer`, async () => {
          const model = stage.fresh(first);
          stage.upstreams[first].answerWith(failure);
          stage.upstreams[second].answerWith(answerOf(second, { texts: ["Yes."] }, true));
          const body = stage.bodyFor(caller, first, { isStream: true, model });
          const path = callers[caller].path(`${model}-or-${second}`, true);
          const seen = await post({
            url: `${stage.app.origin}${path}`,
            key: stage.account.key,
            body: JSON.stringify(caller === "gemini" ? body : { ...body, model: `${model}-or-${second}` }),
          });
          assert.equal(seen.status, 200, String(seen.body));
          assert.equal(callers[caller].read(seen.body, true).text, "Yes.");
          const row = await stage.rowOf(seen);
          const usual = worth({ input: 17, cached: 4, output: 9 });
          assert.deepEqual([row.attempts, row.upstreamId, row.charge], [2, second, usual]);
        });
      }
    }
  }
});

describe("a call repeated under its Idempotency-Key", () => {
  for (const [caller, upstream] of pairs) {
    for (const isStream of both) {
      test(`is answered with the same bytes and paid once, ${how(caller, upstream, isStream)}`, async () => {
        const account = await stage.app.newAccount("1");
        const headers = { "idempotency-key": "the-same" };
        const answer = answerOf(upstream, { thoughts: "Hm.", texts: ["Yes."] }, isStream);
        stage.upstreams[upstream].answerWith(answer);
        const ask = (more: Fields = {}): Promise<Seen> => {
          const body = { ...stage.bodyFor(caller, upstream, { isStream }), ...more };
          return stage.send(caller, upstream, { isStream, headers, from: account, body });
        };
        const [one, other] = await Promise.all([ask(), ask()]);
        const [first, held] = one.status === 200 ? [one, other] : [other, one];
        assert.equal(first.status, 200, String(first.body));
        if (held.status !== 409) assert.deepEqual(held.body, first.body);
        const again = await ask();
        assert.deepEqual([again.status, again.body], [200, first.body]);
        assert.equal(again.headers["idempotent-replayed"], "true");
        assert.equal(stage.upstreams[upstream].calls.length, 1);
        const paid = nanoUsd(1_000_000_000n) - (await balanceOf(account));
        assert.equal(paid, worth({ input: 17, cached: 4, output: 9 }));
        const changed = await ask(caller === "gemini" ? { systemInstruction: { parts: [] } } : { user: "x" });
        assert.equal(changed.status, 422, String(changed.body));
      });
    }
  }
});

/** The most output a body asks for. */
const boundIn: Readonly<Record<UpstreamFormat, (body: Fields) => unknown>> = {
  "openai-chat": (body) => body["max_completion_tokens"] ?? body["max_tokens"],
  "openai-responses": (body) => body["max_output_tokens"],
  "anthropic-messages": (body) => body["max_tokens"],
  gemini: (body) => (body["generationConfig"] as Fields | undefined)?.["maxOutputTokens"],
};

describe("a balance that is exactly enough", () => {
  const outputMax = 1_000;
  for (const [caller, upstream] of pairs) {
    test(`pays for the most that the upstream may say, ${caller} at ${upstream}`, async () => {
      const body = stage.bodyFor(caller, upstream, { outputMax });
      const input = Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 4);
      const enough = worth({ input, cached: 0, output: outputMax });
      for (const [missing, expected] of [
        [0n, outputMax],
        // A token's worth less, and the output is cut by one.
        [nanosPerToken.output, outputMax - 1],
        [nanosPerToken.output * 500n, outputMax - 500],
      ] as const) {
        const balance = enough - missing;
        const account = await stage.app.newAccount(`0.${String(balance).padStart(9, "0")}`);
        const tokens = { input, cached: 0, output: expected, reasoning: 0 };
        stage.upstreams[upstream].answerWith(answerOf(upstream, { texts: ["Yes."], tokens }, false));
        const seen = await stage.send(caller, upstream, { body, from: account });
        assert.equal(seen.status, 200, String(seen.body));
        assert.equal(boundIn[upstream](stage.upstreams[upstream].calls[0]?.body ?? {}), expected);
        assert.equal((await stage.rowOf(seen)).charge, worth(tokens));
        assert.equal(await balanceOf(account), balance - worth(tokens));
        assert.ok((await balanceOf(account)) < nanosPerToken.output, "all of it was spent");
      }
      const poor = await stage.app.newAccount(
        `0.${String(worth({ input, cached: 0, output: 9 })).padStart(9, "0")}`,
      );
      stage.upstreams[upstream].answerWith(answerOf(upstream, { texts: ["Yes."] }, false));
      assert.equal((await stage.send(caller, upstream, { body, from: poor })).status, 402);
      assert.equal(stage.upstreams[upstream].calls.length, 0);
    });
  }
});

describe("several answers to one question", () => {
  /** Callers that may ask for several, and what they send. */
  const several: Readonly<Partial<Record<UpstreamFormat, (body: Fields, count: number) => Fields>>> = {
    "openai-chat": (body, n) => ({ ...body, n }),
    gemini: (body, candidateCount) => ({
      ...body,
      generationConfig: { ...(body["generationConfig"] as Fields), candidateCount },
    }),
  };
  for (const [caller, ask] of Object.entries(several) as [UpstreamFormat, (typeof several)["gemini"]][]) {
    for (const upstream of formats) {
      test(`are held for each, ${caller} at ${upstream}`, async () => {
        const [count, outputMax] = [4, 1_000];
        const body = ask?.(stage.bodyFor(caller, upstream, { outputMax }), count) ?? {};
        // Enough for one answer in full, so for a quarter of each of four.
        const balance = worth({ input: 500, cached: 0, output: outputMax });
        const account = await stage.app.newAccount(`0.${String(balance).padStart(9, "0")}`);
        stage.upstreams[upstream].answerWith(answerOf(upstream, { texts: ["Yes."] }, false));
        const seen = await stage.send(caller, upstream, { body, from: account });
        const [call] = stage.upstreams[upstream].calls;
        if (call === undefined) {
          assert.ok(seen.status === 400 || seen.status === 402, String(seen.body));
          return;
        }
        const asked = Number(/"(?:n|candidateCount)":\s*(\d+)/.exec(call.text)?.[1] ?? 1);
        const most = Number(boundIn[upstream](call.body)) * asked;
        assert.ok(worth({ input: 0, cached: 0, output: most }) <= balance, `${most} of ${call.text}`);
      });
    }
  }
});
