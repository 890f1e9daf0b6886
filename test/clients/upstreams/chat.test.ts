/** The scripted chat model: OpenAI's SDK reads it, and what OpenAI refuses is refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { chatWire } from "./chat.ts";
import { type ScriptedModel, startScriptedModel } from "./server.ts";
import { asideText, finalText, task } from "./task.ts";

type Message = OpenAI.ChatCompletionMessageParam;
type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream" | "stream_options">;

let model: ScriptedModel;
let client: OpenAI;
before(async () => {
  model = await startScriptedModel(chatWire);
  client = new OpenAI({ baseURL: model.baseUrl, apiKey: "sk-scripted", maxRetries: 0 });
});
after(() => model?.stop());

const parameters = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
};
const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "bash", parameters } }];
const user = (): Message => ({ role: "user", content: "do it" });
const ask = (messages: Message[], more: Partial<Body> = {}): Body => ({
  model: "scripted",
  messages,
  tools,
  ...more,
});

const streaming = (messages: Message[]) => ({
  ...ask(messages),
  stream: true as const,
  stream_options: { include_usage: true },
});

/** What running the calls of a step prints. */
const prints = (step: number, index: number): string => {
  const work = task[step]?.works[index];
  return work?.kind === "run" ? work.prints : "done";
};

/** A conversation whose next answer is the given step's. */
async function upTo(step: number): Promise<Message[]> {
  const messages: Message[] = [user()];
  model.begin("/work");
  for (let at = 0; at < step; at++) {
    const { choices } = await client.chat.completions.create(ask(messages));
    const message = choices[0]?.message as OpenAI.ChatCompletionMessage;
    messages.push({ role: "assistant", content: message.content, tool_calls: message.tool_calls ?? [] });
    for (const [index, { id }] of (message.tool_calls ?? []).entries())
      messages.push({ role: "tool", tool_call_id: id, content: prints(at, index) });
  }
  return messages;
}

test("the script runs to its end, whole and streamed", async () => {
  const messages = await upTo(task.length - 1);
  const whole = await client.chat.completions.create(ask(messages));
  assert.equal(whole.choices[0]?.message.content, finalText);
  const stream = client.chat.completions.stream({
    ...ask(messages),
    stream_options: { include_usage: true },
  });
  const streamed = await stream.finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.content, finalText);
  assert.deepEqual(streamed.usage, whole.usage);
});

test("parallel calls stream as they are whole", async () => {
  const messages = await upTo(1);
  const whole = await client.chat.completions.create(ask(messages));
  const streamed = await client.chat.completions.stream(streaming(messages)).finalChatCompletion();
  const callsOf = (one: OpenAI.ChatCompletion) =>
    one.choices[0]?.message.tool_calls?.map((call) =>
      call.type === "function" ? [call.id, call.function] : [],
    );
  assert.equal(callsOf(whole)?.length, 2);
  assert.deepEqual(
    callsOf(streamed)?.map(([id, call]) => [id, (call as { arguments: string }).arguments]),
    callsOf(whole)?.map(([id, call]) => [id, (call as { arguments: string }).arguments]),
  );
});

test("a call without tools is answered beside the script", async () => {
  model.begin("/work");
  const aside = await client.chat.completions.create({ model: "scripted", messages: [user()] });
  assert.equal(aside.choices[0]?.message.content, asideText);
});

type Edit = (messages: Record<string, unknown>[]) => void;
const refusals: readonly (readonly [string, Edit, RegExp])[] = [
  ["a missing result", (all) => all.pop(), /ends without results/],
  ["results out of order", (all) => all.splice(2, 0, { role: "user", content: "hm" }), /no result for/],
  [
    "a result of a call that was never made",
    (all) => Object.assign(all[2] ?? {}, { tool_call_id: "call_x" }),
    /awaits/,
  ],
  [
    "an altered call",
    (all) => {
      const calls = all[1]?.["tool_calls"] as { function: { arguments: string } }[] | undefined;
      Object.assign(calls?.[0]?.function ?? {}, { arguments: '{"command":"other"}' });
    },
    /were altered/,
  ],
  [
    "an unknown field",
    (all) => Object.assign(all[1] ?? {}, { thinking_blocks: [] }),
    /unknown field "thinking_blocks"/,
  ],
  ["an unknown role", (all) => Object.assign(all[0] ?? {}, { role: "model" }), /unknown role/],
];

for (const [name, edit, expected] of refusals)
  test(`refuses ${name}`, async () => {
    const messages = await upTo(1);
    edit(messages as unknown as Record<string, unknown>[]);
    await assert.rejects(client.chat.completions.create(ask(messages)));
    assert.match(model.calls.at(-1)?.refused ?? "", expected);
  });

test("refuses a result without what the command printed", async () => {
  const messages = await upTo(2);
  Object.assign(messages.at(-1) ?? {}, { content: "nothing" });
  await assert.rejects(client.chat.completions.create(ask(messages)), /the result of/);
});
