/**
 * A stream as one JSON array, which is how Google streams to those who do not ask for events. Whole events go
 * in; comments become white space, so that something is still sent. Nothing is parsed.
 */
import { createEventReader, type EventReader } from "../../../lib/sse/event-reader.ts";

/**
 * Makes an array of a stream's events, errors among them as its last element.
 *
 * @public For the endpoint `:streamGenerateContent` without `alt=sse`.
 */
export class JsonArrayStream {
  readonly #reader: EventReader;
  #out = "";
  #isBegun = false;

  constructor() {
    this.#reader = createEventReader((data) => {
      this.#out += (this.#isBegun ? "\n,\r\n" : "[") + data;
      this.#isBegun = true;
    });
  }

  /** What whole events, or parts of them, add to the array. */
  push(events: Buffer): Buffer {
    this.#reader.push(events);
    // Between elements of an array white space means nothing.
    return this.#take(events.length > 0 && this.#isBegun ? "\n" : "");
  }

  /** The array's end. */
  end(): Buffer {
    this.#reader.end();
    if (!this.#isBegun) this.#out += "[";
    this.#out += "\n]\n";
    return this.#take("");
  }

  #take(idle: string): Buffer {
    const bytes = Buffer.from(this.#out === "" ? idle : this.#out);
    this.#out = "";
    return bytes;
  }
}
