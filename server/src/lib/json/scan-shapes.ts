/** Input and output types of a JSON scan: limits, fields, faults. */
/**
 * Limits for nesting depth (the root container is 1) and number of values (scalars, objects and arrays; keys
 * do not count).
 */
export interface JsonLimits {
  readonly depthMax: number;
  readonly valuesMax: number;
  /** The depth at which arrays are recorded in `lists`; absent: none. The root container is at 1. */
  readonly listDepth?: number | undefined;
}

export type JsonKind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/**
 * A wanted top-level field: the span of its value, `start` (inclusive) to `end` (exclusive), counted from the
 * first byte pushed.
 */
export interface JsonField {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
}

/**
 * Why a text was refused. `at`: byte offset of the first byte that cannot be JSON (`syntax`; the length if
 * the text ended early), of the bracket that is too deep (`depth`), or of the value that exceeds the limit
 * (`values`).
 */
export interface JsonScanFault {
  readonly reason: "syntax" | "depth" | "values";
  readonly at: number;
}

/** An array, identified by its end. */
export interface JsonList {
  /** Index of its closing bracket, counted from the first byte pushed. */
  readonly closeAt: number;
  /** Number of its values, including those of nested lists. */
  readonly values: number;
  /** True when all values are numbers. */
  readonly isNumbers: boolean;
}

/**
 * The result for well-formed text. `reason` exists so that `result.reason === undefined` distinguishes it
 * from a fault.
 */
export interface JsonScan {
  readonly reason: undefined;
  readonly root: JsonKind;
  /**
   * The wanted fields that occur, in order of first occurrence; of duplicates the last one, as in
   * `JSON.parse`.
   */
  readonly fields: readonly JsonField[];
  /** A wanted field that occurs more than once. */
  readonly duplicate: string | undefined;
  /**
   * A wanted name that a top-level key spells in another way: with escapes, or in letters that are equal
   * after case folding (including Unicode's ſ and K). Case-insensitive readers take it for the wanted name.
   */
  readonly misspelt: string | undefined;
  /** True when a letter from A to z is escaped somewhere, so a search of the bytes could miss a word. */
  readonly hasEscapedLetter: boolean;
  /**
   * How often each counted name occurs as a key below the top, in any spelling; names that do not occur are
   * missing.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** The first 20,000 arrays at the requested depth, in order. */
  readonly lists: readonly JsonList[];
  /**
   * Offset after the root's opening bracket, where a member can be inserted; -1 when the root is a scalar.
   */
  readonly firstMemberAt: number;
  /** True when the root is `{}` or `[]`: an inserted member needs no comma after it. */
  readonly isEmpty: boolean;
}

/** Scans one text. After a fault, `push` returns the same fault for ever. */
export interface JsonScanner {
  push(chunk: Uint8Array): JsonScanFault | undefined;
  /** The text is complete. */
  end(): JsonScan | JsonScanFault;
}
