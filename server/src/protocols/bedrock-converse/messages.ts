/**
 * The conversation → Converse's `system` and `messages` (docs/wire/bedrock-converse.md section 5,
 * docs/wire/anthropic-messages.md section 5).
 */
import type { JsonRecord } from "../../lib/record.ts";
import type { ThoughtGroups } from "../claude/thoughts.ts";
import type { ContentPart } from "../openai-chat/content.ts";
import type { ChatMessage } from "../openai-chat/request.ts";
import type { MediaFile } from "../protocol.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { cachePointAfter } from "./cache.ts";
import { audioBlock, createDocumentNames, fileBlock, type MediaContext } from "./media.ts";
import type { ModelRules } from "./models.ts";
import { thoughtBlock } from "./reasoning.ts";
import { cleanName, inputOf, ToolIds } from "./tools.ts";
import type { Block, CachePoint, PlainBlock } from "./wire.ts";

export interface ConversationContext {
  readonly rules: ModelRules;
  readonly media: ReadonlyMap<string, MediaFile> | undefined;
  /** Are there tools? Without them calls and results of the past can only be told in words. */
  readonly hasTools: boolean;
  /** The signed thoughts to be sent back: those before each of a message's calls, then those after all of them. */
  readonly thoughtsOf: (message: ChatMessage & { readonly role: "assistant" }) => ThoughtGroups;
}

interface Turn {
  readonly role: "user" | "assistant";
  /** Results of tools come first. */
  readonly results: Block[];
  readonly rest: Block[];
}

export interface Conversation {
  readonly system: ({ readonly text: string } | CachePoint)[];
  readonly messages: { readonly role: "user" | "assistant"; readonly content: Block[] }[];
}

/** A text that says nothing is refused by the protocol. */
const isBlank = (text: string): boolean => text.trim() === "";
/** Said in a user's turn that has to be there though nobody said anything. */
const goOn = "(continue)";
/** Stands beside a document, which must not be alone. */
const filler = ".";

class ConversationWriter {
  readonly system: ({ readonly text: string } | CachePoint)[] = [];
  readonly #turns: Turn[] = [];
  readonly #context: ConversationContext;
  readonly #media: MediaContext;
  readonly #ids: ToolIds;
  /** Where the newest calls stand. */
  #callsPath = "";

  constructor(context: ConversationContext) {
    this.#context = context;
    this.#ids = new ToolIds(context.rules);
    const { takesAudio } = context.rules;
    this.#media = { media: context.media, takesAudio, nameDocument: createDocumentNames() };
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        this.#addSystem(message);
        break;
      case "user":
        this.#turn("user").rest.push(...this.#blocks(message.content, message.raw));
        break;
      case "assistant":
        this.#addAssistant(message);
        break;
      case "tool":
        this.#addResult(message);
    }
  }

  /** The messages, alternating, beginning with the user's. */
  finish(): Conversation["messages"] {
    this.#endLoop();
    const messages = merged(this.#turns).map(({ role, results, rest }) => ({
      role,
      content: [...results, ...rest],
    }));
    trimEnd(messages);
    if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ text: goOn }] });
    if (messages.at(-1)?.role === "assistant" && !this.#context.rules.takesPrefill) {
      messages.push({ role: "user", content: [{ text: goOn }] });
    }
    for (const { content } of messages) {
      if (content.some((block) => "document" in block) && !content.some((block) => "text" in block)) {
        content.push({ text: filler });
      }
    }
    return messages;
  }

  /** The turn that is being told: the last one, where it has this role. */
  #turn(role: Turn["role"]): Turn {
    const last = this.#turns.at(-1);
    if (last?.role === role) return last;
    const turn: Turn = { role, results: [], rest: [] };
    this.#turns.push(turn);
    return turn;
  }

  #addSystem({ content, raw }: Extract<ChatMessage, { role: "system" | "user" }>): void {
    for (const part of content) {
      if (part.kind !== "text" && part.kind !== "refusal") {
        throw invalid(part.path, "A system message holds text only.");
      }
      if (isBlank(part.text)) continue;
      this.system.push(
        { text: part.text },
        ...this.#mark(part.raw, part === content.at(-1) ? raw : undefined),
      );
    }
  }

  #addAssistant(message: Extract<ChatMessage, { role: "assistant" }>): void {
    this.#endLoop();
    this.#callsPath = `${message.path}.tool_calls`;
    const { rest } = this.#turn("assistant");
    for (const { kind, path } of message.content) {
      if (kind !== "text" && kind !== "refusal") {
        throw unsupported(
          path,
          "Of the assistant's messages this model's upstream takes only text and calls.",
        );
      }
    }
    const said = this.#blocks(message.content, message.raw);
    // Thoughts stand before what they led to: a text, or calls told as such. At the end of a turn they are refused.
    const isTold = message.toolCalls.length === 0 ? said.length > 0 : this.#context.hasTools;
    const thoughts = isTold ? this.#context.thoughtsOf(message) : [];
    rest.push(...(thoughts[0] ?? []).map(thoughtBlock));
    rest.push(...said);
    for (const [index, call] of message.toolCalls.entries()) {
      if (index > 0) rest.push(...(thoughts[index] ?? []).map(thoughtBlock));
      const name = cleanName(call.name);
      const toolUseId = this.#ids.call(call.id);
      if (this.#context.hasTools) rest.push({ toolUse: { toolUseId, name, input: inputOf(call) } });
      else rest.push({ text: `[Called ${name} with ${call.arguments || "{}"}]` });
    }
  }

  /** Every call has its result before the assistant speaks again. */
  #endLoop(): void {
    if (!this.#ids.isAwaitingResults) return;
    const at = this.#callsPath;
    throw invalid(at, `Every tool call in '${at}' must be answered by a tool message.`);
  }

  #addResult(message: Extract<ChatMessage, { role: "tool" }>): void {
    const toolUseId = this.#ids.result(message.toolCallId);
    if (toolUseId === undefined) {
      const at = message.raw["role"] === "function" ? message.path : `${message.path}.tool_call_id`;
      throw invalid(
        at,
        `'${at}' must name a tool call of the assistant message before it, and each only once.`,
      );
    }
    const content: PlainBlock[] = [];
    for (const part of message.content) {
      if (part.kind === "audio") throw unsupported(part.path, "A tool's result cannot hold audio here.");
      if (part.kind !== "text" && part.kind !== "refusal") content.push(fileBlock(part, this.#media));
      else if (!isBlank(part.text)) content.push({ text: part.text });
    }
    if (content.length === 0) content.push({ text: "(no content)" });
    const { results, rest } = this.#turn("user");
    if (!this.#context.hasTools) {
      rest.push({ text: `[${cleanName(message.name ?? "tool")} answered]` }, ...content);
      return;
    }
    results.push({ toolResult: { toolUseId, content } });
    const marks = message.content.map(({ raw }) => raw);
    results.push(...this.#mark(message.raw, ...marks));
  }

  #blocks(parts: readonly ContentPart[], raw: JsonRecord): Block[] {
    return parts.flatMap((part): Block[] => {
      const block = this.#block(part);
      if (block === undefined) return [];
      return [block, ...this.#mark(part.raw, part === parts.at(-1) ? raw : undefined)];
    });
  }

  #block(part: ContentPart): Block | undefined {
    if (part.kind === "text" || part.kind === "refusal") {
      return isBlank(part.text) ? undefined : { text: part.text };
    }
    return part.kind === "audio" ? audioBlock(part, this.#media) : fileBlock(part, this.#media);
  }

  #mark(...raws: readonly (JsonRecord | undefined)[]): CachePoint[] {
    const point = cachePointAfter(raws, this.#context.rules, "messages");
    return point === undefined ? [] : [point];
  }
}

/** Turns in which nothing was said leave no trace: those around them become one. */
function merged(turns: readonly Turn[]): Turn[] {
  const kept: Turn[] = [];
  for (const turn of turns) {
    if (turn.results.length + turn.rest.length === 0) continue;
    const last = kept.at(-1);
    if (last?.role === turn.role) {
      last.results.push(...turn.results);
      last.rest.push(...turn.rest);
    } else kept.push(turn);
  }
  return kept;
}

/** The end of a last text of the assistant's carries no blanks, where the model is to go on with it. */
function trimEnd(messages: { role: Turn["role"]; content: Block[] }[]): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const block = last.content.at(-1);
  if (block !== undefined && "text" in block) last.content.splice(-1, 1, { text: block.text.trimEnd() });
}

/** Throws `Untranslatable` for what cannot be told, and where nothing is. */
export function convertMessages(
  messages: readonly ChatMessage[],
  context: ConversationContext,
): Conversation {
  const writer = new ConversationWriter(context);
  for (const message of messages) writer.add(message);
  const { system } = writer;
  const converted = writer.finish();
  const isEmpty = messages.every(({ content, ...message }) => {
    const hasCalls = message.role === "assistant" && message.toolCalls.length > 0;
    return (
      message.role !== "tool" &&
      !hasCalls &&
      content.every((part) => part.kind === "text" && isBlank(part.text))
    );
  });
  if (isEmpty) throw invalid("messages", "There is nothing in these messages to answer.");
  return { system, messages: converted };
}
