/**
 * `plaza connect`: adds entries to a catalog file and keeps every other character, comments included. Pure:
 * text in, text out. Knows YAML and lists, not what an entry means.
 */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  type YAMLSeq,
} from "yaml";
import { blockLines, type Entry, flowOf } from "./yaml.ts";

/** Entries for one list of the file. */
export interface Addition {
  /** Path of the list, such as `["upstreams"]` or `["models", 3, "deployments"]`. */
  readonly path: readonly (string | number)[];
  readonly entries: readonly Entry[];
}

/** The file has a form that cannot be edited automatically. */
export class EditError extends Error {}

interface Splice {
  readonly at: number;
  /** Number of characters to remove at this position. */
  readonly cut: number;
  readonly text: string;
}

type Seq = YAMLSeq<ParsedNode> & { range: [number, number, number]; flow?: boolean };

function listAt(document: Document.Parsed, path: Addition["path"]): Seq {
  const node: unknown = document.getIn([...path], true);
  const place = path.join(".");
  if (isAlias(node))
    throw new EditError(`${place} is an alias (*name), which stands for a list somewhere else`);
  if (!isSeq(node)) throw new EditError(`${place} is no list`);
  return node as Seq;
}

/** Returns the end offset of the last value within a node. */
function lastTextEnd(node: unknown): number {
  if (isPair(node)) return node.value === null ? lastTextEnd(node.key) : lastTextEnd(node.value);
  if (isCollection(node) && node.flow !== true && node.items.length > 0)
    return lastTextEnd(node.items.at(-1));
  if (isScalar(node) || isAlias(node) || isCollection(node)) return node.range?.[1] ?? 0;
  return 0;
}

/** Returns the start of the next line after `at`, or the end of the text. */
function nextLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Skips following comments that are indented deeper than the dashes, since they belong to the last entry. */
function afterComments(text: string, at: number, column: number): number {
  const comment = /([ \t]*)#[^\n]*(?:\n|$)/y;
  for (let place = at; ; place = comment.lastIndex) {
    comment.lastIndex = place;
    const found = comment.exec(text);
    if (found === null || (found[1] ?? "").length <= column) return place;
  }
}

/** Adds after the last entry of a block list. */
function spliceBlock(text: string, seq: Seq, entries: readonly Entry[], newline: string): Splice {
  const column = seq.range[0] - (text.lastIndexOf("\n", seq.range[0] - 1) + 1);
  const at = afterComments(text, nextLine(text, lastTextEnd(seq)), column);
  const before = at > 0 && text[at - 1] !== "\n" ? newline : "";
  const lines = entries.flatMap((entry) => blockLines(entry, column));
  return { at, cut: 0, text: `${before}${lines.join(newline)}${newline}` };
}

/** Turns `key: []` into a block list, if nothing else is on its line. */
function spliceEmpty(text: string, seq: Seq, entries: readonly Entry[], newline: string): Splice | undefined {
  const [start, end] = seq.range;
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const key = /^( *)[A-Za-z]+: +$/.exec(line);
  const rest = text.slice(end, nextLine(text, end));
  if (key === null || !/^\s*$/.test(rest) || !/^\[\s*\]$/.test(text.slice(start, end))) return undefined;
  const column = (key[1] ?? "").length + 2;
  const lines = entries.flatMap((entry) => blockLines(entry, column));
  const space = line.length - line.trimEnd().length;
  return { at: start - space, cut: end - start + space, text: newline + lines.join(newline) };
}

/** Adds inside the brackets, after the last entry. */
function spliceFlow(text: string, seq: Seq, entries: readonly Entry[], newline: string): Splice {
  const last = seq.items.at(-1);
  const at = last === undefined ? seq.range[0] + 1 : lastTextEnd(last);
  const isJson = text.trimStart().startsWith("{");
  const between = text.slice(seq.range[0], seq.range[1]).includes("\n") ? `,${newline}    ` : ", ";
  const flows = entries.map(({ fields }) => flowOf(fields, isJson));
  const before = last === undefined ? "" : between;
  // After a comment the new text would become part of it. The caller's check of the result catches that.
  return { at, cut: 0, text: before + flows.join(between) };
}

function spliceOf(text: string, seq: Seq, entries: readonly Entry[], newline: string): Splice {
  if (seq.flow !== true) return spliceBlock(text, seq, entries, newline);
  const asBlock = seq.items.length === 0 ? spliceEmpty(text, seq, entries, newline) : undefined;
  return asBlock ?? spliceFlow(text, seq, entries, newline);
}

/**
 * Returns the text with all additions. Throws `EditError` when a list cannot be edited. The caller must check
 * the result.
 */
export function addEntries(text: string, additions: readonly Addition[]): string {
  const document = parseDocument(text, { schema: "core", merge: false, uniqueKeys: false });
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new EditError("it is not a catalog file");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const splices = additions
    .filter(({ entries }) => entries.length > 0)
    .map(({ path, entries }) => ({
      ...spliceOf(text, listAt(document, path), entries, newline),
      depth: path.length,
    }))
    // From the end, so that offsets stay valid. At the same offset the innermost list comes last, which
    // places its text first.
    .sort((a, b) => b.at - a.at || a.depth - b.depth);
  return splices.reduce(
    (edited, { at, cut, text: added }) => edited.slice(0, at) + added + edited.slice(at + cut),
    text,
  );
}

/** A new catalog file. */
export function newFile(upstreams: readonly Entry[], models: readonly Entry[]): string {
  const list = (name: string, entries: readonly Entry[]): string[] =>
    entries.length === 0
      ? [`${name}: []`]
      : [`${name}:`, ...entries.flatMap((entry) => blockLines(entry, 2))];
  return `${[
    "# The catalog of this Plaza (docs/operate/catalog.md). Begun by plaza connect; edit it freely, then apply it again.",
    ...list("upstreams", upstreams),
    "",
    ...list("models", models),
  ].join("\n")}\n`;
}
