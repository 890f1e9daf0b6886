/** What a scan of JSON tells of the arrays at one depth, so that lists of numbers need not be parsed. */
import type { JsonList } from "./scan-shapes.ts";

/** More lists than these are not told. */
const listsMax = 20_000;

export class ListTally {
  readonly depth: number;
  readonly lists: JsonList[] = [];
  #values = 0;
  #others = 0;

  constructor(depth: number) {
    this.depth = depth;
  }

  /** A container at the depth begins. `values`: those of the text so far; `others`: which are no numbers. */
  open(values: number, others: number): void {
    this.#values = values;
    this.#others = others;
  }

  /** It ends with the array's bracket at `closeAt`. */
  close(values: number, others: number, closeAt: number): void {
    if (this.lists.length === listsMax) return;
    this.lists.push({ closeAt, values: values - this.#values, isNumbers: others === this.#others });
  }
}
