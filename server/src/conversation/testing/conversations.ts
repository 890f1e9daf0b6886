/**
 * For tests: conversations as values that come from no protocol, and a sink that records an answer as a list.
 */
import type { StreamSink } from "../answer.ts";
import type { AssistantBlock, ContentBlock } from "../blocks.ts";
import type { AssistantTurn, Conversation, SettingNames, Turn } from "../conversation.ts";

const placed = (path: string) => ({ path, cache: undefined, extras: undefined });

export const words = (text: string, path = "said"): ContentBlock => ({ kind: "text", text, ...placed(path) });

/** A signed thought in a vendor's format. */
export const thought = (text: string, signature: string | undefined, format?: string): AssistantBlock => ({
  kind: "reasoning",
  text,
  signature,
  data: undefined,
  format,
  model: undefined,
  id: undefined,
});

export const call = (id: string, name = "f", text = "{}"): AssistantBlock => ({
  kind: "tool call",
  id,
  name,
  arguments: text,
  isCustom: false,
  signature: undefined,
  namePath: `calls.${id}.name`,
  extras: undefined,
});

export const user = (...blocks: ContentBlock[]): Turn => ({ role: "user", ...placed("user"), blocks });

export const assistant = (...blocks: AssistantBlock[]): AssistantTurn => ({
  role: "assistant",
  ...placed("assistant"),
  blocks,
  callsPath: "assistant.calls",
});

/** One turn with all results of a step. */
export const results = (...ids: string[]): Turn => ({
  role: "tool",
  ...placed("results"),
  blocks: ids.map((callId) => ({
    kind: "tool result",
    callId,
    name: undefined,
    content: [words(`result of ${callId}`)],
    isError: undefined,
    idPath: `results.${callId}`,
    ...placed("results"),
  })),
});

/**
 * Names that no protocol has, so a refusal with one of them must have taken the name from the conversation.
 */
const names = new Proxy({}, { get: (_, setting) => `the ${String(setting)}` }) as SettingNames;

export const conversationOf = (more: Partial<Conversation>): Conversation => ({
  protocol: "none",
  names,
  parameters: [],
  turns: [user(words("Hello"))],
  toolUse: { tools: [], choice: undefined, isParallel: undefined, hasRoomForOne: false },
  format: { kind: "text" },
  sampling: {
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    seed: undefined,
    presencePenalty: undefined,
    frequencyPenalty: undefined,
  },
  stop: [],
  outputTokens: undefined,
  choices: 1,
  reasoning: { effort: undefined, budget: undefined, isOn: undefined, isHidden: false },
  logprobs: { isWanted: false, alternatives: undefined },
  cache: undefined,
  ...more,
});

/** Records the calls on a sink in order: the method's name and its arguments. */
export function recordingSink(): { readonly sink: StreamSink; readonly said: unknown[][] } {
  const said: unknown[][] = [];
  const record =
    (_: object, method: string | symbol) =>
    (...given: unknown[]) => {
      const isQuiet =
        given[0] === "" && (method === "text" || method === "toolArguments" || method === "reasoning");
      if (!isQuiet)
        said.push([String(method), ...given.filter((one, index) => index === 0 || one !== undefined)]);
    };
  return { sink: new Proxy({}, { get: record }) as StreamSink, said };
}
