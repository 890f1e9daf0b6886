/**
 * Bugs of other gateways and servers that reach Plaza as an upstream's answers: whatever is missing, doubled
 * or in the wrong place there, callers of every other format get a sound answer. The name of a test is the
 * bug. Callers of the upstream's own format get its bytes.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callers, type Told } from "../harness/formats/callers.ts";
import { type FormatStage, formats, startFormats } from "../harness/formats/stage.ts";
import type { UpstreamFormat } from "../harness/formats/upstreams.ts";
import { messageItem, responsesUsage } from "../harness/responses-shapes.ts";
import { chatLies, geminiLies, messagesLies } from "./lies-of-others.ts";
import { call, item, type Lie, responsesLies } from "./lies-of-responses.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats();
});
after(async () => {
  await stage?.stop();
});

const lies: Readonly<Record<UpstreamFormat, Readonly<Record<string, Lie>>>> = {
  "openai-chat": chatLies,
  "openai-responses": responsesLies,
  "anthropic-messages": messagesLies,
  gemini: geminiLies,
};

function assertSound(caller: UpstreamFormat, { answer: _, ...lie }: Lie, told: Told): void {
  assert.deepEqual([told.text, told.thoughts], [lie.text ?? "Hello", lie.thoughts ?? ""]);
  const expected = lie.calls ?? [];
  assert.deepEqual(
    told.calls.map(({ name, args }) => ({ name, args })),
    expected.map(({ name, args }) => ({ name, args })),
  );
  const ids = told.calls.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "ids of their own");
  for (const [index, { id }] of expected.entries()) {
    if (id === undefined) assert.match(String(ids[index]), /^\w{3,}/);
    else assert.equal(ids[index], id);
  }
  const { ends } = callers[caller];
  assert.equal(told.end, expected.length > 0 ? ends.calls : ends.stop);
}

for (const upstream of formats) {
  for (const caller of formats.filter((one) => one !== upstream)) {
    describe(`${caller} at a lying ${upstream}`, () => {
      for (const [name, lie] of Object.entries(lies[upstream])) {
        test(name, async () => {
          const model = stage.fresh(upstream);
          const asked = { isStream: true, thinks: true, tools: ["f", "g"], model };
          const { seen, told } = await stage.ask(caller, upstream, lie.answer, asked);
          assertSound(caller, lie, told);
          const row = await stage.rowOf(seen);
          assert.deepEqual([row.state, row.usageSource], ["complete", lie.usageSource ?? "exact"]);
          assert.ok(
            row.charge > 0n && row.outputTokens > 0 && row.inputTokens > 0,
            JSON.stringify(row.usageSource),
          );
        });
      }
    });
  }
}

describe("an own caller of a lying upstream", () => {
  for (const upstream of formats) {
    for (const [name, lie] of Object.entries(lies[upstream])) {
      test(`gets its bytes: ${upstream}, ${name}`, async () => {
        const model = stage.fresh(upstream);
        stage.upstreams[upstream].answerWith(lie.answer);
        const seen = await stage.send(upstream, upstream, { isStream: true, model, tools: ["f", "g"] });
        assert.equal(seen.status, 200, String(seen.body));
        const { events, body } = lie.answer;
        const sent =
          events === undefined
            ? String(body)
            : events
                .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
                .join("");
        assert.equal(String(seen.body).replaceAll(/^: .*\n\n/gm, ""), sent);
        assert.equal((await stage.rowOf(seen)).state, "complete");
      });
    }
  }
});

/** Only what is asked for in whole answers, where a stream has more places to go wrong. */
describe("whole answers", () => {
  test("a response without id, model, status and usage's details", async () => {
    for (const caller of ["openai-chat", "anthropic-messages", "gemini"] as const) {
      const answer = {
        body: { object: "response", output: [messageItem("Hello"), item], usage: responsesUsage },
      };
      const { told } = await stage.ask(caller, "openai-responses", answer, { tools: ["f"] });
      assertSound(caller, { answer, calls: [call] }, told);
    }
  });
});
