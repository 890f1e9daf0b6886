/**
 * What a mended stream has written: runs of events as they came, changed ones and new ones, numbered on. Also
 * keeps the deltas of items that are open, for those that no event ends.
 */
import { createEventReader } from "../../../lib/sse/event-reader.ts";

const nothing = Buffer.alloc(0);
const blankLine = Buffer.from("\n\n");
const dataField = Buffer.from("data: ");

/** Most bytes of deltas that are kept for items without an end. */
const keptMax = 16 * 1024 * 1024;

export class EventOutput {
  #source: Buffer = nothing;
  #parts: Buffer[] = [];
  #runStart = -1;
  #runEnd = -1;
  #deltaStart = -1;
  #deltaEnd = -1;
  #next = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** True once the server's own numbers do not fit any more: then every event gets one. */
  isRenumbered = false;

  /** The bytes that the offsets refer to from now on. */
  read(source: Buffer): void {
    this.#source = source;
  }

  /** Passes on an event as it is. */
  pass(start: number, end: number): void {
    this.#endDeltas();
    this.#run(start, end);
  }

  /** The same of a delta that is numbered, and kept. */
  passDelta(start: number, end: number): void {
    this.#next += 1;
    if (this.#deltaStart < 0) this.#deltaStart = start;
    this.#deltaEnd = end;
    this.#run(start, end);
  }

  /** The same of one without a number, which it gets. `dataStart`: where its object begins. */
  passNumbered(start: number, dataStart: number, end: number): void {
    const member = Buffer.from(`"sequence_number":${this.#next},`);
    this.isRenumbered = true;
    this.#next += 1;
    this.passWith(start, dataStart + 1, member, dataStart + 1, end);
    this.#keep(Buffer.from(this.#source.subarray(start, end)));
  }

  /** Passes on an event with other data. */
  passWith(start: number, dataStart: number, data: Buffer, dataEnd: number, end: number): void {
    this.endRun();
    this.#parts.push(this.#source.subarray(start, dataStart), data, this.#source.subarray(dataEnd, end));
  }

  write(bytes: Buffer): void {
    this.endRun();
    this.#parts.push(bytes);
  }

  /** Leaves out an event. */
  drop(): void {
    this.endRun();
    this.isRenumbered = true;
  }

  /** Writes a new event. `members`: of its object, as JSON without braces. */
  say(type: string, members: string): void {
    const data = `{"type":${JSON.stringify(type)},"sequence_number":${this.#next},${members}}`;
    this.#next += 1;
    this.isRenumbered = true;
    this.write(Buffer.from(`event: ${type}\ndata: ${data}\n\n`));
  }

  /** The number that an event gets; undefined: it keeps its own. */
  numberOf(own: number | undefined): number | undefined {
    if (own !== undefined && (this.isRenumbered ? own === this.#next : own >= this.#next)) {
      this.#next = own + 1;
      return undefined;
    }
    this.isRenumbered = true;
    this.#next += 1;
    return this.#next - 1;
  }

  /** Keeps the data of a delta. */
  keep(data: Buffer): void {
    this.#keep(Buffer.concat([dataField, data, blankLine]));
  }

  /** All items are done: their deltas are of no more use. */
  forget(): void {
    this.#deltaStart = -1;
    this.#kept = [];
    this.#keptBytes = 0;
  }

  /** Reads the data of the deltas that are kept, each once. Throws when there were too many. */
  readKept(take: (data: string) => void): void {
    this.#endDeltas();
    if (this.#keptBytes > keptMax) throw new Error("an item without an end is too long");
    const reader = createEventReader((data) => take(data));
    const kept = this.#kept;
    this.forget();
    for (const bytes of kept) reader.push(bytes);
    reader.end();
  }

  /** Ends the run of events: what it refers to is about to change. */
  endRun(): void {
    this.#endDeltas();
    if (this.#runStart < 0) return;
    const isAll = this.#runStart === 0 && this.#runEnd === this.#source.length;
    this.#parts.push(isAll ? this.#source : this.#source.subarray(this.#runStart, this.#runEnd));
    this.#runStart = -1;
  }

  /** Everything written since the last call. */
  take(): Buffer {
    const parts = this.#parts;
    this.#parts = [];
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  #run(start: number, end: number): void {
    if (this.#runStart < 0) this.#runStart = start;
    this.#runEnd = end;
  }

  #endDeltas(): void {
    if (this.#deltaStart < 0) return;
    const deltas = this.#source.subarray(this.#deltaStart, this.#deltaEnd);
    this.#deltaStart = -1;
    this.#keep(Buffer.from(deltas));
  }

  #keep(bytes: Buffer): void {
    this.#keptBytes += bytes.length;
    if (this.#keptBytes <= keptMax) this.#kept.push(bytes);
    else this.#kept = [];
  }
}
