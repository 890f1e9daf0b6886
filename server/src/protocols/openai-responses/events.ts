/**
 * The events of one streamed answer: each has its type twice, as OpenAI writes it, and a number one above the
 * last one's (docs/wire/openai-responses.md section 3). A whole answer is made by the same steps, unheard.
 */

/** Usage of an answer that may not come to its end: for the gateway alone, which sends it to nobody. */
export const usageEvent = "plaza.usage";

const nothing = Buffer.alloc(0);

export class EventLog {
  readonly #isStream: boolean;
  #out = "";
  #next = 0;

  constructor(isStream: boolean) {
    this.#isStream = isStream;
  }

  /** `members`: of the event's object, as JSON without braces. */
  say(type: string, members: string): void {
    if (!this.#isStream) return;
    this.#out += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
  }

  /** An event callers do not get, so that it has no number. */
  sayAside(type: string, members: string): void {
    if (this.#isStream) this.#out += `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
  }

  /** Whole lines, as they are to be sent. */
  write(lines: string): void {
    if (this.#isStream) this.#out += lines;
  }

  /** The events written since the last call. */
  take(): Buffer {
    if (this.#out === "") return nothing;
    const bytes = Buffer.from(this.#out);
    this.#out = "";
    return bytes;
  }
}
