/**
 * The edits that a caller's body gets which is passed on as it is: the model's name, the output that is paid
 * for, no list of models. Every other byte stays. Formats differ in names and places only, which the
 * endpoint's scan found; nothing here parses a body.
 */
import { cutMember, type Edit, splice } from "../lib/json/splice.ts";
import { parseJson } from "../lib/record.ts";
import type { FieldSpans, ProviderRequest, Span } from "../protocols/protocol.ts";

/** Just after the opening brace of the object that begins at or after `from`. */
export function firstMemberAt(body: Buffer, from = 0): number {
  let at = from;
  while (at < body.length && body[at] !== 0x7b) at += 1;
  return at + 1;
}

/** Puts a member in front of an object's others. `start`: where the object begins. */
export function memberEdit(body: Buffer, start: number, member: string): Edit {
  const at = firstMemberAt(body, start);
  let next = at;
  while (next < body.length && (body[next] as number) <= 0x20) next += 1;
  return { start: at, end: at, text: body[next] === 0x7d ? member : `${member},` };
}

/** The model's value, when it is not already this name (escapes spelt differently are the same name). */
export function modelEdit(body: Buffer, span: Span | undefined, model: string): Edit | undefined {
  const wanted = JSON.stringify(model);
  if (span === undefined) return memberEdit(body, 0, `"model":${wanted}`);
  const sent = body.toString("utf8", span.start, span.end);
  if (sent === wanted || (sent.includes("\\") && parseJson(sent) === model)) return undefined;
  return { start: span.start, end: span.end, text: wanted };
}

/** Where a format has its bound of the output. */
export interface BoundSpans {
  /** Under names that every upstream of the format knows; nulls included. */
  readonly known: readonly (Span | undefined)[];
  /** Says it where the caller does not. `text`: the number. */
  insert(body: Buffer, text: string): Edit;
}

const edit = ({ start, end }: Span, text: string): Edit => ({ start, end, text });

/**
 * Cuts the output down to what is paid for: every bound beyond it, under whatever name, and one under a name
 * that every upstream knows. Smaller ones stay.
 */
export function boundEdits(
  { body, spans, outputTokensMax }: Pick<ProviderRequest, "body" | "spans" | "outputTokensMax">,
  { known, insert }: BoundSpans,
): Edit[] {
  if (outputTokensMax === undefined) return [];
  const text = String(outputTokensMax);
  const isNull = ({ start }: Span): boolean => body[start] === 0x6e;
  const isWithin = ({ start, end }: Span): boolean => {
    // Gemini's callers may write a number as a text.
    const value = Number(body.toString("latin1", start, end).replaceAll('"', ""));
    return value >= 1 && value <= outputTokensMax;
  };
  const used = known.filter((span) => span !== undefined);
  const given = used.filter((span) => !isNull(span));
  const edits = (spans.outputs ?? given).filter((span) => !isWithin(span)).map((span) => edit(span, text));
  if (given.length > 0) return edits;
  const only = used[0];
  return [...edits, only === undefined ? insert(body, text) : edit(only, text)];
}

/** Takes out the caller's list of models, which is the gateway's alone. */
export const listEdits = (body: Buffer, { models }: FieldSpans): Edit[] =>
  models === undefined ? [] : [cutMember(body, models)];

/** The body with all edits made, in whatever order they come; the caller's own buffer when there are none. */
export function bodyWith(body: Buffer, edits: Edit[]): Buffer {
  // What is put in at a place comes before what is replaced from there on.
  if (edits.length > 1) edits.sort((a, b) => a.start - b.start || a.end - b.end);
  return splice(body, edits);
}
