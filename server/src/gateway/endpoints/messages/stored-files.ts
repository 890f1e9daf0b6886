/**
 * Files at an upstream that a Messages request names by `file_id`, anywhere in its messages. One pass over
 * their bytes, only where the name occurs: a deep or long body must not make the look dear.
 */
import { afterSpace, afterText, afterValue, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";
import { storedFile } from "../shared-fields.ts";

const idName = "file_id";

/** Members that hold the caller's own: arguments of a tool's call, and what a tool takes. */
const ownNames: ReadonlySet<string> = new Set(["input", "input_schema", "input_examples"]);

/** Blocks that only repeat which files a run of code wrote: no upstream opens what they name. */
const toldTypes: ReadonlySet<unknown> = new Set(["code_execution_output", "bash_code_execution_output"]);

/** An object or a list that the pass is in. */
interface Frame {
  /** Of a list the number of the item; of an object the name of the member. */
  at: number | string;
  readonly isList: boolean;
  /** Where the object itself names a file. */
  idPath: string | undefined;
  /** True when it has a type that only tells, and none that does not. */
  isTold: boolean | undefined;
}

const pathOf = (frames: readonly Frame[]): string =>
  frames.map(({ at, isList }) => (isList ? `[${at}]` : `.${at}`)).join("");

/**
 * Throws `not_found` for a `file_id` at any depth, in any of several members of one name: upstreams may read
 * either.
 */
export function refuseStoredFiles(body: Buffer, messages: ValueSpan): void {
  const frames: Frame[] = [];
  let at = messages.start;
  while (at < messages.end) {
    const byte = body[at];
    const frame = frames.at(-1);
    if (byte === 0x22) {
      const end = afterText(body, at);
      const colon = afterSpace(body, end);
      const isName = frame?.isList === false && body[colon] === 0x3a;
      at = isName ? readMember(body, frames, frame, { start: at, end }, colon) : end;
      continue;
    }
    at += 1;
    if (byte === 0x7b || byte === 0x5b)
      frames.push({ at: 0, isList: byte === 0x5b, idPath: undefined, isTold: undefined });
    else if (byte === 0x2c && frame?.isList === true) frame.at = Number(frame.at) + 1;
    else if (byte === 0x7d || byte === 0x5d) {
      frames.pop();
      if (frame?.idPath !== undefined && frame.isTold !== true) throw storedFile(frame.idPath);
    }
  }
}

/** Returns where the pass goes on: at the member's value, or after it. */
function readMember(
  body: Buffer,
  frames: readonly Frame[],
  frame: Frame,
  text: ValueSpan,
  colon: number,
): number {
  const name = textIn(body, text);
  const value = afterSpace(body, colon + 1);
  frame.at = name ?? "";
  if (name === "type") {
    const type =
      body[value] === 0x22 ? textIn(body, { start: value, end: afterText(body, value) }) : undefined;
    frame.isTold = frame.isTold !== false && toldTypes.has(type);
  }
  const isNull = body[value] === 0x6e;
  if (name === idName && !isNull) frame.idPath ??= `messages${pathOf(frames)}`;
  return name !== undefined && ownNames.has(name) ? afterValue(body, value) : value;
}

/** Longer texts, in bytes with every letter escaped, are none of the names and types looked for. */
const textBytesMax = 256;

/** A text's value. Those without escapes, which nearly all are, need no parser. */
function textIn(body: Buffer, { start, end }: ValueSpan): string | undefined {
  if (end - start > textBytesMax) return undefined;
  const text = body.toString("utf8", start + 1, end - 1);
  return text.includes("\\") ? (parseJson(`"${text}"`) as string | undefined) : text;
}
