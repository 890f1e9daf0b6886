/** Conversations with tools for P10, in no format. Seeded. */
import {
  parsed,
  type Said,
  type ToolAnswer,
  type ToolCall,
} from "../../../server/src/providers/testing/tool-talk.ts";
import type { EndpointName } from "../harness/endpoints.ts";
import type { Random } from "../harness/random.ts";
import type { ToolUpstream } from "./p10-upstreams.ts";

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
/** Names of the functions, each with one argument. */
export const toolNames = ["f", "get_weather"];

/** A call in a conversation. */
export interface IdCall extends ToolCall {
  readonly id: string;
}

export type Turn =
  | { readonly by: "user"; readonly texts: readonly string[] }
  /** `words` may be empty. `replay`: an answer as its caller's format sends it back. */
  | {
      readonly by: "assistant";
      readonly words: string;
      readonly calls: readonly IdCall[];
      readonly replay?: unknown;
    }
  | { readonly by: "results"; readonly of: readonly IdCall[]; readonly values: readonly string[] };

/** A conversation; its `ToolAnswer` is the upstream's answer. */
export interface Conversation extends ToolAnswer {
  readonly id: string;
  readonly endpoint: EndpointName;
  readonly upstream: ToolUpstream;
  /** True when the caller drops members it does not know from answers it sends back. */
  readonly isStripped: boolean;
  readonly system: string | undefined;
  readonly history: readonly Turn[];
}

function callsIn(random: Random, turn: number): IdCall[] {
  return Array.from({ length: random.int(1, 3) }, (_, number) => ({
    id: `${random.pick(["call_", "c:/|", "ü "])}${turn}${number}`,
    name: random.pick(toolNames),
    args: random.pick(args),
  }));
}

function historyOf(random: Random): Turn[] {
  const turns: Turn[] = [];
  for (let turn = 0; turn < random.int(0, 2); turn += 1) {
    turns.push({
      by: "user",
      texts: Array.from({ length: random.int(1, 2) }, () => random.pick(texts)),
    });
    if (random.chance(0.5)) {
      const calls = callsIn(random, turn);
      turns.push({ by: "assistant", words: random.chance(0.5) ? "" : random.pick(texts), calls });
      turns.push({ by: "results", of: calls, values: calls.map(() => random.pick(results)) });
    }
    turns.push({ by: "assistant", words: random.pick(texts), calls: [] });
  }
  return [...turns, { by: "user", texts: [random.pick(texts)] }];
}

export function conversation(
  random: Random,
  endpoint: EndpointName,
  upstream: ToolUpstream,
  index: number,
): Conversation {
  return {
    id: `p10-${endpoint}-${upstream.id}-${index}`,
    endpoint,
    upstream,
    isStream: index % 2 === 0,
    isStripped: random.chance(0.5),
    system: random.chance(0.7) ? random.pick(texts) : undefined,
    history: historyOf(random),
    words: random.chance(0.5) ? "" : random.pick(texts),
    calls: Array.from({ length: random.int(1, 3) }, () => ({
      name: random.pick(toolNames),
      args: random.pick(args),
    })),
  };
}

/** What these turns mean. Calls and results are matched by position. */
export function meaningOf(system: string | undefined, turns: readonly Turn[]): Said[] {
  const said: Said[] = system === undefined ? [] : [{ by: "system", text: system }];
  const ids: string[] = [];
  for (const turn of turns) {
    if (turn.by === "user") said.push(...turn.texts.map((text): Said => ({ by: "user", text })));
    else if (turn.by === "results")
      said.push(
        ...turn.of.map(
          ({ id }, place): Said => ({
            by: "result",
            ofCall: ids.lastIndexOf(id),
            value: parsed(turn.values[place]),
          }),
        ),
      );
    else {
      if (turn.words !== "") said.push({ by: "assistant", text: turn.words });
      for (const { id, name, args: text } of turn.calls) {
        ids.push(id);
        said.push({ by: "call", name, args: parsed(text) });
      }
    }
  }
  return said;
}
