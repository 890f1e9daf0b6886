/**
 * What a stream said of its response before its end, kept as it was written until the end repeats it. Some
 * upstreams end with `output: []`, or with a response that has no id.
 */
import type { EarlierEvents } from "../../wire-protocol.ts";

const done = "response.output_item.done";
const quotedDone = JSON.stringify(done);
const opaque = '"encrypted_content"';

/** Most characters of items that are kept; of a longer answer none are. */
const keptMax = 32 * 1024 * 1024;

export class DoneItems {
  readonly #keepsAll: boolean;
  #events: string[] = [];
  #kept = 0;

  /** `keepsAll`: false where nothing is stored; then only items with opaque content are kept. */
  constructor(keepsAll: boolean) {
    this.#keepsAll = keepsAll;
  }

  /** Takes an event of an item. `name`: of its `event:` line. */
  take(text: string, name: string | undefined): void {
    if (name === undefined ? !text.includes(quotedDone) : name !== done) return;
    if (!this.#keepsAll && !text.includes(opaque)) return;
    this.#kept += text.length;
    if (this.#kept <= keptMax) this.#events.push(text);
    else this.#events = [];
  }

  /** What the end lacks of it; undefined: nothing. `id`: of the response, where it began with one. */
  lackedBy(response: Readonly<Record<string, unknown>>, id: string | undefined): EarlierEvents | undefined {
    const { output, id: ownId } = response;
    const isWhole = Array.isArray(output) && output.length >= this.#events.length;
    const hasId = typeof ownId === "string" && ownId !== "";
    if (isWhole && (hasId || id === undefined)) return undefined;
    return { id, itemsDone: isWhole ? [] : this.#events };
  }
}
