/** Tool calls of models at Bedrock (docs/wire/bedrock-converse.md), and a reader for Converse requests. */
import { argsMark, halves, parsed, type Said, type ToolTalk, withArgs } from "../../testing/tool-talk.ts";
import { bedrockWire, frame } from "./wire.ts";

const reply: ToolTalk["reply"] = ({ isStream, words, calls }) => {
  const raw = (value: unknown): string => withArgs(value, calls);
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const shift = words === "" ? 0 : 1;
  if (!isStream) {
    const content = [
      ...(words === "" ? [] : [{ text: words }]),
      ...calls.map(({ name }, place) => ({
        toolUse: { toolUseId: `tooluse_${place}`, name, input: argsMark(place) },
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
  return { headers: { "content-type": bedrockWire.streamType }, body: Buffer.concat(frames) };
};

interface ConversePart {
  readonly text?: string;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly toolResult?: {
    readonly toolUseId: string;
    readonly content: readonly { readonly text?: string; readonly json?: unknown }[];
  };
}

function readConverse(body: Readonly<Record<string, unknown>>): Said[] {
  const said: Said[] = [];
  const ids: string[] = [];
  for (const { text } of (body["system"] ?? []) as { text: string }[]) said.push({ by: "system", text });
  for (const { role, content } of body["messages"] as { role: "user"; content: ConversePart[] }[]) {
    for (const { text, toolUse, toolResult } of content) {
      if (text !== undefined) said.push({ by: role, text });
      if (toolUse !== undefined) {
        ids.push(toolUse.toolUseId);
        said.push({ by: "call", name: toolUse.name, args: toolUse.input });
      }
      if (toolResult !== undefined) {
        const value = toolResult.content.map((part) => part.text ?? JSON.stringify(part.json)).join("");
        said.push({ by: "result", ofCall: ids.lastIndexOf(toolResult.toolUseId), value: parsed(value) });
      }
    }
  }
  return said;
}

export const bedrockToolTalk: ToolTalk = { reply, read: readConverse };
