/** Conversations with tools for P10, and how each provider's upstream answers in one. Seeded; knows no network. */
import { frame, type Reply, type Wire } from "../../behaviour/providers/provider-wires.ts";
import type { Random } from "../harness/random.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A call as JSON text: numbers keep their digits. */
interface Call {
  readonly name: string;
  readonly args: string;
}

/** What nobody can compute with and everybody has to copy. */
export const longNumber = "12345678901234567890";

const texts = [
  "Hello",
  "🎉 wörld",
  "控制\t\n\r",
  "e\u0301\u2028",
  '"quoted" \\ and {"json":[1]}',
  "data: [DONE]",
  "x".repeat(3_000),
];
const args = [
  "{}",
  '{"city":"Århus","n":1e-7}',
  `{"id":${longNumber},"deep":{"a":[{"b":[null,true,"\\ud83c\\udf89"]}]}}`,
  '{"a":"","b":{},"c":[]}',
  '{"__type":"x","name":"f","input":"data: [DONE]\\n\\n"}',
];
export const results = [
  "fine",
  "18 °C\nand rain",
  '{"temperature":18.5,"list":[1,2]}',
  "[1,2]",
  "🎉",
  "error: no",
];

export interface Conversation {
  readonly id: string;
  readonly wire: Wire;
  readonly isStream: boolean;
  readonly isStripped: boolean;
  readonly history: readonly Fields[];
  /** What the upstream says: words, then calls. */
  readonly words: string;
  readonly calls: readonly Call[];
}

export const tools = ["f", "get_weather"].map((name) => ({
  type: "function",
  function: {
    name,
    description: "d",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
}));

export function conversation(random: Random, wire: Wire, index: number): Conversation {
  const history: Fields[] = random.chance(0.7) ? [{ role: "system", content: random.pick(texts) }] : [];
  for (let turn = 0; turn < random.int(0, 2); turn += 1) {
    history.push({
      role: "user",
      content: random.chance(0.5)
        ? random.pick(texts)
        : [
            { type: "text", text: random.pick(texts) },
            { type: "text", text: random.pick(texts) },
          ],
    });
    if (random.chance(0.5)) {
      const ids = Array.from(
        { length: random.int(1, 3) },
        (_, number) => `${random.pick(["call_", "c:/|", "ü "])}${turn}${number}`,
      );
      const made = ids.map((id) => ({
        id,
        type: "function",
        function: { name: random.pick(["f", "get_weather"]), arguments: random.pick(args) },
      }));
      history.push({
        role: "assistant",
        content: random.chance(0.5) ? null : random.pick(texts),
        tool_calls: made,
      });
      for (const id of ids) history.push({ role: "tool", tool_call_id: id, content: random.pick(results) });
    }
    history.push({ role: "assistant", content: random.pick(texts) });
  }
  history.push({ role: "user", content: random.pick(texts) });
  return {
    id: `p10-${wire.id}-${index}`,
    wire,
    isStream: index % 2 === 0,
    isStripped: random.chance(0.5),
    history,
    words: random.chance(0.5) ? "" : random.pick(texts),
    calls: Array.from({ length: random.int(1, 3) }, () => ({
      name: random.pick(["f", "get_weather"]),
      args: random.pick(args),
    })),
  };
}

/** The upstream's answer with calls, in its own form; arguments as the text they are. */
export function replyOf({ wire, isStream, words, calls }: Conversation): Reply {
  const raw = (value: unknown): string =>
    JSON.stringify(value).replace(/"@@(\d+)"/g, (_, place: string) => calls[Number(place)]?.args ?? "{}");
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const halves = (text: string): string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
  if (wire.id === "google") {
    const parts = [
      ...(words === "" ? [] : [{ text: words }]),
      ...calls.map(({ name }, place) => ({
        functionCall: { name, args: `@@${place}` },
        ...(place === 0 ? { thoughtSignature: "c2lnbmF0dXJl" } : {}),
      })),
    ];
    const body = raw({
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    });
    return isStream
      ? { headers: { "content-type": "text/event-stream" }, body: `data: ${body}\n\n` }
      : { body };
  }
  if (wire.id === "anthropic") {
    const blocks = [
      ...(words === "" ? [] : [{ type: "text", text: words }]),
      ...calls.map(({ name }, place) => ({
        type: "tool_use",
        id: `toolu_${place}`,
        name,
        input: `@@${place}`,
      })),
    ];
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (!isStream) return { body: raw({ ...message, content: blocks }) };
    let text = event("message_start", { message: { ...message, content: [], stop_reason: null } });
    for (const [index, block] of blocks.entries()) {
      const isText = block.type === "text";
      text += event("content_block_start", {
        index,
        content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
      });
      const whole = "input" in block ? (calls[Number(block.input.slice(2))]?.args ?? "") : words;
      for (const piece of halves(whole))
        text += event("content_block_delta", {
          index,
          delta: isText
            ? { type: "text_delta", text: piece }
            : { type: "input_json_delta", partial_json: piece },
        });
      text += event("content_block_stop", { index });
    }
    text +=
      event("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } }) +
      event("message_stop", {});
    return { headers: { "content-type": "text/event-stream" }, body: text };
  }
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const shift = words === "" ? 0 : 1;
  if (!isStream) {
    const content = [
      ...(words === "" ? [] : [{ text: words }]),
      ...calls.map(({ name }, place) => ({
        toolUse: { toolUseId: `tooluse_${place}`, name, input: `@@${place}` },
      })),
    ];
    return {
      body: raw({ output: { message: { role: "assistant", content } }, stopReason: "tool_use", usage }),
    };
  }
  const frames = [frame("event", "messageStart", { role: "assistant" })];
  if (shift === 1)
    frames.push(
      frame("event", "contentBlockDelta", { contentBlockIndex: 0, delta: { text: words } }),
      frame("event", "contentBlockStop", { contentBlockIndex: 0 }),
    );
  for (const [place, call] of calls.entries()) {
    const contentBlockIndex = place + shift;
    frames.push(
      frame("event", "contentBlockStart", {
        contentBlockIndex,
        start: { toolUse: { toolUseId: `tooluse_${place}`, name: call.name } },
      }),
    );
    for (const input of halves(call.args))
      frames.push(frame("event", "contentBlockDelta", { contentBlockIndex, delta: { toolUse: { input } } }));
    frames.push(frame("event", "contentBlockStop", { contentBlockIndex }));
  }
  frames.push(
    frame("event", "messageStop", { stopReason: "tool_use" }),
    frame("event", "metadata", { usage }),
  );
  return { headers: { "content-type": wire.streamType }, body: Buffer.concat(frames) };
}
