/** For tests: random answers and conversations, the same for the same seed. */
import type { Random } from "../../../../conversation/testing/random-answers.ts";
import type { Answer, ToolCall } from "./talk.ts";

const words = [
  "Hi",
  " there",
  "\n\n",
  "ö",
  "日本",
  "😀",
  '"q"',
  "\\",
  " data: x",
  "[DONE]",
  " {}",
  "<b>",
  "\u2028",
  "\r",
];

export const toolNames = ["look_up_one", "look_up_two"];

/** Begins and ends with a letter: some formats trim what stands at the ends. */
export function randomText(random: Random, least = 1): string {
  const middle = Array.from({ length: least + random(6) }, () => words[random(words.length)]).join("");
  return `a${middle}z`;
}

/** `from`: a number no other call of the conversation has. */
function randomCalls(random: Random, count: number, from: number): ToolCall[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `call_${String(from + index).padStart(9, "0")}`,
    name: toolNames[random(toolNames.length)] as string,
    args: { city: randomText(random), n: random(1_000), deep: { list: [random(9), randomText(random)] } },
  }));
}

/** Base64, as every vendor's is. */
export const randomOpaque = (random: Random): string =>
  Buffer.from(`opaque ${random(1_000_000)} ${"x".repeat(random(40))}`).toString("base64");

export function randomAnswer(random: Random, from = 0): Answer {
  const calls = randomCalls(random, random(2) === 0 ? 0 : 1 + random(3), from);
  const text = calls.length > 0 && random(2) === 0 ? undefined : randomText(random);
  return {
    ...(random(2) === 0 ? {} : { thoughts: randomText(random), opaque: randomOpaque(random) }),
    ...(text === undefined ? {} : { text }),
    calls,
    ...(calls.length === 0 && random(4) === 0 ? { end: "length" as const } : {}),
  };
}
