/** Tool calls of Gemini (docs/wire/gemini.md). */
import { argsMark, type ToolTalk, withArgs } from "../../testing/tool-talk.ts";

const reply: ToolTalk["reply"] = ({ isStream, words, calls }) => {
  const raw = (value: unknown): string => withArgs(value, calls);
  const parts = [
    ...(words === "" ? [] : [{ text: words }]),
    ...calls.map(({ name }, place) => ({
      functionCall: { name, args: argsMark(place) },
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
};

export const googleToolTalk: ToolTalk = { reply, read: "google" };
