/**
 * What an answer costs whose upstream says nothing of its usage, or nothing but zeros: the two are the same.
 * On every endpoint, at upstreams of every format: answers without content, of images alone, and of images
 * beside words.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parseUsd } from "@plaza/contract/money.ts";
import type { StoredRequest } from "../../../server/src/store/requests/shapes.ts";
import { type FormatStage, pairs, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type Said, type Tokens, type UpstreamFormat } from "../harness/formats/upstreams.ts";
import type { ScriptedAnswer } from "../harness/scripted-upstream.ts";

/** NanoUsd per token. */
const nanos = { input: 1_000n, output: 2_000n, image: 30_000n };
const price = { input: parseUsd("1"), output: parseUsd("2"), imageOutput: parseUsd("30") };
let stage: FormatStage;
before(async () => {
  stage = await startFormats({ price });
});
after(async () => {
  await stage?.stop();
});

const zeros: Tokens = { input: 0, cached: 0, output: 0, reasoning: 0 };
/** More than a stream keeps back, in base64; of the same size, so that the second looks like the first. */
const images = ["A", "B"].map((letter) => letter.repeat(400_000));
/** What one counts as. */
const imageTokens = 1_120;

const reports: Readonly<Record<string, (answer: ScriptedAnswer) => ScriptedAnswer>> = {
  "nothing but zeros": (answer) => answer,
  "no usage": withoutUsage,
};

const usageNames = /"(?:usage|usageMetadata)":\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** Reports are renamed, so that there are none. */
function withoutUsage(answer: ScriptedAnswer): ScriptedAnswer {
  const renamed = (value: unknown): string =>
    (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(usageNames, (report) =>
      report.replace(/^"\w+"/, '"made_up"'),
    );
  const { body, events } = answer;
  return events === undefined
    ? { ...answer, body: renamed(body) }
    : { ...answer, events: events.map(renamed) };
}

/** What the row says of its images. */
const imageOutputOf = ({ usageParts }: StoredRequest): number => usageParts?.imageOutput ?? 0;

for (const [caller, upstream] of pairs) {
  for (const isStream of [false, true]) {
    const ask = async (said: Said, report: (answer: ScriptedAnswer) => ScriptedAnswer) => {
      stage.upstreams[upstream].answerWith(report(answerOf(upstream, { ...said, tokens: zeros }, isStream)));
      const seen = await stage.send(caller, upstream, { isStream });
      assert.equal(seen.status, 200, String(seen.body.subarray(0, 1_000)));
      return { seen, row: await stage.rowOf(seen) };
    };
    describe(`${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`, () => {
      for (const [name, report] of Object.entries(reports)) {
        test(`${name}, and no content: the prompt is charged, by estimate`, async () => {
          const { row } = await ask({ end: "length" }, report);
          assert.deepEqual([row.state, row.usageSource, row.outputTokens], ["complete", "estimated", 0]);
          assert.ok(row.inputTokens > 0);
          assert.equal(row.charge, BigInt(row.inputTokens) * nanos.input);
        });

        if (upstream === "anthropic-messages") continue;
        test(`${name}, and images: they are charged as images, however many bytes they have`, async () => {
          for (const texts of [[], ["A word."]]) {
            const { seen, row } = await ask({ texts, images }, report);
            assert.ok(seen.body.includes(images[1] as string), "the images arrive");
            assert.deepEqual([row.state, row.usageSource], ["complete", "estimated"]);
            assert.equal(imageOutputOf(row), images.length * imageTokens);
            const words = row.outputTokens - imageOutputOf(row);
            assert.ok(texts.length === 0 ? words <= 8 : words > 0 && words <= 12, `${words} tokens of text`);
            const output = BigInt(words) * nanos.output + BigInt(imageOutputOf(row)) * nanos.image;
            assert.equal(row.charge, BigInt(row.inputTokens) * nanos.input + output);
          }
        });
      }
    });
  }
}

/** What a model says without a word that the caller must see. */
const unseen: Said = {
  thoughts: "Many words, thought and not shown. ".repeat(40),
  texts: ["One."],
  calls: [{ id: "call_1", name: "look", args: { text: "All that is asked of it. ".repeat(40) } }],
};
/** By their length; a piece counts as its text is long. */
const unseenTokens = Math.ceil(
  (Buffer.byteLength(unseen.thoughts ?? "") + JSON.stringify(unseen.calls?.[0]?.args).length) / 4,
);

for (const [caller, upstream] of pairs) {
  if (caller === upstream) continue;
  for (const isStream of [true, false]) {
    const how = `${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`;
    test(`${how}: thoughts are charged that the caller is not shown`, async () => {
      const answer = withoutUsage(answerOf(upstream, { ...unseen, tokens: zeros }, isStream));
      stage.upstreams[upstream].answerWith(answer);
      const seen = await stage.send(caller, upstream, { isStream });
      assert.equal(seen.status, 200);
      const row = await stage.rowOf(seen);
      assert.deepEqual([row.state, row.usageSource], ["complete", "estimated"]);
      const more = row.outputTokens - unseenTokens;
      assert.ok(more >= 0 && more <= 8, `${row.outputTokens} tokens, of ${unseenTokens}`);
    });
  }
}

/** Upstreams that write images into their text. */
const writers: readonly UpstreamFormat[] = [
  "openai-chat",
  "anthropic-messages",
  "gemini",
  "openai-responses",
];
for (const upstream of writers) {
  for (const isStream of [false, true]) {
    test(`an image written into a text is one, no words, at ${upstream}, ${isStream ? "streamed" : "whole"}`, async () => {
      const texts = ["Here:", ` ![it](data:image/png;base64,${images[0]})`];
      const answer = answerOf(upstream, { texts, tokens: zeros }, isStream);
      stage.upstreams[upstream].answerWith(answer);
      const seen = await stage.send(upstream, upstream, { isStream });
      assert.equal(seen.status, 200);
      const row = await stage.rowOf(seen);
      assert.equal(imageOutputOf(row), imageTokens);
      assert.ok(row.outputTokens - imageTokens <= 20, String(row.outputTokens));
    });
  }
}
