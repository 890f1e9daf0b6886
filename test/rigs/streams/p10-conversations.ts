/** Conversations with tools for P10. Seeded. */
import type { TestedProvider } from "../../../server/src/providers/testing/all.ts";
import type { ToolAnswer } from "../../../server/src/providers/testing/tool-talk.ts";
import type { Random } from "../harness/random.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Opaque values that must be copied unchanged. */
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

/** A conversation; its `ToolAnswer` is the upstream's answer. */
export interface Conversation extends ToolAnswer {
  readonly id: string;
  readonly provider: TestedProvider;
  readonly isStripped: boolean;
  readonly history: readonly Fields[];
}

export const tools = ["f", "get_weather"].map((name) => ({
  type: "function",
  function: {
    name,
    description: "d",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
}));

export function conversation(random: Random, provider: TestedProvider, index: number): Conversation {
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
    id: `p10-${provider.id}-${index}`,
    provider,
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
