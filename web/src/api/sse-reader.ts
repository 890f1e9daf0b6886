/**
 * Server-sent events out of bytes, cut wherever the network cut them: LF, CRLF and CR, comments, several data
 * lines, characters split between two pieces, a byte order mark. Knows no model and no network.
 */

/** Most characters of one event; a longer one is the sender's fault. */
const eventCharactersMax = 16 * 1024 * 1024;

/** Takes bytes and gives the data of the events they complete. */
interface SseReader {
  /**
   * The data of each event that ends in this piece, in order. Throws
   * RangeError on an event beyond all bounds.
   */
  read(piece: Uint8Array): string[];
  /**
   * At the end of the stream: true when it ended between events, as it
   * should. What is half there is no event.
   */
  end(): boolean;
}

/** A reader of one stream. */
export function createSseReader(): SseReader {
  const decoder = new TextDecoder();
  /** What came of a line that has no end yet. */
  let line = "";
  let data: string[] = [];
  let characters = 0;
  let endedWithCr = false;

  function takeLine(text: string, into: string[]): void {
    if (text === "") {
      if (data.length > 0) into.push(data.join("\n"));
      data = [];
      characters = 0;
      return;
    }
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    if (field !== "data") return;
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    data.push(value);
    characters += value.length;
  }

  return {
    read(piece) {
      const events: string[] = [];
      let text = decoder.decode(piece, { stream: true });
      if (text === "") return events;
      if (endedWithCr && text.startsWith("\n")) text = text.slice(1);
      endedWithCr = text === "" ? false : text.endsWith("\r");
      const lines = text.split(/\r\n|\n|\r/);
      for (const [at, part] of lines.entries()) {
        line += part;
        if (line.length + characters > eventCharactersMax) throw new RangeError("The event is too large.");
        if (at === lines.length - 1) break;
        takeLine(line, events);
        line = "";
      }
      return events;
    },
    end: () => line === "" && data.length === 0 && decoder.decode() === "",
  };
}
