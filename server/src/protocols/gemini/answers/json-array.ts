/**
 * Writes a stream as one JSON array, as Google does for callers that do not ask for events. Takes complete
 * events without parsing them; comments become whitespace, so that something is still sent.
 */
import { createEventReader, type EventReader } from "../../../lib/sse/event-reader.ts";

/**
 * Turns a stream's events into the elements of an array; an error becomes the last element.
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

  /** Adds events, or parts of events; returns what they add to the array. */
  push(events: Buffer): Buffer {
    this.#reader.push(events);
    // Whitespace between elements has no meaning.
    return this.#take(events.length > 0 && this.#isBegun ? "\n" : "");
  }

  /** Returns the end of the array. */
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
