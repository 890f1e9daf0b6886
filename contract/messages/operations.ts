/** Names the operations of a model in a message, so that each language uses its own words. */
import type { Operation } from "../operations.ts";
import { type Message, message } from "./message.ts";

/** Joins with commas by halves, because messages may be nested only a few levels deep. */
function listOf(names: readonly Message[]): Message {
  const [only, ...others] = names;
  if (only === undefined) throw new RangeError("A model has at least one operation.");
  if (others.length === 0) return only;
  const half = Math.ceil(names.length / 2);
  return message("operation.list", { first: listOf(names.slice(0, half)), rest: listOf(names.slice(half)) });
}

/** "chat", "chat and embeddings", "chat, embeddings and reranking". Takes at least one operation. */
export function operationsMessage(operations: readonly Operation[]): Message {
  const names = operations.map((name) => message(`operation.${name}`));
  const last = names.at(-1);
  if (last === undefined || names.length === 1) return listOf(names);
  return message("operation.and", { first: listOf(names.slice(0, -1)), last });
}
