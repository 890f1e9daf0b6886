/** Records the arrays at one depth during a scan of JSON, so that lists of numbers need not be parsed. */
import type { JsonList } from "./scan-shapes.ts";

/** Most arrays recorded. */
const listsMax = 20_000;

export class ListTally {
  readonly depth: number;
  readonly lists: JsonList[] = [];
  #values = 0;
  #others = 0;

  constructor(depth: number) {
    this.depth = depth;
  }

  /**
   * A container at the depth begins. `values`: number of values so far; `others`: those that are not numbers.
   */
  open(values: number, others: number): void {
    this.#values = values;
    this.#others = others;
  }

  /** It ends; `closeAt`: index of its closing bracket. */
  close(values: number, others: number, closeAt: number): void {
    if (this.lists.length === listsMax) return;
    this.lists.push({ closeAt, values: values - this.#values, isNumbers: others === this.#others });
  }
}
