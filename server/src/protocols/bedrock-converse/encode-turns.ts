/**
 * Encodes a conversation's turns as Converse's `system` and `messages` (docs/wire/bedrock-converse.md section
 * 5, docs/wire/anthropic-messages.md section 5).
 */
import { message } from "@plaza/contract/messages/message.ts";
import {
  type CacheMark,
  type ContentBlock,
  isContent,
  isWords,
  type ToolResultBlock as Result,
  type ToolCallBlock,
} from "../../conversation/blocks.ts";
import {
  type AssistantTurn,
  type Conversation,
  type SystemTurn,
  type Turn,
  withLeadingSystem,
} from "../../conversation/conversation.ts";
import type { Media } from "../../conversation/media.ts";
import { noThoughts, type Thoughts } from "../claude/thoughts.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { cachePointAfter } from "./cache.ts";
import { audioBlock, createDocumentNames, fileBlock, type MediaContext } from "./encode-media.ts";
import { cleanName, inputOf, ToolIds } from "./encode-tools.ts";
import type { ModelRules } from "./models.ts";
import { thoughtBlock } from "./reasoning.ts";
import type { Block, CachePoint, PlainBlock } from "./wire.ts";

export interface TurnContext {
  readonly rules: ModelRules;
  readonly media: Media | undefined;
  readonly leftovers: Leftovers;
  /** False when there are no tools: earlier calls and results are then written as text. */
  readonly hasTools: boolean;
  /** The signed thoughts to send back with a turn. */
  readonly thoughtsOf: (turn: AssistantTurn) => Thoughts;
}

interface Message {
  readonly role: "user" | "assistant";
  /** Tool results, which come first. */
  readonly results: Block[];
  readonly rest: Block[];
}

export interface EncodedTurns {
  readonly system: ({ readonly text: string } | CachePoint)[];
  readonly messages: { readonly role: "user" | "assistant"; readonly content: Block[] }[];
}

/** True for a blank text, which the protocol refuses. */
const isBlank = (text: string): boolean => text.trim() === "";
/** Text of a user turn that the protocol requires but the caller did not send. */
const goOn = "(continue)";
/** Text beside a document, which must not be alone in a message. */
const filler = ".";

class TurnWriter {
  readonly system: ({ readonly text: string } | CachePoint)[] = [];
  readonly #messages: Message[] = [];
  readonly #context: TurnContext;
  readonly #media: MediaContext;
  readonly #ids: ToolIds;
  /** Path of the latest calls. */
  #callsPath = "";

  constructor(context: TurnContext) {
    this.#context = context;
    this.#ids = new ToolIds(context.rules);
    const { takesAudio } = context.rules;
    this.#media = { media: context.media, takesAudio, nameDocument: createDocumentNames() };
  }

  add(turn: Turn): void {
    switch (turn.role) {
      case "system":
        this.#addSystem(turn);
        break;
      case "user":
        this.#message("user").rest.push(...this.#blocks(turn.blocks, turn.cache));
        break;
      case "assistant":
        this.#addAssistant(turn);
        break;
      case "tool":
        for (const result of turn.blocks) this.#addResult(result);
    }
  }

  /** The messages: alternating roles, starting with the user. */
  finish(): EncodedTurns["messages"] {
    this.#endLoop();
    const messages = merged(this.#messages).map(({ role, results, rest }) => ({
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

  /** The message being written: the last one if it has this role, else a new one. */
  #message(role: Message["role"]): Message {
    const last = this.#messages.at(-1);
    if (last?.role === role) return last;
    const turn: Message = { role, results: [], rest: [] };
    this.#messages.push(turn);
    return turn;
  }

  #addSystem({ blocks, cache }: SystemTurn): void {
    for (const block of blocks) {
      if (!isWords(block)) throw invalid(block.path, message("wire.systemTextOnly"));
      if (isBlank(block.text)) continue;
      this.system.push(
        { text: block.text },
        ...this.#mark(block.cache, block === blocks.at(-1) ? cache : undefined),
      );
    }
  }

  #addAssistant(turn: AssistantTurn): void {
    this.#endLoop();
    this.#callsPath = turn.callsPath;
    const { rest } = this.#message("assistant");
    const content = turn.blocks.filter(isContent);
    for (const block of content) {
      if (!isWords(block)) {
        throw unsupported(block.path, message("wire.assistantTextOnly"));
      }
    }
    // Thoughts must come before a text or a call; at the end of a turn they are refused.
    const lastSpoken = turn.blocks.findLastIndex((block) =>
      block.kind === "tool call" ? this.#context.hasTools : isWords(block) && !isBlank(block.text),
    );
    const hasCalls = turn.blocks.some(({ kind }) => kind === "tool call");
    const hasThoughts = lastSpoken >= 0 && (!hasCalls || this.#context.hasTools);
    const { own, recalled } = hasThoughts ? this.#context.thoughtsOf(turn) : noThoughts;
    rest.push(...(recalled[0] ?? []).map(thoughtBlock));
    let calls = 0;
    for (const [index, block] of turn.blocks.entries()) {
      if (block.kind === "reasoning") {
        const thought = index < lastSpoken ? own.get(block) : undefined;
        if (thought !== undefined) rest.push(thoughtBlock(thought));
      } else if (block.kind === "tool call") {
        if (calls > 0) rest.push(...(recalled[calls] ?? []).map(thoughtBlock));
        calls += 1;
        this.#addCall(block, rest);
      } else if (block.kind === "made image") {
        this.#context.leftovers.note(block.urlPath);
      } else if (isContent(block)) {
        rest.push(...this.#marked(block, block === content.at(-1) ? turn.cache : undefined));
      }
    }
  }

  #addCall(call: ToolCallBlock, rest: Block[]): void {
    const name = cleanName(call.name);
    const toolUseId = this.#ids.call(call.id);
    if (this.#context.hasTools) rest.push({ toolUse: { toolUseId, name, input: inputOf(call) } });
    else rest.push({ text: `[Called ${name} with ${call.arguments || "{}"}]` });
  }

  /** Checks that every call has its result before the assistant's next turn. */
  #endLoop(): void {
    if (!this.#ids.isAwaitingResults) return;
    const at = this.#callsPath;
    throw invalid(at, message("wire.toolCallsUnanswered", { param: at }));
  }

  #addResult(result: Result): void {
    const toolUseId = this.#ids.result(result.callId);
    if (toolUseId === undefined) {
      const at = result.idPath;
      throw invalid(at, message("wire.toolCallUnknown", { param: at }));
    }
    const content: PlainBlock[] = [];
    for (const block of result.content) {
      if (block.kind === "audio") throw unsupported(block.path, message("wire.resultWithAudio"));
      if (!isWords(block)) content.push(fileBlock(block, this.#media));
      else if (!isBlank(block.text)) content.push({ text: block.text });
    }
    if (content.length === 0) content.push({ text: "(no content)" });
    const isError = result.isError === true;
    const { results, rest } = this.#message("user");
    if (!this.#context.hasTools) {
      const end = isError ? "failed" : "answered";
      rest.push({ text: `[${cleanName(result.name ?? "tool")} ${end}]` }, ...content);
      return;
    }
    const { takesResultStatus } = this.#context.rules;
    if (isError && !takesResultStatus) content.unshift({ text: "Error:" });
    const status = isError && takesResultStatus ? ({ status: "error" } as const) : {};
    results.push({ toolResult: { toolUseId, content, ...status } });
    results.push(...this.#mark(result.cache, ...result.content.map(({ cache }) => cache)));
  }

  #blocks(blocks: readonly ContentBlock[], cache: CacheMark | undefined): Block[] {
    return blocks.flatMap((block) => this.#marked(block, block === blocks.at(-1) ? cache : undefined));
  }

  /**
   * A block with its cache point; empty for a blank text. `ofTurn`: the mark of the turn that the block ends.
   */
  #marked(content: ContentBlock, ofTurn: CacheMark | undefined): Block[] {
    const block = this.#block(content);
    return block === undefined ? [] : [block, ...this.#mark(content.cache, ofTurn)];
  }

  #block(content: ContentBlock): Block | undefined {
    if (isWords(content)) return isBlank(content.text) ? undefined : { text: content.text };
    return content.kind === "audio" ? audioBlock(content, this.#media) : fileBlock(content, this.#media);
  }

  #mark(...marks: readonly (CacheMark | undefined)[]): CachePoint[] {
    const point = cachePointAfter(marks, this.#context.rules, "messages");
    return point === undefined ? [] : [point];
  }
}

/** Removes empty messages and joins their neighbours. */
function merged(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  for (const message of messages) {
    if (message.results.length + message.rest.length === 0) continue;
    const last = kept.at(-1);
    if (last?.role === message.role) {
      last.results.push(...message.results);
      last.rest.push(...message.rest);
    } else kept.push(message);
  }
  return kept;
}

/** Removes trailing whitespace from a final assistant text that the model is to continue. */
function trimEnd(messages: { role: Message["role"]; content: Block[] }[]): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const block = last.content.at(-1);
  if (block !== undefined && "text" in block) last.content.splice(-1, 1, { text: block.text.trimEnd() });
}

/** True when the turn contains something to answer. Tool results always do. */
const isNotEmpty = ({ blocks }: Turn): boolean =>
  blocks.some((block) => {
    if (block.kind === "text") return !isBlank(block.text);
    return block.kind === "tool result" || block.kind === "tool call" || isContent(block);
  });

/** Throws `Untranslatable` for unsupported content and for an empty conversation. */
export function encodeTurns({ turns, names }: Conversation, context: TurnContext): EncodedTurns {
  const writer = new TurnWriter(context);
  for (const turn of withLeadingSystem(turns)) writer.add(turn);
  const { system } = writer;
  const messages = writer.finish();
  if (!turns.some(isNotEmpty)) {
    throw invalid(names.turns, message("wire.nothingToAnswer"));
  }
  return { system, messages };
}
