/** Reads the model lists of OpenAI and compatible services. */
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
 * Values of `type`, or of a single output, that mark models other than chat; null: an operation Plaza does
 * not know.
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

/** Outputs whose models are called on that operation's path. Image and speech models answer in chats. */
const ownOutputs: ReadonlySet<unknown> = new Set(["embeddings", "rerank"]);

/** What the item says its model is for, unless it is chat. */
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

/** Reads an item of OpenAI's list, including the fields compatible services add under their own names. */
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
    // Ollama writes null when it has no models.
    if (data === null && object === "list") return { models: [] };
    return Array.isArray(data) ? { models: readItems(data, readOpenaiItem) } : undefined;
  },
};
