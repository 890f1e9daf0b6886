/**
 * Property test: a request begins with what the request of the turn before sent, at every protocol. An
 * upstream's prompt cache depends on it. Instructions may come at any turn.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ContentBlock } from "../conversation/blocks.ts";
import type { Conversation, Turn } from "../conversation/conversation.ts";
import {
  assistant,
  call,
  conversationOf,
  results,
  user,
  words,
} from "../conversation/testing/conversations.ts";
import type { ToolUse } from "../conversation/tools.ts";
import { type JsonRecord, recordOf } from "../lib/record.ts";
import { encodeRequest as toMessages } from "./anthropic-messages/encode-request.ts";
import { encodeRequest as toConverse } from "./bedrock-converse/encode-request.ts";
import { encodeRequest as toGemini } from "./gemini/encode-request.ts";
import { encodeRequest as toChat } from "./openai-chat/encode-request.ts";
import { encodeRequest as toResponses } from "./openai-responses/encode-request.ts";

const context = { isStream: false, dropsParams: true } as const;

const encoders: Readonly<Record<string, (asked: Conversation) => object>> = {
  "anthropic-messages": (asked) => toMessages(asked, context, "claude-sonnet-4-5").body,
  "anthropic-messages, system in between": (asked) => toMessages(asked, context, "claude-opus-5").body,
  "bedrock-converse": (asked) => toConverse(asked, context, "us.anthropic.claude-sonnet-4-5-v1:0").body,
  "bedrock-converse, another model": (asked) => toConverse(asked, context, "amazon.nova-pro-v1:0").body,
  gemini: (asked) => toGemini(asked, context, "gemini", "gemini-3-pro-preview").body,
  "gemini, Vertex": (asked) => toGemini(asked, context, "vertex", "gemini-2.5-pro").body,
  "gemini, no system instruction": (asked) => toGemini(asked, context, "gemini", "gemma-3-4b-it").body,
  "openai-chat": (asked) => toChat(asked, context, "gpt-5.5").body,
  "openai-responses": (asked) => toResponses(asked, context, "gpt-5.6").body,
};

const tools: ToolUse = {
  tools: [
    {
      name: "f",
      description: undefined,
      parameters: undefined,
      isStrict: false,
      isCustom: false,
      grammar: undefined,
      cache: undefined,
      path: "tools[0]",
      declarationPath: "tools[0]",
      extras: undefined,
    },
  ],
  choice: undefined,
  isParallel: undefined,
  hasRoomForOne: false,
};

/** One step of a conversation: what is asked, and the answer, whose calls the next step answers. */
interface Step {
  readonly before: readonly string[];
  readonly between: readonly string[];
  readonly after: readonly string[];
  readonly said: string;
  readonly hasImage: boolean;
  readonly isMarked: boolean;
  readonly answer: string;
  readonly calls: number;
}

const text = fc.constantFrom("", " ", "one", "two\n", " three ", "<system>", "four");
const instructions = fc.array(text, { maxLength: 2 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    before: instructions,
    between: instructions,
    after: instructions,
    said: text.map((said) => `said${said}`),
    hasImage: fc.boolean(),
    isMarked: fc.boolean(),
    answer: text,
    calls: fc.nat({ max: 2 }),
  }),
  { minLength: 2, maxLength: 6 },
);

const png: ContentBlock = {
  ...words(""),
  kind: "image",
  source: { kind: "inline", mediaType: "image/png", base64: "AAAA" },
  detail: undefined,
  sourcePath: "image",
};

const system =
  (isMarked: boolean) =>
  (said: string): Turn => ({
    ...user(words(said)),
    role: "system",
    isDeveloper: isMarked,
    blocks: [words(said)],
    cache: isMarked ? { given: { type: "ephemeral" }, path: "mark" } : undefined,
  });

/**
 * The turns of each request: what came before, and the next question or results. `mayInterrupt`: whether
 * instructions may stand between calls and their results; Responses refuses that.
 */
function requestsOf(list: readonly Step[], mayInterrupt: boolean): Turn[][] {
  const turns: Turn[] = [];
  const requests: Turn[][] = [];
  let waiting: string[] = [];
  for (const [index, step] of list.entries()) {
    const instructed = system(step.isMarked);
    const asked = user(words(step.said), ...(step.hasImage ? [png] : []));
    if (mayInterrupt || waiting.length === 0) turns.push(...step.before.map(instructed));
    turns.push(waiting.length > 0 ? results(...waiting) : asked);
    turns.push(...step.between.map(instructed));
    if (waiting.length > 0 && step.hasImage) turns.push(asked);
    turns.push(...step.after.map(instructed));
    requests.push([...turns]);
    waiting = Array.from({ length: step.calls }, (_, at) => `c${index}_${at}`);
    turns.push(assistant(words(`answer${step.answer}`), ...waiting.map((id) => call(id))));
  }
  return requests;
}

const listNames = ["messages", "input", "contents"];
/** A mark is no part of the prompt, and the first ones go when there are too many. */
const isMark = (part: unknown): boolean => "cachePoint" in recordOf(part);

/** A body as its parts in order, with who says them, and everything that is not a turn. */
function prefixOf(body: object): { readonly head: string; readonly parts: string[] } {
  const sent = JSON.parse(
    JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)),
    (_, value) => (Array.isArray(value) ? value.filter((part) => !isMark(part)) : value),
  ) as JsonRecord;
  const name = listNames.find((one) => one in sent) ?? "";
  const { [name]: turns, ...head } = sent;
  const parts = (turns as JsonRecord[]).flatMap((turn) => {
    const content = turn["content"] ?? turn["parts"];
    return Array.isArray(content)
      ? content.map((part) => JSON.stringify([turn["role"], part]))
      : [JSON.stringify(turn)];
  });
  return { head: JSON.stringify(head), parts };
}

for (const [name, encode] of Object.entries(encoders))
  test(`${name}: a request begins with the request of the turn before`, () => {
    fc.assert(
      fc.property(steps, (list) => {
        let before: ReturnType<typeof prefixOf> | undefined;
        for (const turns of requestsOf(list, name !== "openai-responses")) {
          const body = encode(conversationOf({ turns, toolUse: tools }));
          const now = prefixOf(body);
          if (before !== undefined) {
            assert.equal(now.head, before.head);
            assert.deepEqual(now.parts.slice(0, before.parts.length), before.parts);
          }
          before = now;
        }
      }),
      { numRuns: 300 },
    );
  });
