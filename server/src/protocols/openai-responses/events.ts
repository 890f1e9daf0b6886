/**
 * Writes the events of one streamed answer: each with its type as name and in the data, as OpenAI does, and
 * with the next sequence number (docs/wire/openai-responses.md section 3). A whole answer is built by the
 * same code with the events discarded.
 */

/**
 * An event with usage in case the answer's end does not arrive. For the gateway only, which never sends it to
 * callers.
 */
export const usageEvent = "plaza.usage";

const nothing = Buffer.alloc(0);

export class EventLog {
  readonly #isStream: boolean;
  #out = "";
  #next: number;

  /** `first`: the number of the first event. */
  constructor(isStream: boolean, first = 0) {
    this.#isStream = isStream;
    this.#next = first;
  }

  /** Writes an event. `members`: of its object, as JSON without braces. */
  say(type: string, members: string): void {
    if (!this.#isStream) return;
    this.#out += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
  }

  /** Writes an event that callers do not get and that therefore has no number. */
  sayAside(type: string, members: string): void {
    if (this.#isStream) this.#out += `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
  }

  /** Writes complete lines. */
  write(lines: string): void {
    if (this.#isStream) this.#out += lines;
  }

  /** Returns the events written since the last call and clears them. */
  take(): Buffer {
    if (this.#out === "") return nothing;
    const bytes = Buffer.from(this.#out);
    this.#out = "";
    return bytes;
  }
}
