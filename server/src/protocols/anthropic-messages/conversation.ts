/**
 * The messages of a chat request as Anthropic's system prompt and turns (docs/wire/anthropic-messages.md
 * section 5): results of tools together and first in their turn, no turn without content, a user's turn
 * first.
 */

import type { ModelFacts } from "../claude/models.ts";
import type { ThoughtGroups } from "../claude/thoughts.ts";
import type { Leftovers } from "../leftovers.ts";
import type { ChatMessage, ChatRequest } from "../openai-chat/request.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import { mark, readMark } from "./cache.ts";
import { blocksOf, hasWords, textBlocksOf } from "./parts.ts";
import { inputOf, isToolName, ToolIds, toolNameRule } from "./tools.ts";
import type { Block, Markable, TextBlock, ToolResultBlock, Turn } from "./wire.ts";

export interface Conversation {
  readonly system: TextBlock[];
  readonly messages: Turn[];
}

export interface ConversationRules {
  readonly facts: ModelFacts;
  readonly leftovers: Leftovers;
  /** Does it think? Then an assistant message at the end is no beginning of the answer. */
  readonly isThinking: boolean;
  /** The thoughts to send back with a message. */
  thoughtsOf(message: ChatMessage & { readonly role: "assistant" }): ThoughtGroups;
}

/** Said in a user's turn that has to be there though nobody said anything. */
const goOn = "(continue)";

/** The mark on a message goes to its last block. */
function markLast(blocks: readonly Block[], message: ChatMessage): void {
  const control = readMark(message.raw, message.path);
  const last = blocks.at(-1);
  if (control === undefined || last === undefined) return;
  if (last.type !== "thinking" && last.type !== "redacted_thinking") mark(last as Markable, control);
}

function resultBlock(
  message: ChatMessage & { readonly role: "tool" },
  id: string,
  leftovers: Leftovers,
): ToolResultBlock {
  const blocks = blocksOf(message.content, leftovers);
  // A mark on a part is as good on the whole result, which is where the protocol surely takes it.
  let control = readMark(message.raw, message.path);
  for (const block of blocks) {
    control = block.cache_control ?? control;
    delete block.cache_control;
  }
  const [only] = blocks;
  const result: ToolResultBlock = { type: "tool_result", tool_use_id: id };
  if (blocks.length === 1 && only?.type === "text") result.content = only.text;
  else if (blocks.length > 0) result.content = blocks;
  return mark(result, control);
}

class ConversationWriter {
  readonly system: TextBlock[] = [];
  readonly turns: Turn[] = [];
  readonly #rules: ConversationRules;
  readonly #ids = new ToolIds();
  /** The user's turn being written: results come before everything else. */
  #results: Block[] = [];
  #said: Block[] = [];
  /** System messages that stand in the conversation: they come after the user's turn, and before the assistant's next one. */
  #late: TextBlock[] = [];
  /** Where the calls stand whose results are awaited. */
  #callsPath = "";

  constructor(rules: ConversationRules) {
    this.#rules = rules;
  }

  add(message: ChatMessage): void {
    switch (message.role) {
      case "system":
        this.#addSystem(message);
        break;
      case "user": {
        const blocks = blocksOf(message.content, this.#rules.leftovers);
        markLast(blocks, message);
        this.#said.push(...blocks);
        break;
      }
      case "tool":
        this.#addResult(message);
        break;
      default:
        this.#addAssistant(message);
    }
  }

  end(): Conversation {
    this.#endUserTurn();
    const { turns } = this;
    if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [{ type: "text", text: goOn }] });
    this.#endAssistant();
    return { system: this.system, messages: turns };
  }

  #addSystem(message: ChatMessage): void {
    const blocks = textBlocksOf(message.content, this.#rules.leftovers);
    markLast(blocks, message);
    const isFirst = this.turns.length === 0 && this.#said.length === 0 && this.#results.length === 0;
    const isLate = this.#rules.facts.inlineSystem && !isFirst;
    (isLate ? this.#late : this.system).push(...blocks);
  }

  #addResult(message: ChatMessage & { readonly role: "tool" }): void {
    const id = this.#ids.answer(message.toolCallId);
    if (id === undefined) {
      const at = message.raw["role"] === "function" ? message.path : `${message.path}.tool_call_id`;
      throw invalid(
        at,
        `'${at}' must name a tool call of the assistant message before it, and each only once.`,
      );
    }
    this.#results.push(resultBlock(message, id, this.#rules.leftovers));
  }

  #checkResults(): void {
    if (!this.#ids.isAwaitingResults) return;
    throw invalid(
      this.#callsPath,
      `Every tool call in '${this.#callsPath}' must be answered by a tool message.`,
    );
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

  #addAssistant(message: ChatMessage & { readonly role: "assistant" }): void {
    const { content, toolCalls, raw, path } = message;
    this.#checkResults();
    const said = textBlocksOf(content, this.#rules.leftovers);
    const { refusal } = raw;
    if (typeof refusal === "string" && hasWords(refusal)) said.push({ type: "text", text: refusal });
    // Thoughts alone are no turn.
    if (said.length === 0 && toolCalls.length === 0) return;
    this.#endUserTurn();
    const [first = [], ...others] = this.#rules.thoughtsOf(message);
    const blocks: Block[] = [...first, ...said];
    toolCalls.forEach((call, index) => {
      if (index > 0) blocks.push(...(others[index - 1] ?? []));
      const at = `${path}.tool_calls[${index}].function.name`;
      if (!isToolName(call.name)) throw unsupported(at, `'${at}' ${toolNameRule}`);
      blocks.push({ type: "tool_use", id: this.#ids.call(call.id), name: call.name, input: inputOf(call) });
    });
    if (toolCalls.length > 0) blocks.push(...(others[toolCalls.length - 1] ?? []));
    this.#callsPath = `${path}.tool_calls`;
    markLast(blocks, message);
    const last = this.turns.at(-1);
    if (last?.role === "assistant") last.content.push(...blocks);
    else this.turns.push({ role: "assistant", content: blocks });
  }

  /** An assistant message at the end: the answer goes on from it, or a new one follows. */
  #endAssistant(): void {
    const last = this.turns.at(-1);
    if (last?.role !== "assistant") return;
    const { facts, isThinking } = this.#rules;
    if (!facts.prefills || isThinking) {
      this.turns.push({ role: "user", content: [{ type: "text", text: goOn }] });
      return;
    }
    // The protocol refuses a beginning that ends with a space.
    const text = last.content.at(-1);
    if (text?.type === "text") text.text = text.text.trimEnd();
  }
}

/** The conversation. Throws `Untranslatable` where results of tools do not fit the calls. */
export function encodeConversation({ messages }: ChatRequest, rules: ConversationRules): Conversation {
  if (messages.length === 0) throw invalid("messages", "'messages' must hold at least one message.");
  const writer = new ConversationWriter(rules);
  for (const message of messages) writer.add(message);
  return writer.end();
}

/** Does the last user's turn hold results of tools? Then the message that began their loop; else undefined. */
export function loopStart(
  messages: readonly ChatMessage[],
): (ChatMessage & { readonly role: "assistant" }) | undefined {
  const lastCall = messages.findLastIndex(({ role }) => role === "assistant");
  if (!messages.slice(lastCall + 1).some(({ role }) => role === "tool")) return undefined;
  let start: (ChatMessage & { readonly role: "assistant" }) | undefined;
  for (let at = lastCall; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined || message.role === "user") break;
    if (message.role === "assistant") start = message;
  }
  return start;
}
