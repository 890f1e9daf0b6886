/**
 * For tests: what Anthropic's API is known to refuse in a body (docs/wire/anthropic-messages.md sections 2, 5
 * and 6). Written from the documentation, independently of the encoder, so that it can catch the encoder's
 * mistakes.
 */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";

const idPattern = /^[A-Za-z0-9_-]+$/;
const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  system: ["text"],
};

function* blockFaults(block: JsonRecord, role: string, at: string): Generator<string> {
  const type = String(block["type"]);
  if (blockTypes[role]?.includes(type) !== true) yield `${at}: ${type} in a ${role} turn`;
  if (type === "text" && !/\S/.test(String(block["text"] ?? ""))) yield `${at}: text without words`;
  if (type === "thinking" && (block["signature"] ?? "") === "") yield `${at}: thinking without a signature`;
  if (type.includes("thinking") && "cache_control" in block) yield `${at}: a mark on a thought`;
  const source = recordOf(block["source"]);
  if (type === "image" && source["type"] === "base64" && !imageTypes.includes(String(source["media_type"]))) {
    yield `${at}: an image of type ${String(source["media_type"])}`;
  }
  if (type === "tool_use") {
    if (!idPattern.test(String(block["id"]))) yield `${at}: id ${String(block["id"])}`;
    if (!idPattern.test(String(block["name"]))) yield `${at}: name ${String(block["name"])}`;
    if (!isRecord(block["input"])) yield `${at}: input that is no object`;
  }
  if (type === "tool_result" && Array.isArray(block["content"])) {
    if (block["content"].length === 0) yield `${at}: a result of no blocks`;
    for (const inner of block["content"]) yield* blockFaults(recordOf(inner), "user", `${at}.content`);
  }
}

const idsOf = (turn: JsonRecord | undefined, type: string, name: string): string[] =>
  (Array.isArray(turn?.["content"]) ? turn["content"].map(recordOf) : [])
    .filter((block) => block["type"] === type)
    .map((block) => String(block[name]));

function* turnFaults(turns: readonly JsonRecord[]): Generator<string> {
  if (turns.length === 0) yield "messages: none";
  if (turns[0]?.["role"] !== "user") yield "messages: the first is not a user's";
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const role = String(turn["role"]);
    const at = `messages.${index}`;
    const before = turns[index - 1];
    const content = Array.isArray(turn["content"]) ? turn["content"].map(recordOf) : [];
    if (content.length === 0) yield `${at}: no content`;
    if (role !== "user" && before?.["role"] === role) yield `${at}: ${role} after ${role}`;
    if (role === "system" && before?.["role"] !== "user") yield `${at}: system not after a user's turn`;
    if (before?.["role"] === "system" && role !== "assistant")
      yield `${at}: ${role} after system, which precedes the assistant's turn or ends the list`;
    for (const block of content) yield* blockFaults(block, role, at);
    const calls = idsOf(turn, "tool_use", "id");
    for (const id of calls) {
      if (seen.has(id)) yield `${at}: id ${id} twice`;
      seen.add(id);
    }
    const results = idsOf(turn, "tool_result", "tool_use_id");
    const wanted = idsOf(before, "tool_use", "id");
    if ([...results].sort().join() !== [...wanted].sort().join())
      yield `${at}: results ${results} for calls ${wanted}`;
    const firstOther = content.findIndex((block) => block["type"] !== "tool_result");
    const lastResult = content.findLastIndex((block) => block["type"] === "tool_result");
    if (firstOther >= 0 && lastResult > firstOther) yield `${at}: results after other blocks`;
    if (calls.length > 0 && index === turns.length - 1) yield `${at}: calls without results`;
  }
}

function* settingFaults(body: JsonRecord): Generator<string> {
  const {
    max_tokens: most,
    tools,
    tool_choice: choice,
    stop_sequences: stop,
    temperature,
    top_p: topP,
  } = body;
  if (typeof most !== "number" || most < 1) yield "max_tokens";
  const thinking = recordOf(body["thinking"]);
  const isThinking = thinking["type"] === "enabled" || thinking["type"] === "adaptive";
  const budget = thinking["budget_tokens"];
  if (thinking["type"] === "enabled" && !(Number(budget) >= 1024 && Number(budget) < Number(most)))
    yield "thinking.budget_tokens";
  if (isThinking && (temperature !== undefined || body["top_k"] !== undefined))
    yield "sampling while thinking";
  if (temperature !== undefined && topP !== undefined) yield "temperature and top_p";
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 1))
    yield "temperature";
  const forced = ["any", "tool"].includes(String(recordOf(choice)["type"]));
  if (forced && thinking["type"] === "enabled") yield "thinking by a budget while a tool is forced";
  if (recordOf(choice)["type"] === "none" && Object.keys(recordOf(choice)).length > 1)
    yield "tool_choice none with more";
  const names = Array.isArray(tools) ? tools.map((tool) => String(recordOf(tool)["name"])) : [];
  if (choice !== undefined && names.length === 0) yield "tool_choice without tools";
  if (new Set(names).size < names.length) yield "two tools of one name";
  for (const name of names) if (!idPattern.test(name)) yield `tools: ${name}`;
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (recordOf(recordOf(tool)["input_schema"])["type"] !== "object") yield "tools: input_schema";
  }
  if (Array.isArray(stop) && stop.some((text) => !/\S/.test(String(text)))) yield "stop_sequences";
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (marks > 4) yield "cache_control";
}

/**
 * The API's objections to this body; empty when it would be accepted. Rules of single models are not checked.
 */
export function refusalsOf(body: unknown): string[] {
  const record = recordOf(body);
  const turns = Array.isArray(record["messages"]) ? record["messages"].map(recordOf) : [];
  return [...settingFaults(record), ...turnFaults(turns)];
}
