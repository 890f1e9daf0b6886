/**
 * Encodes a conversation's turns as Anthropic's system prompt and messages (docs/wire/anthropic-messages.md
 * section 5): tool results together and first in their turn, no turn without content, a user turn first.
 */
import { message } from "@plaza/contract/messages/message.ts";
import {
  type CacheMark,
  isContent,
  isWords,
  type ToolResultBlock as Result,
} from "../../conversation/blocks.ts";
import {
  type AssistantTurn,
  type Conversation,
  type SystemTurn,
  type Turn,
  withLeadingSystem,
} from "../../conversation/conversation.ts";
import { controlOf } from "../claude/cache.ts";
import type { ModelFacts } from "../claude/models.ts";
import type { Thoughts } from "../claude/thoughts.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { mark } from "./cache.ts";
import { blocksOf, hasWords, onlyText } from "./encode-content.ts";
import { inputOf, isToolName, ToolIds } from "./encode-tools.ts";
import type { Block, Markable, MessageTurn, TextBlock, ToolResultBlock } from "./wire.ts";

export interface EncodedTurns {
  readonly system: TextBlock[];
  readonly messages: MessageTurn[];
}

export interface TurnRules {
  readonly facts: ModelFacts;
  readonly leftovers: Leftovers;
  /** True when the model thinks. A final assistant turn then cannot be continued. */
  readonly isThinking: boolean;
  /** The thoughts to send back with a turn. */
  thoughtsOf(turn: AssistantTurn): Thoughts;
}

/** Text of a user turn that the protocol requires but the caller did not send. */
const goOn = "(continue)";

/** Moves a turn's mark to its last block. */
function markLast(blocks: readonly Block[], cache: CacheMark | undefined): void {
  const control = controlOf(cache);
  const last = blocks.at(-1);
  if (control === undefined || last === undefined) return;
  if (last.type !== "thinking" && last.type !== "redacted_thinking") mark(last as Markable, control);
}

function resultBlock({ content, cache, isError }: Result, id: string, leftovers: Leftovers): ToolResultBlock {
  const blocks = blocksOf(content, leftovers);
  // A mark on a part becomes a mark on the whole result, where the protocol is sure to accept it.
  let control = controlOf(cache);
  for (const block of blocks) {
    control = block.cache_control ?? control;
    delete block.cache_control;
  }
  const [only] = blocks;
  const result: ToolResultBlock = { type: "tool_result", tool_use_id: id };
  if (blocks.length === 1 && only?.type === "text") result.content = only.text;
  else if (blocks.length > 0) result.content = blocks;
  if (isError === true) result.is_error = true;
  return mark(result, control);
}

class TurnWriter {
  readonly system: TextBlock[] = [];
  readonly turns: MessageTurn[] = [];
  readonly #rules: TurnRules;
  readonly #ids = new ToolIds();
  /** The user turn being written; tool results come before everything else. */
  #results: Block[] = [];
  #said: Block[] = [];
  /**
   * System messages in the middle of the conversation: placed after the user turn and before the next
   * assistant turn.
   */
  #late: TextBlock[] = [];
  /** Path of the calls whose results are expected. */
  #callsPath = "";

  constructor(rules: TurnRules) {
    this.#rules = rules;
  }

  add(turn: Turn): void {
    switch (turn.role) {
      case "system":
        this.#addSystem(turn);
        break;
      case "user": {
        const blocks = blocksOf(turn.blocks, this.#rules.leftovers);
        markLast(blocks, turn.cache);
        this.#said.push(...blocks);
        break;
      }
      case "tool":
        for (const result of turn.blocks) this.#addResult(result);
        break;
      default:
        this.#addAssistant(turn);
    }
  }

  end(): EncodedTurns {
    this.#endUserTurn();
    const { turns } = this;
    if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [{ type: "text", text: goOn }] });
    this.#endAssistant();
    return { system: this.system, messages: turns };
  }

  #addSystem({ blocks: said, cache }: SystemTurn): void {
    const { leftovers } = this.#rules;
    const blocks = said.map((block) => onlyText(block, leftovers)).filter((block) => block !== undefined);
    markLast(blocks, cache);
    const isFirst = this.turns.length === 0 && this.#said.length === 0 && this.#results.length === 0;
    (isFirst ? this.system : this.#late).push(...blocks);
  }

  #addResult(result: Result): void {
    const id = this.#ids.answer(result.callId);
    if (id === undefined) {
      const at = result.idPath;
      throw invalid(at, message("wire.toolCallUnknown", { param: at }));
    }
    this.#results.push(resultBlock(result, id, this.#rules.leftovers));
  }

  #checkResults(): void {
    if (!this.#ids.isAwaitingResults) return;
    throw invalid(this.#callsPath, message("wire.toolCallsUnanswered", { param: this.#callsPath }));
  }

  #endUserTurn(): void {
    this.#checkResults();
    const content = [...this.#results, ...this.#said];
    this.#results = [];
    this.#said = [];
    if (content.length > 0) this.turns.push({ role: "user", content });
    if (this.#late.length === 0) return;
    if (this.turns.at(-1)?.role !== "user")
      this.turns.push({ role: "user", content: [{ type: "text", text: goOn }] });
    this.turns.push({ role: "system", content: this.#late });
    this.#late = [];
  }

  #addAssistant(turn: AssistantTurn): void {
    this.#checkResults();
    // A turn with thoughts only is not sent.
    const speaks = turn.blocks.some(
      (block) => block.kind === "tool call" || (isWords(block) && hasWords(block.text)),
    );
    if (speaks) this.#endUserTurn();
    const blocks = this.#assistantBlocks(turn);
    if (!speaks) return;
    this.#callsPath = turn.callsPath;
    markLast(blocks, turn.cache);
    const last = this.turns.at(-1);
    if (last?.role === "assistant") last.content.push(...blocks);
    else this.turns.push({ role: "assistant", content: blocks });
  }

  #assistantBlocks(turn: AssistantTurn): Block[] {
    const { own, recalled } = this.#rules.thoughtsOf(turn);
    const blocks: Block[] = [...(recalled[0] ?? [])];
    let calls = 0;
    for (const block of turn.blocks) {
      if (block.kind === "reasoning") {
        const thought = own.get(block);
        if (thought !== undefined) blocks.push(thought);
      } else if (block.kind === "tool call") {
        if (calls > 0) blocks.push(...(recalled[calls] ?? []));
        calls += 1;
        const { name, namePath: at } = block;
        if (!isToolName(name)) throw unsupported(at, message("wire.toolName128", { at }));
        blocks.push({ type: "tool_use", id: this.#ids.call(block.id), name, input: inputOf(block) });
      } else if (block.kind === "made image") {
        this.#rules.leftovers.note(block.urlPath);
      } else if (isContent(block)) {
        const text = onlyText(block, this.#rules.leftovers);
        if (text !== undefined) blocks.push(text);
      }
    }
    return blocks;
  }

  /** Handles a final assistant message: the model continues it, or starts a new one. */
  #endAssistant(): void {
    const last = this.turns.at(-1);
    if (last?.role !== "assistant") return;
    const { facts, isThinking } = this.#rules;
    if (!facts.prefills || isThinking) {
      this.turns.push({ role: "user", content: [{ type: "text", text: goOn }] });
      return;
    }
    // The protocol refuses an assistant message to be continued that ends with whitespace.
    const text = last.content.at(-1);
    if (text?.type === "text") text.text = text.text.trimEnd();
  }
}

/** Encodes the turns. Throws `Untranslatable` when tool results do not match the calls. */
export function encodeTurns({ turns, names }: Conversation, rules: TurnRules): EncodedTurns {
  if (turns.length === 0) throw invalid(names.turns, message("call.messagesEmpty", { param: names.turns }));
  const writer = new TurnWriter(rules);
  for (const turn of rules.facts.inlineSystem ? turns : withLeadingSystem(turns)) writer.add(turn);
  return writer.end();
}
