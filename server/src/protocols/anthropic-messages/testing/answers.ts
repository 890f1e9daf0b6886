/** For tests: heads of answers, and random answers from a seed. */
import type { AnswerSink, EndReason } from "../../../conversation/answer.ts";
import { plainSeal } from "../../payloads/seal.ts";
import type { AnswerHead } from "../encode-answer.ts";

export const headOf = (more: Partial<AnswerHead> = {}): AnswerHead => ({
  id: "msg_req_1",
  model: "called",
  showsThoughts: true,
  hidesWords: false,
  seal: plainSeal,
  promptTokens: 7,
  ...more,
});

export const usage = { input: 3, cachedInput: 1, cacheWrite: 2, output: 5, reasoning: 4 };

/** A small seeded generator; its quality is sufficient for choosing test cases. */
export function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pieces = [
  "Hi",
  " there",
  "ö",
  "日本",
  "\u{1f600}",
  '"q"',
  "\\",
  "\n\n",
  "data: x",
  "</x>",
  "\u2028",
  " ",
];

/**
 * Writes a random answer: parts in any order, pieces of any size. `isClaude`: thoughts are signed like
 * Claude's.
 */
export function sayRandom(sink: AnswerSink, random: (below: number) => number, isClaude = false): void {
  const piece = (): string => pieces[random(pieces.length)] as string;
  const some = (most: number, say: (text: string) => void): string => {
    let all = "";
    for (let count = random(most); count >= 0; count -= 1) {
      const text = piece();
      all += text;
      say(text);
    }
    return all;
  };
  let calls = 0;
  const steps = [
    () => some(4, (text) => sink.text(text)),
    () => {
      const format = isClaude ? "anthropic-claude-v1" : "vendor-v1";
      const text = some(3, (one) => sink.reasoning(one));
      if (isClaude || random(2) === 0)
        sink.opaqueReasoning({ format, model: "m", text, signature: `s${random(99)}`, callsBefore: calls });
    },
    () => {
      if (!isClaude) sink.opaqueReasoning({ format: "vendor-v1", id: "text", data: `d${random(99)}` });
    },
    () => {
      const signature = isClaude || random(2) === 0 ? undefined : `c${random(99)}`;
      sink.toolCall(calls, {
        id: `call_${calls}`,
        name: "f",
        ...(signature === undefined ? {} : { signature }),
      });
      for (const part of ['{"x":', JSON.stringify(piece()), "}"]) sink.toolArguments(calls, part);
      calls += 1;
    },
  ];
  for (let count = random(7); count >= 0; count -= 1) (steps[random(steps.length)] as () => void)();
  const reasons: readonly EndReason[] = ["stop", "length"];
  sink.finish(calls > 0 ? "tool_calls" : (reasons[random(2)] as EndReason));
  sink.usage({ ...usage, output: 5 + random(9) });
}
