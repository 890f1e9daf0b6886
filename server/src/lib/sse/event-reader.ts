/**
 * Reads the events of an upstream's `text/event-stream` for translators: name and data of each complete
 * event.
 */
import { createSseReaderFactory, flagComment } from "./sse.ts";

/** Same as the relay's limit: 8 MiB per event. */
const eventBytesMax = 8 * 1024 * 1024;
const readers = createSseReaderFactory({ marks: [], eventBytesMax });

/** Receives each event. `name` is undefined when the event has none. */
export type EventTaker = (data: string, name: string | undefined) => void;

export interface EventReader {
  /** Returns false when an event exceeds 8 MiB; nothing is read after it. */
  push(chunk: Buffer): boolean;
  end(): void;
}

/** Creates a reader for one body. */
export function createEventReader(take: EventTaker): EventReader {
  const reader = readers.create();
  const takeAll = (): void => {
    const { count } = reader;
    for (let index = 0; index < count; index += 1) {
      if (reader.flags(index) !== flagComment) take(reader.dataText(index), reader.eventName(index));
    }
  };
  return {
    push(chunk) {
      const fits = reader.push(chunk);
      takeAll();
      return fits;
    },
    end() {
      reader.end();
      takeAll();
    },
  };
}
