/** For tests: heads of answers, and random answers from a seed. */
import type { AnswerSink, EndReason } from "../../../conversation/answer.ts";
import { plainSeal } from "../../payloads/seal.ts";
import { echoOf } from "../echo.ts";
import type { AnswerHead } from "../encode-answer.ts";
import { nativeFormat } from "../models.ts";
import { ToolNames } from "../request/tool-names.ts";

export const headOf = (more: Partial<AnswerHead> = {}): AnswerHead => ({
  id: "resp_req_1",
  createdSeconds: 7,
  model: "called",
  echo: echoOf({}),
  toolNames: new ToolNames(),
  seal: plainSeal,
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

/** Writes a random answer: items in any order, pieces of any size. */
export function sayRandom(sink: AnswerSink, random: (below: number) => number, isNative = false): void {
  const piece = (): string => pieces[random(pieces.length)] as string;
  const some = (most: number, say: (text: string) => void): void => {
    for (let count = random(most); count >= 0; count -= 1) say(piece());
  };
  let calls = 0;
  const steps = [
    () => some(4, (text) => sink.text(text)),
    () => {
      some(3, (text) => sink.reasoning(text));
      const data = `d${random(99)}`;
      if (isNative)
        sink.opaqueReasoning({ format: nativeFormat, data, id: `rs_${data}`, callsBefore: calls });
      else if (random(2) === 0) sink.opaqueReasoning({ format: "v", model: "m", data, callsBefore: calls });
    },
    () => {
      const id = `call_${calls}`;
      sink.toolCall(calls, { id, name: "f" });
      for (const part of ['{"x":', JSON.stringify(piece()), "}"]) sink.toolArguments(calls, part);
      calls += 1;
    },
    () => {
      sink.customCall(calls, { id: `call_${calls}`, name: "patch", input: piece() });
      calls += 1;
    },
    () => some(2, (text) => sink.refusal(text)),
  ];
  for (let count = random(7); count >= 0; count -= 1) (steps[random(steps.length)] as () => void)();
  const reasons: readonly EndReason[] = ["stop", "length", "content_filter"];
  sink.finish(calls > 0 ? "tool_calls" : (reasons[random(3)] as EndReason));
  sink.usage({ ...usage, output: 5 + random(9) });
}
