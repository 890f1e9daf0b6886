/**
 * Writes a stream as one JSON array, as Google does for callers that do not ask for events. Takes complete
 * events without parsing them; comments become whitespace, so that something is still sent.
 */
import { createEventReader, type EventReader } from "../../../lib/sse/event-reader.ts";
import type { StreamFrame } from "../../wire-protocol.ts";

/** Turns a stream's events into the elements of an array; an error becomes the last element. */
export class JsonArrayStream implements StreamFrame {
  readonly #reader: EventReader;
  #out = "";
  #isBegun = false;
  #isEmpty = true;

  constructor() {
    this.#reader = createEventReader((data) => {
      this.#begin();
      this.#out += (this.#isEmpty ? "" : "\n,\r\n") + data;
      this.#isEmpty = false;
    });
  }

  #begin(): void {
    if (!this.#isBegun) this.#out += "[";
    this.#isBegun = true;
  }

  /** Adds events, or parts of events; returns what they add to the array. */
  push(events: Buffer): Buffer {
    if (events.length > 0) this.#begin();
    this.#reader.push(events);
    // Whitespace between elements has no meaning.
    return this.#take(events.length > 0 ? "\n" : "");
  }

  /** Adds the last events; returns what they add, with the end of the array. */
  end(events: Buffer): Buffer {
    this.#begin();
    this.#reader.push(events);
    this.#reader.end();
    this.#out += "\n]\n";
    return this.#take("");
  }

  #take(idle: string): Buffer {
    const bytes = Buffer.from(this.#out === "" ? idle : this.#out);
    this.#out = "";
    return bytes;
  }
}
