/** The scripted Messages model: Anthropic's SDK reads it, and what Anthropic refuses is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { messagesWire } from "./messages.ts";
import { type ScriptedModel, startScriptedModel } from "./server.ts";
import { finalText, task } from "./task.ts";

type Message = Anthropic.MessageParam;
type Body = Anthropic.MessageCreateParamsNonStreaming;

let model: ScriptedModel;
let client: Anthropic;
before(async () => {
  model = await startScriptedModel(messagesWire);
  client = new Anthropic({ baseURL: model.origin, apiKey: "sk-scripted", maxRetries: 0 });
});
after(() => model?.stop());

const ask = (messages: Message[], more: Partial<Body> = {}): Body => ({
  model: "scripted",
  max_tokens: 4_096,
  messages,
  thinking: { type: "adaptive" },
  tools: [
    {
      name: "bash",
      input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    },
  ],
  ...more,
});

/** A conversation whose next answer is the given step's. */
async function upTo(step: number): Promise<Message[]> {
  const messages: Message[] = [{ role: "user", content: "do it" }];
  model.begin("/work");
  for (let at = 0; at < step; at++) {
    const { content } = await client.messages.create(ask(messages));
    messages.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    const works = task[at]?.works ?? [];
    messages.push({
      role: "user",
      content: calls.map(({ id }, index) => {
        const work = works[index];
        return { type: "tool_result", tool_use_id: id, content: work?.kind === "run" ? work.prints : "done" };
      }),
    });
  }
  return messages;
}

test("the script runs to its end, whole and streamed", async () => {
  const messages = await upTo(task.length - 1);
  const whole = await client.messages.create(ask(messages));
  assert.deepEqual(whole.content.at(-1), { type: "text", text: finalText });
  const streamed = await client.messages.stream(ask(messages)).finalMessage();
  assert.deepEqual(streamed.content, whole.content);
  assert.deepEqual(streamed.usage, whole.usage);
});

test("thinking and parallel calls stream as they are whole", async () => {
  const messages = await upTo(1);
  const whole = await client.messages.create(ask(messages));
  const streamed = await client.messages.stream(ask(messages)).finalMessage();
  assert.deepEqual(
    whole.content.map(({ type }) => type),
    ["thinking", "text", "tool_use", "tool_use"],
  );
  assert.deepEqual(streamed.content, whole.content);
});

test("a hidden thought keeps its signature", async () => {
  const messages = await upTo(1);
  const { content } = await client.messages.create(
    ask(messages, { thinking: { type: "adaptive", display: "omitted" } }),
  );
  const [first] = content;
  assert.ok(first?.type === "thinking" && first.thinking === "" && first.signature.length > 20);
});

type Block = Record<string, unknown>;
type Edit = (turns: { assistant: Block[]; user: Block[] }) => void;
const refusals: readonly (readonly [string, Edit, RegExp])[] = [
  ["thinking that is missing", ({ assistant }) => assistant.shift(), /Expected `thinking`/],
  [
    "an altered signature",
    ({ assistant }) => Object.assign(assistant[0] ?? {}, { signature: "c2ln" }),
    /altered/,
  ],
  [
    "altered input",
    ({ assistant }) => Object.assign(assistant.at(-1) ?? {}, { input: {} }),
    /input of .* altered/,
  ],
  ["a missing result", ({ user }) => user.splice(0, 1, { type: "text", text: "hm" }), /without tool_result/],
  ["a result after text", ({ user }) => user.unshift({ type: "text", text: "hm" }), /must come first/],
  ["a result twice", ({ user }) => user.push(user[0] as Block), /unexpected tool_use_id/],
  ["empty text", ({ user }) => user.push({ type: "text", text: "" }), /non-whitespace/],
  [
    "an unknown field",
    ({ assistant }) => Object.assign(assistant[1] ?? {}, { index: 1 }),
    /unknown field "index"/,
  ],
  [
    "five cache marks",
    ({ user }) => {
      for (let at = 0; at < 5; at++)
        user.push({ type: "text", text: "x", cache_control: { type: "ephemeral" } });
    },
    /maximum of 4 blocks/,
  ],
];

for (const [name, edit, expected] of refusals)
  test(`refuses ${name}`, async () => {
    const messages = await upTo(1);
    const [, assistant, user] = messages.map(({ content }) => content as unknown as Block[]);
    edit({ assistant: assistant ?? [], user: user ?? [] });
    await assert.rejects(client.messages.create(ask(messages)));
    assert.match(model.calls.at(-1)?.refused ?? "", expected);
  });

test("refuses a field of a beta without the beta", async () => {
  model.begin("/work");
  const body = ask([{ role: "user", content: "hi" }], { context_management: { edits: [] } } as Partial<Body>);
  await assert.rejects(client.messages.create(body), /Extra inputs/);
  const headers = { "anthropic-beta": "context-management-2025-06-27" };
  await client.messages.create(body, { headers });
});
