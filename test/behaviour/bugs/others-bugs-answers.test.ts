/**
 * Bugs that other gateways have in the answers they write, each a test for every upstream's format behind
 * Plaza: the name of a test is the bug. Answers are read as strictly as the format's clients read them.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { callers, type Told } from "../harness/formats/callers.ts";
import { type FormatStage, formats, pairs, startFormats } from "../harness/formats/stage.ts";
import { type Said, type UpstreamFormat, usualTokens } from "../harness/formats/upstreams.ts";
import { eventsIn as messagesEventsIn } from "../harness/messages-shapes.ts";
import { type ResponsesEvent, eventsIn as responsesEventsIn } from "../harness/responses-shapes.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats();
});
after(async () => {
  await stage?.stop();
});

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;

const thoughts = "Let me look.";
const texts = ["Look", "ing."];
const calls = [
  { id: "call_one", name: "f", args: { a: 1 } },
  { id: "call_two", name: "g", args: { a: 2 } },
];
const full: Said = { thoughts, texts, calls };
const asked = { thinks: true, tools: ["f", "g"] } as const;

const ask = (caller: UpstreamFormat, upstream: UpstreamFormat, isStream: boolean, said = full) =>
  stage.ask(caller, upstream, said, { ...asked, isStream });

async function responsesEvents(upstream: UpstreamFormat): Promise<ResponsesEvent[]> {
  return responsesEventsIn(String((await ask("openai-responses", upstream, true)).seen.body));
}

/** The events of Responses whose type fits. */
const those = (events: readonly ResponsesEvent[], type: RegExp): ResponsesEvent[] =>
  events.filter((event) => type.test(event.type));

describe("Responses", () => {
  for (const upstream of formats) {
    test(`missing output_item.added before deltas, ${upstream}`, async () => {
      const added = new Set<unknown>();
      for (const event of await responsesEvents(upstream)) {
        if (event.type === "response.output_item.added") added.add((event["item"] as Fields)["id"]);
        else if (event["item_id"] !== undefined) assert.ok(added.has(event["item_id"]), event.type);
      }
      assert.ok(added.size >= 4, `${added.size} items`);
    });

    test(`completed without id, output or model, ${upstream}`, async () => {
      const { seen } = await ask("openai-responses", upstream, true);
      const events = responsesEventsIn(String(seen.body));
      const first = events[0]?.["response"] as Fields;
      const last = events.at(-1)?.["response"] as Fields;
      assert.match(String(last["id"]), /^resp_/);
      assert.equal(last["id"], first["id"]);
      assert.ok(String(last["model"]).length > 2);
      assert.equal(last["status"], "completed");
      for (const name of ["created_at", "tools", "tool_choice", "parallel_tool_calls"])
        assert.notEqual(last[name], undefined, name);
    });

    test(`output: [] after items were streamed, ${upstream}`, async () => {
      const events = await responsesEvents(upstream);
      const done = those(events, /output_item\.done$/).map(({ item }) => item);
      assert.deepEqual(fieldsOf(events.at(-1)?.["response"])["output"], done);
    });

    test(`missing sequence_number, ${upstream}`, async () => {
      for (const [index, event] of (await responsesEvents(upstream)).entries())
        assert.equal(event["sequence_number"], index);
    });

    test(`function-call items without done, ${upstream}`, async () => {
      const events = await responsesEvents(upstream);
      const done = those(events, /output_item\.done$/)
        .map(({ item }) => item as Fields)
        .filter(({ type }) => type === "function_call");
      assert.deepEqual(
        done.map(({ call_id, name, arguments: text, status }) => [call_id, name, text, status]),
        calls.map(({ id, name, args }) => [id, name, JSON.stringify(args), "completed"]),
      );
      assert.equal(those(events, /function_call_arguments\.done$/).length, 2);
    });

    test(`reasoning before any item, ${upstream}`, async () => {
      const events = await responsesEvents(upstream);
      const [first] = those(events, /reasoning_.*delta$/);
      const item = events.find(
        ({ type, item: one }) =>
          type === "response.output_item.added" && (one as Fields)["id"] === first?.["item_id"],
      );
      assert.equal(fieldsOf(item?.["item"])["type"], "reasoning");
      assert.ok(Number(item?.["sequence_number"]) < Number(first?.["sequence_number"]));
    });
  }
});

/** Deltas of Messages with the kind of the block they are in. */
function deltasOf(text: string): { readonly block: unknown; readonly delta: unknown }[] {
  const kinds = new Map<unknown, unknown>();
  return messagesEventsIn(text).flatMap((event) => {
    if (event.type === "content_block_start")
      kinds.set(event["index"], (event["content_block"] as Fields)["type"]);
    if (event.type !== "content_block_delta") return [];
    return [{ block: kinds.get(event["index"]), delta: (event["delta"] as Fields)["type"] }];
  });
}

describe("Messages", () => {
  for (const upstream of formats) {
    test(`two message_start, ${upstream}`, async () => {
      const { seen } = await ask("anthropic-messages", upstream, true);
      const types = messagesEventsIn(String(seen.body)).map(({ type }) => type);
      assert.equal(types[0], "message_start");
      assert.equal(types.filter((type) => type === "message_start").length, 1);
      assert.equal(types.filter((type) => type === "message_stop").length, 1);
    });

    test(`thinking inside a text block, ${upstream}`, async () => {
      const { seen, told } = await ask("anthropic-messages", upstream, true);
      const fits = new Set([
        "text text_delta",
        "thinking thinking_delta",
        "thinking signature_delta",
        "tool_use input_json_delta",
      ]);
      for (const { block, delta } of deltasOf(String(seen.body))) assert.ok(fits.has(`${block} ${delta}`));
      assert.deepEqual([told.thoughts, told.text], [thoughts, texts.join("")]);
    });

    test(`usage in message_start 0/0, ${upstream}`, async () => {
      const { seen } = await ask("anthropic-messages", upstream, true);
      const [start] = messagesEventsIn(String(seen.body));
      const usage = fieldsOf(fieldsOf(start?.["message"])["usage"]);
      assert.ok(Number(usage["input_tokens"]) > 0, JSON.stringify(usage));
      assert.equal(typeof usage["output_tokens"], "number");
    });
  }
});

/** Everything in an answer that both of its forms must have. */
const shown = ({ thoughts: thought, text, calls: made, end, tokens }: Told) => ({
  thought,
  text,
  made,
  end,
  tokens,
});

describe("every format", () => {
  for (const [caller, upstream] of pairs) {
    test(`text doubled or lost between a stream and a whole answer, ${caller} at ${upstream}`, async () => {
      const streamed = (await ask(caller, upstream, true)).told;
      const whole = (await ask(caller, upstream, false)).told;
      assert.deepEqual(shown(streamed), shown(whole));
      assert.deepEqual([whole.thoughts, whole.text], [thoughts, texts.join("")]);
      assert.equal(whole.end, callers[caller].ends.calls);
    });

    for (const isStream of [false, true]) {
      const how = `${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`;
      test(`a tool call's id lost, ${how}`, async () => {
        const { told } = await ask(caller, upstream, isStream);
        assert.deepEqual(told.calls, calls);
      });

      test(`usage without details, ${how}`, async () => {
        const { told } = await ask(caller, upstream, isStream);
        const { input, cached, output, reasoning } = usualTokens;
        // Messages has no word for thoughts, neither in its answers nor in its reports.
        const known = upstream === "anthropic-messages" ? 0 : reasoning;
        const expected = caller === "anthropic-messages" ? undefined : known;
        assert.deepEqual(told.tokens, { input: input + cached, cached, output, reasoning: expected });
      });

      for (const end of ["length", "filter"] as const) {
        test(`an answer that ended by ${end} said to be complete, or broken, ${how}`, async () => {
          const said: Said = { texts, end };
          const { told, seen } = await ask(caller, upstream, isStream, said);
          assert.equal(told.end, callers[caller].ends[end]);
          assert.equal(told.text, texts.join(""));
          assert.equal((await stage.rowOf(seen)).state, "complete");
        });
      }
    }
  }
});
