/**
 * How a stream of a Gemini upstream ends, for callers of every format. Its own mark is the finish reason and
 * then the end of the body: where that does not come in order the answer is not known to be whole. Upstreams
 * of the other formats have a marker, and nothing behind it matters.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isTerminal, readFailure } from "../../rigs/harness/endings.ts";
import type { EndpointName } from "../../rigs/harness/endpoints.ts";
import type { Seen } from "../../rigs/harness/http-client.ts";
import { splitEvents } from "../../rigs/harness/sse.ts";
import { type Asked, type FormatStage, formats, pairs, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type UpstreamFormat } from "../harness/formats/upstreams.ts";
import type { ScriptedAnswer } from "../harness/scripted-upstream.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats();
});
after(async () => {
  await stage?.stop();
});

const endpoints: Readonly<Record<UpstreamFormat, EndpointName>> = {
  "openai-chat": "chat",
  "openai-responses": "responses",
  "anthropic-messages": "messages",
  gemini: "gemini",
};

const tokens = { input: 30, cached: 4, output: 9, reasoning: 0 };
const words = (upstream: UpstreamFormat): ScriptedAnswer =>
  answerOf(upstream, { texts: ["First.", "Second."], tokens }, true);

const hasEnd = (caller: UpstreamFormat, { body }: Seen): boolean =>
  splitEvents(body).some((piece) => isTerminal(endpoints[caller], piece));

async function ask(
  caller: UpstreamFormat,
  upstream: UpstreamFormat,
  answer: ScriptedAnswer,
  more: Asked = {},
) {
  stage.upstreams[upstream].answerWith(answer);
  const seen = await stage.send(caller, upstream, { isStream: true, model: stage.fresh(upstream), ...more });
  assert.equal(seen.status, 200);
  return { seen, row: await stage.rowOf(seen) };
}

describe("after the finish reason of a Gemini upstream", () => {
  for (const caller of formats) {
    test(`the end of the body makes the answer whole: ${caller}`, async () => {
      const { seen, row } = await ask(caller, "gemini", words("gemini"));
      assert.ok(hasEnd(caller, seen), String(seen.body));
      assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["complete", "exact", tokens.output]);
    });

    test(`so does a second in which nothing comes: ${caller}`, async () => {
      const { seen, row } = await ask(caller, "gemini", { ...words("gemini"), ending: "hang" });
      assert.ok(hasEnd(caller, seen), String(seen.body));
      assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["complete", "exact", tokens.output]);
      await stage.upstreams.gemini.calls[0]?.cancelled;
    });

    test(`the same for a request that is translated in a thread: ${caller}`, async () => {
      const hanging: ScriptedAnswer = { ...words("gemini"), ending: "hang" };
      const { seen, row } = await ask(caller, "gemini", hanging, { prompt: "long ".repeat(60_000) });
      assert.ok(hasEnd(caller, seen), String(seen.body));
      assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["complete", "exact", tokens.output]);
      await stage.upstreams.gemini.calls.at(-1)?.cancelled;
    });

    test(`a connection that breaks is an error, never an end, and charged as told: ${caller}`, async () => {
      const { seen, row } = await ask(caller, "gemini", { ...words("gemini"), ending: "cut" });
      assert.ok(!hasEnd(caller, seen), String(seen.body));
      const pieces = splitEvents(seen.body);
      assert.notEqual(readFailure(endpoints[caller], pieces), undefined, String(seen.body));
      assert.equal(row.state, "incomplete");
      const told = [row.inputTokens, row.cachedInputTokens, row.outputTokens];
      assert.deepEqual(told, [tokens.input, tokens.cached, tokens.output]);
    });
  }
});

describe("after the marker of an upstream that has one, a connection that breaks changes nothing", () => {
  for (const [caller, upstream] of pairs.filter(([, other]) => other !== "gemini")) {
    test(`${caller} at ${upstream}`, async () => {
      const { seen, row } = await ask(caller, upstream, { ...words(upstream), ending: "cut" });
      assert.ok(hasEnd(caller, seen), String(seen.body));
      assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["complete", "exact", tokens.output]);
    });
  }
});
