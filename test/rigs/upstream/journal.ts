/**
 * The counting upstream's journal: one JSON line when a call is accepted and one when it has ended, written
 * synchronously.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** How a call ended, as seen by the upstream. */
export type CallEnd = "finished" | "cut" | "cancelled" | "error";

/** One call in the journal; the optional fields are absent while it runs. Times: monotonic milliseconds. */
export interface CallRecord {
  readonly id: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly bodySha256: string;
  readonly bodyLength: number;
  /** Base64, when requested by the plan. */
  readonly body?: string | undefined;
  readonly isStream: boolean;
  readonly fault: string;
  readonly acceptedAt: number;
  readonly end?: CallEnd | undefined;
  readonly endedAt?: number | undefined;
  /** Events (or bodies) and content tokens written to the socket. */
  readonly events?: number | undefined;
  readonly tokens?: number | undefined;
  readonly bytes?: number | undefined;
  /** The usage object written to the socket, as JSON text. */
  readonly usage?: string | undefined;
}

/** The fields written when a call ends. */
export type CallEnding = Required<Pick<CallRecord, "end" | "endedAt" | "events" | "tokens" | "bytes">> &
  Pick<CallRecord, "usage">;

export interface Journal {
  readonly records: ReadonlyMap<number, CallRecord>;
  accepted(record: CallRecord): number;
  ended(serial: number, ending: CallEnding): void;
  close(): void;
}

/** Opens a journal; without a file it is kept in memory. */
export function openJournal(file: string | undefined): Journal {
  const descriptor = file === undefined ? undefined : openSync(file, "a");
  const records = new Map<number, CallRecord>();
  const write = (line: object): void => {
    if (descriptor !== undefined) writeSync(descriptor, `${JSON.stringify(line)}\n`);
  };
  let serial = 0;
  return {
    records,
    accepted(record) {
      serial++;
      records.set(serial, record);
      write({ serial, ...record });
      return serial;
    },
    ended(of, ending) {
      const record = records.get(of);
      if (record === undefined || record.end !== undefined) return;
      records.set(of, { ...record, ...ending });
      write({ serial: of, ...ending });
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

/** Reads a journal file, one record per call in order of acceptance. */
export function readJournal(file: string): CallRecord[] {
  const records = new Map<number, CallRecord>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const { serial, ...fields } = JSON.parse(line) as CallRecord & { serial: number };
    records.set(serial, { ...records.get(serial), ...fields });
  }
  return [...records.values()];
}
