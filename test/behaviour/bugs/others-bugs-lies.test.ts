/**
 * Bugs of other gateways and servers that reach Plaza as an upstream's answers: whatever is missing, doubled
 * or in the wrong place there, callers of every other format get a sound answer. The name of a test is the
 * bug. Callers of the upstream's own format get its bytes, and in Responses what they lack beside them.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Seen } from "../../rigs/harness/http-client.ts";
import { callers, type Told } from "../harness/formats/callers.ts";
import { type FormatStage, formats, startFormats } from "../harness/formats/stage.ts";
import type { UpstreamFormat } from "../harness/formats/upstreams.ts";
import { eventsIn, messageItem, type ResponsesEvent, responsesUsage } from "../harness/responses-shapes.ts";
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

const withoutComments = ({ body }: Seen): string => String(body).replaceAll(/^: .*\n\n/gm, "");

/** Lies that leave out nothing. */
const sound = new Set(["no usage at all", "unknown item types and events"]);

describe("an own caller of a lying Responses upstream that is not OpenAI", () => {
  const upstream = "openai-responses";
  for (const [name, lie] of Object.entries(responsesLies)) {
    test(name, async () => {
      const asked = { isStream: true, thinks: true, tools: ["f", "g"], model: stage.fresh(upstream) };
      stage.upstreams[upstream].answerWith(lie.answer);
      const seen = await stage.send(upstream, upstream, asked);
      assert.equal(seen.status, 200, String(seen.body));
      if (sound.has(name)) assert.equal(withoutComments(seen), lie.answer.body);
      else {
        assertSound(upstream, lie, callers[upstream].read(seen.body, true));
        assertWhole(withoutComments(seen));
      }
      const row = await stage.rowOf(seen);
      assert.deepEqual([row.state, row.usageSource], ["complete", lie.usageSource ?? "exact"]);
      assert.deepEqual(
        [row.charge > 0n, row.outputTokens > 0, row.inputTokens > 0],
        [true, true, true],
        JSON.stringify([String(row.charge), row.outputTokens, row.inputTokens]),
      );
    });
  }
});

/** Numbers, items and the last event are as OpenAI sends them. */
function assertWhole(text: string): void {
  const events = eventsIn(text);
  const [first] = events;
  assert.equal(first?.type, "response.created");
  const [begun, response] = [first, events.at(-1)].map((event) => event?.["response"] as Fields);
  for (const name of ["id", "object", "created_at", "model"]) {
    assert.ok(response?.[name], name);
    if (begun?.["id"] === "resp_up") assert.equal(begun[name], response[name], name);
  }
  const usage = response?.["usage"] as Record<string, Fields> | null;
  if (usage !== null) {
    assert.equal(typeof usage?.["input_tokens_details"]?.["cached_tokens"], "number");
    assert.equal(typeof usage?.["output_tokens_details"]?.["reasoning_tokens"], "number");
  }
  const done = events.filter(({ type }) => type === "response.output_item.done");
  const added = events.filter(({ type }) => type === "response.output_item.added");
  assert.equal(done.length, added.length);
  assert.deepEqual(
    ((response?.["output"] ?? []) as Fields[]).map(({ type }) => type),
    [...done].sort((a, b) => Number(a["output_index"]) - Number(b["output_index"])).map(typeOfItem),
  );
  for (const [index, event] of events.entries())
    if (typeof event["item_id"] === "string")
      assert.ok(
        added.some(({ item }) => (item as Fields)["id"] === event["item_id"]),
        `${index} ${event.type}`,
      );
}

type Fields = Record<string, unknown>;
const typeOfItem = (event: ResponsesEvent): unknown => (event["item"] as Fields)["type"];

describe("an own caller of a lying upstream", () => {
  for (const upstream of formats.filter((one) => one !== "openai-responses")) {
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
        assert.equal(withoutComments(seen), sent);
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
