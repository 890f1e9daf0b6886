/**
 * Parses YAML to a tree of values with positions, so that faults can name line and column. Knows nothing of
 * catalogs. Aliases share the value they point to and nothing is copied; the expanded size is limited.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";

/** A value in the file. `start`: its offset in the text. */
export type Part =
  | { readonly kind: "text"; readonly start: number; readonly text: string }
  | { readonly kind: "list"; readonly start: number; readonly items: readonly Part[] }
  | { readonly kind: "mapping"; readonly start: number; readonly fields: ReadonlyMap<string, Field> }
  /** A number, boolean, null or tagged value. `source`: its text in the file. */
  | { readonly kind: "other"; readonly start: number; readonly source: string; readonly value: unknown };

export interface Field {
  readonly keyStart: number;
  readonly value: Part;
}

/** A fault at an offset. The message repeats nothing of the file, which may contain credentials. */
export interface PartFault {
  readonly start: number;
  readonly message: Message;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface PartTree {
  /** Undefined for an empty file. */
  readonly root: Part | undefined;
  readonly faults: readonly PartFault[];
  position(start: number): Position;
}

const fileBytesMax = 4 * 1024 ** 2;
/** Most values of a file with all aliases expanded. */
const unfoldedPartsMax = 1_000_000;
/** Most nested brackets; the parser needs seconds for files that consist of brackets. */
const openBracketsMax = 200;

/** Messages in place of the parser's, which quote the file and may show credentials. */
const messages: Readonly<Record<string, Message>> = {
  BAD_ALIAS: message("yaml.badAlias"),
  BAD_DIRECTIVE: message("yaml.badDirective"),
  BAD_DQ_ESCAPE: message("yaml.badEscape"),
  BAD_INDENT: message("yaml.badIndent"),
  BAD_SCALAR_START: message("yaml.badStart"),
  BLOCK_AS_IMPLICIT_KEY: message("yaml.keyInKey"),
  BLOCK_IN_FLOW: message("yaml.blockInBrackets"),
  MISSING_CHAR: message("yaml.missingCharacter"),
  MULTILINE_IMPLICIT_KEY: message("yaml.keyOfLines"),
  MULTIPLE_DOCS: message("yaml.documents"),
  RESOURCE_EXHAUSTION: message("yaml.tooDeep"),
  TAB_AS_INDENT: message("yaml.tab"),
  TAG_RESOLVE_FAILED: message("yaml.tag"),
  UNEXPECTED_TOKEN: message("yaml.unexpected"),
};

function bracketFault(text: string): PartFault | undefined {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
    if (open > openBracketsMax)
      return { start: index, message: message("yaml.bracketsTooMany", { max: openBracketsMax }) };
  }
  return undefined;
}

/** Converts the parser's nodes in one pass. */
class Converter {
  readonly faults: PartFault[] = [];
  readonly #anchors = new Map<string, Part>();
  /** Number of values of each part with its aliases expanded. */
  readonly #sizes = new Map<Part, number>();

  convert(node: ParsedNode | null | undefined, start: number): Part {
    if (node === null || node === undefined)
      return this.#sized({ kind: "other", start, source: "", value: null }, 1);
    if (isAlias(node)) return this.#resolve(node.source, node.range[0]);
    const part = this.#convertNode(node, node.range[0]);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, part);
    return part;
  }

  #convertNode(node: ParsedNode, start: number): Part {
    if (isMap(node)) return this.#convertMapping(node, start);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.convert(item as ParsedNode, start));
      return this.#sized({ kind: "list", start, items }, this.#sum(items));
    }
    const value: unknown = isScalar(node) ? node.value : undefined;
    if (typeof value === "string") return this.#sized({ kind: "text", start, text: value }, 1);
    const source = isScalar(node) && typeof node.source === "string" ? node.source : "";
    return this.#sized({ kind: "other", start, source, value }, 1);
  }

  #convertMapping(node: ParsedNode & { items: readonly unknown[] }, start: number): Part {
    const fields = new Map<string, Field>();
    for (const pair of node.items as { key: ParsedNode | null; value: ParsedNode | null }[]) {
      const keyStart = pair.key?.range?.[0] ?? start;
      const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : undefined;
      if (key === undefined) this.#fault(keyStart, message("yaml.keyNotText"));
      else if (key === "<<") this.#fault(keyStart, message("yaml.mergeKey"));
      else if (fields.has(key)) this.#fault(keyStart, message("yaml.keyRepeated"));
      else fields.set(key, { keyStart, value: this.convert(pair.value, keyStart) });
    }
    const values = [...fields.values()].map((field) => field.value);
    return this.#sized({ kind: "mapping", start, fields }, this.#sum(values));
  }

  #resolve(name: string, start: number): Part {
    const part = this.#anchors.get(name);
    if (part !== undefined) return part;
    this.#fault(start, message("yaml.anchorUnknown"));
    return this.#sized({ kind: "other", start, source: "", value: null }, 1);
  }

  #sum(parts: readonly Part[]): number {
    return parts.reduce((total, part) => total + (this.#sizes.get(part) ?? 1), 1);
  }

  #sized(part: Part, size: number): Part {
    const isTooLarge = size > unfoldedPartsMax;
    if (isTooLarge) this.#fault(part.start, message("yaml.aliasesTooMany"));
    // A refused value counts as one, so that the values around it are not refused for the same reason.
    this.#sizes.set(part, isTooLarge ? 1 : size);
    return part;
  }

  #fault(start: number, found: Message): void {
    this.faults.push({ start, message: found });
  }
}

/** Counts lines independently of the parser, which does not see every file. */
function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
  return lines;
}

/** Parses one YAML 1.2 document of at most 4 MiB. */
export function parseParts(text: string): PartTree {
  const lines = countLines(text);
  const position = (start: number): Position => {
    const { line, col } = lines.linePos(start);
    return { line, column: col };
  };
  const refuse = (fault: PartFault): PartTree => ({ root: undefined, faults: [fault], position });
  if (Buffer.byteLength(text) > fileBytesMax)
    return refuse({ start: 0, message: message("yaml.fileTooLarge") });
  const brackets = bracketFault(text);
  if (brackets !== undefined) return refuse(brackets);
  const document = parseDocument(text, {
    prettyErrors: false,
    schema: "core",
    merge: false,
    // Checked above in linear time; the parser's check is quadratic.
    uniqueKeys: false,
  });
  const faults = [...document.errors, ...document.warnings].map(({ code, pos }) => ({
    start: pos[0],
    message: messages[code] ?? message("yaml.other", { code }),
  }));
  if (faults.length > 0) return { root: undefined, faults, position };
  const converter = new Converter();
  const root = converter.convert(document.contents, 0);
  const isEmpty = root.kind === "other" && root.value === null;
  return { root: isEmpty ? undefined : root, faults: converter.faults, position };
}
