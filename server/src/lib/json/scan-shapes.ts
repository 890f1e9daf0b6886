/** What a scan of JSON is given and gives: limits, fields, faults. Types only. */
/**
 * Deepest nesting (the root container is 1) and most values (scalars,
 * objects and arrays; keys are not values).
 */
export interface JsonLimits {
  readonly depthMax: number;
  readonly valuesMax: number;
  /** Arrays at this depth are told in `lists`; absent: none are. The root container is at 1. */
  readonly listDepth?: number | undefined;
}

export type JsonKind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/**
 * A wanted top-level field: the bytes `start` (inclusive) to `end` (exclusive) of its
 * value, counted from the first byte pushed.
 */
export interface JsonField {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
}

/**
 * Why a text was refused. `at` is a byte offset: for `syntax` the first byte that cannot be JSON,
 * or the length when the text ended early; for `depth` the bracket, for `values` the first byte
 * of the value, that was one too many.
 */
export interface JsonScanFault {
  readonly reason: "syntax" | "depth" | "values";
  readonly at: number;
}

/** An array, by where it ends. */
export interface JsonList {
  /** The index of its closing bracket, counted from the first byte pushed. */
  readonly closeAt: number;
  /** Its values, those of lists inside it included. */
  readonly values: number;
  /** They are numbers all of them. */
  readonly isNumbers: boolean;
}

/**
 * What a well-formed text holds. `reason` is there so that `result.reason
 * === undefined` tells it from a fault.
 */
export interface JsonScan {
  readonly reason: undefined;
  readonly root: JsonKind;
  /**
   * The wanted fields that occur, in the order of their first occurrence; of a duplicate
   * the last one, as `JSON.parse` does.
   */
  readonly fields: readonly JsonField[];
  /** A wanted field that occurs more than once. */
  readonly duplicate: string | undefined;
  /**
   * A wanted name that a top-level key spells otherwise than by its own bytes: with escapes, or
   * in letters that are the same when case is folded (Unicode's ſ and K included). Readers that
   * fold case take it for the wanted one.
   */
  readonly misspelt: string | undefined;
  /**
   * A letter from A to z is written as an escape somewhere, so a word may
   * stand there that its bytes do not show.
   */
  readonly hasEscapedLetter: boolean;
  /**
   * How often each of the counted names is a key below the top, however it is
   * spelled; those that are none are not in it.
   */
  readonly counts: ReadonlyMap<string, number>;
  /** The first 20,000 arrays at the depth that was asked for, in order. */
  readonly lists: readonly JsonList[];
  /**
   * Offset just after the root's opening bracket, where a member can be
   * inserted; -1 when the root is a scalar.
   */
  readonly firstMemberAt: number;
  /** The root is `{}` or `[]`: an inserted member needs no comma after it. */
  readonly isEmpty: boolean;
}

/** Reads one text. Once `push` has returned a fault it returns the same one for ever. */
export interface JsonScanner {
  push(chunk: Uint8Array): JsonScanFault | undefined;
  /** The text is complete. */
  end(): JsonScan | JsonScanFault;
}
