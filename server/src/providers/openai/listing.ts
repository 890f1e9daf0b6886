/** How OpenAI and compatible services list their models. */
import type { Operation } from "@plaza/contract/operations.ts";
import { isRecord, type JsonRecord } from "../../lib/record.ts";
import {
  firstTitle,
  firstTokens,
  type ListedModel,
  type Listing,
  listed,
  nameOf,
  readItems,
} from "../listing.ts";

/**
 * Words some services put into `type`, or give as the only output, for what is no
 * chat model; null: nothing Plaza knows.
 */
const otherTypes: ReadonlyMap<unknown, Operation | null> = new Map([
  ["embedding", "embeddings"],
  ["embeddings", "embeddings"],
  ["image", "image"],
  ["rerank", "rerank"],
  ["moderation", "moderation"],
  ["transcribe", "transcription"],
  ["stt", "transcription"],
  ["tts", "speech"],
  ["audio", null],
  ["video", null],
]);

/**
 * Outputs whose models are called at the path of that operation; those that paint or speak do so in chats.
 */
const ownOutputs: ReadonlySet<unknown> = new Set(["embeddings", "rerank"]);

/** What the item says it is for, where that is not chat. */
function purposeOf(item: JsonRecord): Pick<ListedModel, "operations" | "isOther"> {
  const { type, capabilities, architecture } = item;
  const outputs = isRecord(architecture) ? architecture["output_modalities"] : undefined;
  const [output, ...others] = Array.isArray(outputs) ? (outputs as unknown[]) : [];
  const word = others.length === 0 && ownOutputs.has(output) ? output : type;
  const operation = otherTypes.get(word);
  if (operation !== undefined && operation !== null) return { operations: [operation] };
  if (operation === null) return { isOther: true };
  if (isRecord(capabilities) && capabilities["completion_chat"] === false) return { isOther: true };
  return { isOther: Array.isArray(outputs) && outputs.length > 0 && !outputs.includes("text") };
}

/** OpenAI's list and what compatible services add to it, each in its own words. */
function readOpenaiItem(item: JsonRecord): ListedModel | undefined {
  const name = nameOf(item["id"]);
  if (name === undefined) return undefined;
  const top = isRecord(item["top_provider"]) ? item["top_provider"] : {};
  return listed({
    name,
    title: firstTitle(item["display_name"], item["name"]),
    context: firstTokens(
      item["context_length"],
      item["context_window"],
      item["max_model_len"],
      item["max_context_length"],
    ),
    maxOutput: firstTokens(
      item["max_completion_tokens"],
      item["max_output_tokens"],
      top["max_completion_tokens"],
    ),
    operations: undefined,
    isOther: undefined,
    ...purposeOf(item),
  });
}

export const openaiListing: Listing = {
  path: (probePath) => probePath,
  read(body) {
    if (Array.isArray(body)) return { models: readItems(body, readOpenaiItem) };
    if (!isRecord(body)) return undefined;
    const { data, object } = body;
    // Ollama without any model writes null.
    if (data === null && object === "list") return { models: [] };
    return Array.isArray(data) ? { models: readItems(data, readOpenaiItem) } : undefined;
  },
};
