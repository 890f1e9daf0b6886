/** How Claude calls tools (docs/wire/anthropic-messages.md). */
import { argsMark, halves, type ToolTalk, withArgs } from "../../testing/tool-talk.ts";

const event = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const reply: ToolTalk["reply"] = ({ isStream, words, calls }) => {
  const raw = (value: unknown): string => withArgs(value, calls);
  const blocks = [
    ...(words === "" ? [] : [{ type: "text", text: words }]),
    ...calls.map(({ name }, place) => ({
      type: "tool_use",
      id: `toolu_${place}`,
      name,
      input: argsMark(place),
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
};

export const anthropicToolTalk: ToolTalk = { reply, read: "anthropic" };
