/**
 * For tests: assembles an answer by choice, whatever its pieces, and reads Gemini's objects from a stream.
 */
import type { AnswerSink } from "../../../conversation/answer.ts";
import { parseJson } from "../../../lib/record.ts";

interface Said {
  text: string;
  thoughts: string;
  calls: { id: string; name: string; args: string }[];
  images: string[];
  finish: string;
}

/** Arguments that are not an object are written as one with a text. */
function normal(args: string): unknown {
  const value = args.trim() === "" ? {} : parseJson(args);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { input: args };
}

/** A sink that records what is reported to it. */
export function gather(): { readonly sink: AnswerSink; read(): unknown } {
  const choices = new Map<number, Said>();
  let counted: unknown;
  const of = (choice = 0): Said => {
    const known = choices.get(choice);
    const said = known ?? { text: "", thoughts: "", calls: [], images: [], finish: "" };
    if (known === undefined) choices.set(choice, said);
    return said;
  };
  const sink: AnswerSink = {
    model: () => {},
    text(text, choice) {
      of(choice).text += text;
    },
    logprobs: () => {},
    refusal(text, choice) {
      of(choice).text += text;
    },
    reasoning(text, choice) {
      of(choice).thoughts += text;
    },
    opaqueReasoning: () => {},
    toolCall(index, { id, name }, choice) {
      of(choice).calls[index] = { id, name, args: "" };
    },
    toolArguments(index, fragment, choice) {
      const call = of(choice).calls[index];
      if (call !== undefined) call.args += fragment;
    },
    customCall(index, { id, name, input }, choice) {
      of(choice).calls[index] = { id, name, args: JSON.stringify({ input }) };
    },
    image(type, base64, choice) {
      of(choice).images.push(`${type} ${base64}`);
    },
    citation: () => {},
    finish(reason, choice) {
      of(choice).finish = reason;
    },
    usage(usage) {
      counted = usage;
    },
  };
  const read = (): unknown => ({
    usage: counted,
    choices: [...choices]
      .toSorted(([one], [other]) => one - other)
      .map(([index, said]) => ({
        index,
        ...said,
        calls: said.calls.map((call) => ({ ...call, args: normal(call.args) })),
      })),
  });
  return { sink, read };
}

/** The objects of a stream of events. */
export const objectsOf = (bytes: Buffer): Record<string, unknown>[] =>
  bytes
    .toString()
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice("data: ".length)));

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
}

/** The parts of the first candidate in all objects, joined as Gemini CLI does. */
export function partsOf(objects: readonly Record<string, unknown>[]): Part[] {
  const parts: Part[] = [];
  for (const { candidates } of objects as readonly { candidates?: { content?: { parts?: Part[] } }[] }[]) {
    for (const part of candidates?.[0]?.content?.parts ?? []) {
      const last = parts.at(-1);
      const isWords = (one: Part | undefined): boolean =>
        one?.text !== undefined && one.thoughtSignature === undefined;
      if (isWords(last) && isWords(part) && last?.thought === part.thought)
        parts[parts.length - 1] = { ...last, text: `${last?.text}${part.text}` };
      else parts.push(part);
    }
  }
  return parts;
}
