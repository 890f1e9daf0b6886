/**
 * Finds what a Responses request says about stored state (docs/wire/openai-responses.md section 1) and
 * returns it as data. The response store resolves it and removes it before the request is decoded.
 */
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";

/** An item given by id instead of content. `index`: its position in `input`. */
export interface ItemReference {
  readonly id: string;
  readonly index: number;
}

export interface StateRequest {
  readonly previousResponseId: string | undefined;
  /** The id of a conversation. */
  readonly conversation: string | undefined;
  readonly isBackground: boolean;
  /** A stored prompt, as it was sent. */
  readonly prompt: JsonRecord | undefined;
  /** Whether the answer is to be stored; undefined: not given, which OpenAI treats as true. */
  readonly store: boolean | undefined;
  readonly references: readonly ItemReference[];
}

/** What is asked of stored state. `raw`: the parsed request. */
export function stateOf(raw: JsonRecord): StateRequest {
  const { input, conversation, prompt, store } = raw;
  const references = (Array.isArray(input) ? input : []).flatMap((value, index) => {
    const { type, role, id } = recordOf(value);
    const isReference =
      type === "item_reference" || ((type ?? undefined) === undefined && role === undefined);
    return isReference && typeof id === "string" ? [{ id, index }] : [];
  });
  return {
    previousResponseId: textIn(raw["previous_response_id"]),
    conversation: textIn(isRecord(conversation) ? conversation["id"] : conversation),
    isBackground: raw["background"] === true,
    prompt: isRecord(prompt) ? prompt : undefined,
    store: typeof store === "boolean" ? store : undefined,
    references,
  };
}
