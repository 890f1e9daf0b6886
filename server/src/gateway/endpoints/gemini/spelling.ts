/**
 * Fields of Gemini's JSON, whose names have two spellings, `maxOutputTokens` and `max_output_tokens`. A
 * request that has both of one field is refused: which of them an upstream reads is not for Plaza to guess.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../../lib/json/scan.ts";
import { foldCase } from "../../../lib/json/scan-names.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { invalid } from "../shared-fields.ts";

const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Both spellings of each name, each once. */
export const spellingsOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.flatMap((name) => [name, snakeOf(name)])),
];

/** The field in either spelling; undefined: absent or null. Throws where both are there. */
export function fieldOf(scan: JsonScan, name: string): JsonField | undefined {
  const snake = snakeOf(name);
  const camelField = findField(scan, name);
  if (snake === name) return camelField?.kind === "null" ? undefined : camelField;
  const snakeField = findField(scan, snake);
  if (camelField !== undefined && snakeField !== undefined)
    throw invalid(message("body.fieldTwice", { name }), name);
  const field = camelField ?? snakeField;
  return field?.kind === "null" ? undefined : field;
}

/** A name as any reader might take it: without case and underscores. */
export const foldedName = (name: string): string => foldCase(name).replaceAll("_", "");

/**
 * Members of the object at `start` whose names mean `name`, however they are spelled; none for other values.
 */
export const membersNamed = (body: Buffer, { start }: ValueSpan, name: string): readonly MemberSpan[] => {
  if (body[start] !== 0x7b) return [];
  const folded = foldedName(name);
  return membersOf(body, start).filter((member) => foldedName(member.name) === folded);
};
