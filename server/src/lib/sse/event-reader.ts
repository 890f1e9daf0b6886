/**
 * The events of an upstream's `text/event-stream`, for translators: name and
 * data of each, as soon as it is whole.
 */
import { createSseReaderFactory, flagComment } from "./sse.ts";

/** As the relay's own bound (an SSE event ≤ 8 MiB). */
const eventBytesMax = 8 * 1024 * 1024;
const readers = createSseReaderFactory({ marks: [], eventBytesMax });

/** Receives each event. `name` is undefined when the event has none. */
export type EventTaker = (data: string, name: string | undefined) => void;

export interface EventReader {
  /** False: an event is larger than 8 MiB; nothing is read after it. */
  push(chunk: Buffer): boolean;
  end(): void;
}

/** A reader of one body. */
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
