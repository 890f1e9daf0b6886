/**
 * For tests: what Converse would refuse in a body, by the rules of docs/wire/bedrock-converse.md section 5.
 */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;
const documentName = /^(?!.* {2})[A-Za-z0-9\s\-()[\]]{1,200}$/;
const listOf = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function blockFaults(block: JsonRecord, role: unknown): string[] {
  const { text, toolUse, toolResult, document, image } = block;
  const faults: string[] = [];
  const words = [text, ...listOf(recordOf(toolResult)["content"]).map((part) => part["text"])];
  if (words.some((word) => typeof word === "string" && word.trim() === "")) faults.push("a blank text");
  if (isRecord(toolUse)) {
    if (role !== "assistant") faults.push("a call of the user's");
    if (!idPattern.test(String(toolUse["toolUseId"]))) faults.push("a call's id");
    if (!idPattern.test(String(toolUse["name"]))) faults.push("a call's name");
    if (!isRecord(toolUse["input"])) faults.push("a call's input");
  }
  if (isRecord(toolResult) && role !== "user") faults.push("a result of the assistant's");
  if (isRecord(document) && !documentName.test(String(document["name"]))) faults.push("a document's name");
  if ((isRecord(image) || isRecord(document)) && role !== "user") faults.push("a file of the assistant's");
  if (isRecord(block["reasoningContent"]) && role !== "assistant") faults.push("a thought of the user's");
  return faults;
}

function turnFaults({ role, content }: JsonRecord): string[] {
  const blocks = listOf(content);
  const faults = blocks.flatMap((block) => blockFaults(block, role));
  if (blocks.length === 0) faults.push("a turn without content");
  if (isRecord(blocks.at(-1)?.["reasoningContent"])) faults.push("a thought at the end");
  if (isRecord(blocks[0]?.["cachePoint"])) faults.push("a cache point before anything");
  const has = (name: string): boolean => blocks.some((block) => block[name] !== undefined);
  if (has("document") && !has("text")) faults.push("a document without a text");
  const lastResult = blocks.findLastIndex((block) => block["toolResult"] !== undefined);
  const isResult = (block: JsonRecord): boolean =>
    block["toolResult"] !== undefined || block["cachePoint"] !== undefined;
  if (!blocks.slice(0, lastResult + 1).every(isResult)) faults.push("a result after something else");
  return faults;
}

/** All objections to this body; empty when it would be accepted. */
export function refusalsOf(body: JsonRecord): string[] {
  const turns = listOf(body["messages"]);
  const faults = turns.flatMap(turnFaults);
  if (turns[0]?.["role"] !== "user") faults.push("the first turn is not the user's");
  if (turns.some(({ role }, index) => index > 0 && turns[index - 1]?.["role"] === role)) {
    faults.push("turns that do not alternate");
  }
  const blocks = turns.flatMap(({ content }) => listOf(content));
  const tools = listOf(recordOf(body["toolConfig"])["tools"]);
  const usesTools = blocks.some(
    (block) => block["toolUse"] !== undefined || block["toolResult"] !== undefined,
  );
  if (usesTools && tools.length === 0) faults.push("calls without toolConfig");
  if (body["toolConfig"] !== undefined && !tools.some((tool) => isRecord(tool["toolSpec"]))) {
    faults.push("no tools in toolConfig");
  }
  const ids = blocks.flatMap((block) => (isRecord(block["toolUse"]) ? [block["toolUse"]["toolUseId"]] : []));
  if (new Set(ids).size < ids.length) faults.push("an id twice");
  const names = blocks.flatMap((block) => (isRecord(block["document"]) ? [block["document"]["name"]] : []));
  if (new Set(names).size < names.length) faults.push("a document's name twice");
  const points = [...tools, ...listOf(body["system"]), ...blocks].filter(
    (block) => block["cachePoint"] !== undefined,
  );
  if (points.length > 4) faults.push("too many cache points");
  const { maxTokens } = recordOf(body["inferenceConfig"]);
  const { thinking } = recordOf(body["additionalModelRequestFields"]);
  const budget = recordOf(thinking)["budget_tokens"];
  if (typeof budget === "number" && typeof maxTokens === "number" && budget >= maxTokens) {
    faults.push("a budget that leaves no answer");
  }
  const choice = recordOf(recordOf(body["toolConfig"])["toolChoice"]);
  if (
    recordOf(thinking)["type"] === "enabled" &&
    (choice["any"] !== undefined || choice["tool"] !== undefined)
  )
    faults.push("forced while thinking by a budget");
  return faults;
}
