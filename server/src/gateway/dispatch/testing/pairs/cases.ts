/**
 * For tests: what is tried with every pair of a caller's format and an upstream, and what became of it in
 * words. `docs/call/pairs.md` is made of `table.ts`, which `pairs.test.ts` compares with this.
 */
import assert from "node:assert/strict";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { ReplayMemory } from "../../../../protocols/protocol.ts";
import { Untranslatable } from "../../../../protocols/untranslatable.ts";
import type { PairCaller } from "./callers.ts";
import { type Answered, answer, type Call, callOf } from "./rig.ts";
import {
  type Answer,
  type Fields,
  fieldsOf,
  type Got,
  png,
  type Question,
  schemaMark,
  type ToolCall,
  tokens,
} from "./talk.ts";
import type { PairUpstream } from "./upstreams.ts";

export const caseNames = [
  "text",
  "parallel tools",
  "images",
  "reasoning",
  "structured",
  "refusal",
  "length",
  "filter",
  "error before",
  "error after",
  "cut",
] as const;

export type CaseName = (typeof caseNames)[number];

const ask = (more: Partial<Question> = {}): Question => ({
  system: "Be brief.",
  turns: [{ by: "user", text: "What is new?" }],
  isStream: false,
  ...more,
});

const tools = ["look_up_one", "look_up_two"];
const calls: readonly ToolCall[] = [
  { id: "call_aaaaaaaa1", name: "look_up_one", args: { city: "Köln" } },
  { id: "call_bbbbbbbb2", name: "look_up_two", args: { city: "Oslo" } },
];
/** Base64, as every vendor's is. */
const opaque = "b3BhcXVlIG9mIHRoZSBwYWlyIHN1aXRl";

/** What is asked, what stands for it in a body, and what is answered. */
interface Case {
  readonly question: Question;
  readonly marks: readonly string[];
  readonly answer: Answer;
  /** Is it said where the upstream was asked for it? */
  readonly isPlaced?: string;
}

const plain: Case = {
  question: ask(),
  marks: ["Be brief.", "What is new?"],
  answer: { text: "Nothing much: ö 😀." },
};

const cases: Readonly<Record<CaseName, Case>> = {
  text: plain,
  "parallel tools": {
    question: ask({ tools }),
    marks: tools,
    answer: { text: "Looking.", calls },
  },
  images: {
    question: ask({ turns: [{ by: "user", text: "What is this?", image: png }] }),
    marks: [png, "What is this?"],
    answer: { text: "A dot." },
  },
  reasoning: {
    question: ask({ thinks: true, tools: tools.slice(0, 1) }),
    marks: tools.slice(0, 1),
    answer: { thoughts: "It may rain there.", opaque, text: "Looking.", calls: calls.slice(0, 1) },
  },
  structured: {
    question: ask({ isStructured: true }),
    marks: [schemaMark],
    isPlaced: schemaMark,
    answer: { text: `{"${schemaMark}":"yes"}` },
  },
  refusal: { ...plain, answer: { refusal: "I will not.", end: "refusal" } },
  length: { ...plain, answer: { text: "Much of it is", end: "length" } },
  filter: { ...plain, answer: { text: "It was", end: "filter" } },
  "error before": plain,
  "error after": plain,
  cut: plain,
};

/** Where a value with this text stands, without numbers of places in lists. */
function placeOf(value: unknown, mark: string, path = ""): string | undefined {
  if (typeof value === "string") return value.includes(mark) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const here = Array.isArray(value) ? path : path === "" ? name : `${path}.${name}`;
    if (name === mark) return path;
    const found = placeOf(member, mark, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The setting by which an upstream is asked to think, with its value. */
function thinkingIn(body: Fields): string {
  const config = fieldsOf(body["generationConfig"]);
  const places: Fields = {
    reasoning_effort: body["reasoning_effort"],
    "reasoning.effort": fieldsOf(body["reasoning"])["effort"],
    thinking: fieldsOf(body["thinking"])["type"],
    "thinking.budget_tokens": fieldsOf(body["thinking"])["budget_tokens"],
    "output_config.effort": fieldsOf(body["output_config"])["effort"],
    "thinkingConfig.thinkingLevel": fieldsOf(config["thinkingConfig"])["thinkingLevel"],
    "thinkingConfig.thinkingBudget": fieldsOf(config["thinkingConfig"])["thinkingBudget"],
    "additionalModelRequestFields.thinking": fieldsOf(
      fieldsOf(body["additionalModelRequestFields"])["thinking"],
    )["budget_tokens"],
  };
  const said = Object.entries(places).filter(([, value]) => value !== undefined);
  return said.length === 0 ? "nothing" : said.map(([name, value]) => `\`${name}: ${value}\``).join(", ");
}

const bodyOf = ({ sent }: Call): Fields => fieldsOf(JSON.parse(sent.body.toString()));

/** The pieces an upstream's answer comes in. */
const piecesOf = (at: PairUpstream, said: Answer, isStream: boolean): Buffer[] =>
  isStream ? at.stream(said) : [at.whole(said)];

const typeOf = ({ streamType }: PairUpstream, isStream: boolean): string =>
  isStream ? streamType : "application/json";

/** Is what came what was said? Ids may change, nothing else may. */
function checkSaid(got: Got, said: Answer, usage: Answered["usage"]): void {
  assert.equal(got.error, undefined);
  assert.equal(got.text, said.text ?? "");
  const called = ({ name, args }: ToolCall): unknown => ({ name, args });
  assert.deepEqual(got.calls.map(called), (said.calls ?? []).map(called));
  assert.equal(new Set(got.calls.map(({ id }) => id)).size, got.calls.length, "ids are unique");
  assert.deepEqual([got.input, got.output], [tokens.input, tokens.output]);
  assert.deepEqual([usage?.input, usage?.output], [tokens.input, tokens.output]);
}

const dropped = ({ sent }: Call): string =>
  (sent.dropped ?? []).map((name) => `; \`${name}\` dropped`).join("");

interface Pair {
  readonly caller: PairCaller;
  readonly at: PairUpstream;
}

/** Plays one of the cases in which an answer comes, and reads it. */
async function complete({ caller, at }: Pair, { question, marks, answer: said }: Case, isStream: boolean) {
  const memory: ReplayMemory = { recall: () => undefined, remember: () => {} };
  const call = callOf(caller, at, { ...question, isStream }, { memory });
  const body = call.sent.body.toString();
  for (const mark of marks) assert.ok(body.includes(mark), `${mark} is not in ${body}`);
  const pieces = piecesOf(at, said, isStream);
  const answered = await answer(call, at, { type: typeOf(at, isStream), pieces });
  const got = caller.read(answered.text, isStream);
  if (call.isPassing) {
    assert.equal(answered.text, Buffer.concat(pieces).toString(), "bytes pass");
    assert.equal(got.finish === "", false);
  }
  return { call, answered, got, body: bodyOf(call) };
}

/** What the next turn's upstream gets back of the thoughts. */
function thoughtsBack({ caller, at }: Pair, { question }: Case, got: Got): string {
  const [first] = got.calls;
  assert.ok(first !== undefined);
  const turns = [
    ...question.turns,
    { by: "model", answer: {}, replay: got.replay } as const,
    { by: "tools", results: [{ call: first, text: "Rain." }] } as const,
  ];
  const memory: ReplayMemory = { recall: () => undefined, remember: () => {} };
  const sent = callOf(caller, at, { ...question, turns }, { memory }).sent.body.toString();
  assert.ok(sent.includes("Rain."));
  if (sent.includes(opaque)) return "come back whole";
  return sent.includes("It may rain there.") ? "come back in words" : "do not come back";
}

async function answeredCell(pair: Pair, name: CaseName, isStream: boolean): Promise<string> {
  const one = cases[name];
  const { call, answered, got, body } = await complete(pair, one, isStream);
  const passed = call.isPassing ? "passed" : "kept";
  if (name === "refusal" || name === "length" || name === "filter") {
    const { refusal = "", text = "" } = one.answer;
    if (refusal !== "" && got.text === refusal) return `\`${got.finish}\`, its words as text`;
    assert.equal(got.text, text);
    assert.ok(got.refusal === "" || got.refusal === refusal, got.refusal);
    return `\`${got.finish}\`${got.refusal === "" ? "" : " with its words"}`;
  }
  checkSaid(got, one.answer, answered.usage);
  if (name === "reasoning") {
    const shown = got.thoughts === one.answer.thoughts ? "shown" : "not shown";
    const back = thoughtsBack(pair, one, got);
    return `${passed} as ${thinkingIn(body)}; thoughts ${shown}, ${back}${dropped(call)}`;
  }
  const place =
    one.isPlaced === undefined || call.isPassing
      ? ""
      : placeOf(body, one.isPlaced)?.replace(/(?:\.schema)?\.properties$/, "");
  return `${passed}${place === "" ? "" : ` as \`${place}\``}${dropped(call)}`;
}

async function failedCell({ caller, at }: Pair, name: CaseName, isStream: boolean): Promise<string> {
  const { question, answer: said } = cases[name];
  const call = callOf(caller, at, { ...question, isStream });
  const { overload } = at;
  const whole = piecesOf(at, said, isStream);
  const begun = isStream ? whole.slice(0, piecesBegun(at)) : [whole[0]?.subarray(0, -9) ?? Buffer.alloc(0)];
  const played =
    name === "error before"
      ? { status: overload.status, type: "application/json", pieces: [Buffer.from(overload.body)] }
      : name === "error after"
        ? { type: typeOf(at, isStream), pieces: [...begun, overload.inStream] }
        : { type: typeOf(at, isStream), pieces: begun, breaks: true };
  const answered = await answer(call, at, played);
  const got = caller.read(answered.text, isStream && answered.status === 200);
  assert.equal(got.finish, "", "it looks whole");
  assert.ok(got.error !== undefined, answered.text);
  if (answered.status !== 200) {
    assert.equal(got.text, "");
    return `${answered.status} \`${got.error}\``;
  }
  assert.ok(said.text?.startsWith(got.text) && got.text !== "", got.text);
  return `text, then \`${got.error}\``;
}

/** Pieces of a stream up to the first with text. */
const piecesBegun = (at: PairUpstream): number =>
  at.stream({ text: "x" }).findIndex((piece) => piece.includes('"x"')) + 1;

/**
 * What becomes of a case: the same whole and streamed, but for errors after content, which only streams have.
 */
export async function outcomeOf(pair: Pair, name: CaseName): Promise<string> {
  const cell = async (isStream: boolean): Promise<string> => {
    try {
      return name === "error before" || name === "error after" || name === "cut"
        ? await failedCell(pair, name, isStream)
        : await answeredCell(pair, name, isStream);
    } catch (error) {
      if (error instanceof Untranslatable) return `refused: ${error.code} \`${error.param}\``;
      if (error instanceof GatewayError) return `refused: \`${error.code}\``;
      throw error;
    }
  };
  const streamed = await cell(true);
  if (name === "error after" || name === "cut") return streamed;
  assert.equal(await cell(false), streamed, "whole and streamed");
  return streamed;
}
