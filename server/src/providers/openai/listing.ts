/** How OpenAI and compatible services list their models. */
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

/** Words some services put into `type` for what is no chat model. */
const otherTypes = /^(?:embeddings?|image|audio|video|rerank|moderation|transcribe|tts|stt)$/;

function isOtherKind(item: JsonRecord): boolean {
  const { type, capabilities, architecture } = item;
  if (typeof type === "string" && otherTypes.test(type)) return true;
  if (isRecord(capabilities) && capabilities["completion_chat"] === false) return true;
  const outputs = isRecord(architecture) ? architecture["output_modalities"] : undefined;
  return Array.isArray(outputs) && outputs.length > 0 && !outputs.includes("text");
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
    isOther: isOtherKind(item),
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
