/**
 * The settlements kept on this machine's disk that the ledger still lacks: writes them, hands them over step
 * by step, and sets aside what the ledger refuses. `journal.ts` decides when.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../lib/telemetry/log.ts";
import { isWithin } from "../../lib/time/schedule.ts";
import { StoreError, type StoreErrorCode } from "../error.ts";
import type { RowFault } from "../ledger/batch.ts";
import { at, type RequestValue, valuesPerRequest } from "../requests/row.ts";
import type { JournalFile } from "./file.ts";
import { type JournalFolder, openJournalFolder, type RejectedLine, rejectedLine } from "./folder.ts";

export interface BacklogOptions {
  readonly directory: string;
  readonly log: Log;
  /** Largest file in bytes; `keep` rejects beyond it. */
  readonly bytesMax: number;
  /** Commits requests only; rejects with StoreError when a retry may succeed. */
  readonly commit: (values: readonly RequestValue[]) => Promise<readonly RowFault[]>;
}

/** Called after each step. `isEnd`: everything was handed over, except what came during the step itself. */
export type OnStep = (step: { readonly isEnd: boolean; readonly wasQuick: boolean }) => void;

/** About the size of one request's settlement. */
const probeBytes = 4_096;
const rowsPerStep = 500;
/** A step within this many milliseconds means that the database is fast again. */
export const quickMs = 200;

/** Errors of the request or the caller. All other StoreErrors may pass, and the batch may succeed later. */
const lasting: ReadonlySet<StoreErrorCode> = new Set(["invalid", "duplicate", "not_found", "closed"]);

export const isPassing = (error: unknown): boolean => error instanceof StoreError && !lasting.has(error.code);

/** Prevents an unhandled rejection while a caller may still await the promise. */
export function unwatched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

interface Kept {
  readonly kept: readonly RequestValue[];
  readonly faults: readonly RowFault[];
}

const all = (values: readonly RequestValue[]): Kept => ({ kept: values, faults: [] });

/** Keeps requests that move money or end an Idempotency-Key; rejects the others. */
function onlyMoney(values: readonly RequestValue[]): Kept {
  const kept: RequestValue[] = [];
  const faults: RowFault[] = [];
  for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
    const row = values.slice(offset, offset + valuesPerRequest);
    if (row[at.holderId] !== null || row[at.idempotencyKey] !== null || row[at.charge] !== 0n) {
      kept.push(...row);
    } else {
      faults.push({
        index: offset / valuesPerRequest,
        message: "the journal is kept for what has to be paid",
      });
    }
  }
  return { kept, faults };
}

export class Backlog {
  readonly #options: BacklogOptions;
  #opening: Promise<JournalFolder> | undefined;
  #own: JournalFile | undefined;
  /** Files of earlier processes that are not handed over yet. */
  #left: JournalFile[] = [];
  /** Bytes of each file that are handed over. */
  readonly #handedOver = new Map<JournalFile, number>();
  #appendsUnderWay = 0;
  #replaying: Promise<void> | undefined;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** True when the ledger has everything. */
  get isEmpty(): boolean {
    return this.#appendsUnderWay === 0 && this.#left.length === 0 && (this.#own?.bytes ?? 0) === 0;
  }

  /** Bytes not handed over yet. */
  get bytes(): number {
    const files = this.#own === undefined ? this.#left : [...this.#left, this.#own];
    return files.reduce((sum, file) => sum + file.bytes - (this.#handedOver.get(file) ?? 0), 0);
  }

  /** Opens this process's file and takes over the files of earlier processes. */
  open(): Promise<JournalFolder> {
    this.#opening ??= openJournalFolder(this.#options.directory).then(
      (folder) => {
        this.#own = folder.own;
        this.#left = [...folder.left];
        return folder;
      },
      (error) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /**
   * Takes over files of processes on this system that have died since the last call; resolves with true if
   * there were any.
   */
  async takeLeft(): Promise<boolean> {
    const folder = await this.open();
    const left = await folder.takeLeft();
    this.#left = [...this.#left, ...left];
    return left.length > 0;
  }

  /** Resolves when the requests are on disk; rejects with StoreError, and then they are not. */
  async keep(values: readonly RequestValue[]): Promise<readonly RowFault[]> {
    this.#appendsUnderWay += 1;
    try {
      const { own } = await this.open();
      if (own.bytes > this.#options.bytesMax) {
        throw new StoreError(
          "queue_full",
          "the journal is full: nothing more is served until the database is back",
        );
      }
      // During an outage, refused requests must not use up the space for those that have to be paid.
      const { kept, faults } = own.bytes > this.#options.bytesMax / 2 ? onlyMoney(values) : all(values);
      if (kept.length > 0) await own.append(kept);
      return faults;
    } finally {
      this.#appendsUnderWay -= 1;
    }
  }

  /** Tests a small write beside the journals and removes it again. */
  async takesWrites(): Promise<boolean> {
    const { directory } = this.#options;
    const path = join(directory, `${process.pid}.probe`);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(path, Buffer.alloc(probeBytes), { flush: true, mode: 0o600 });
      return true;
    } catch {
      return false;
    } finally {
      await rm(path, { force: true }).catch(() => {});
    }
  }

  /**
   * Hands over everything kept, one call at a time. Rejects when the database does not accept it; the rest is
   * kept.
   */
  replay(onStep: OnStep = () => {}): Promise<void> {
    this.#replaying ??= unwatched(
      this.#replayAll(onStep).finally(() => {
        this.#replaying = undefined;
      }),
    );
    return this.#replaying;
  }

  async close(): Promise<void> {
    if (this.#opening === undefined) return;
    const { own } = await this.#opening;
    await Promise.all([own, ...this.#left].map((file) => file.close()));
  }

  async #replayAll(onStep: OnStep): Promise<void> {
    if (this.#opening === undefined) return;
    const { own } = await this.#opening;
    for (const file of [...this.#left]) {
      await this.#replayFile(file, () => {});
      this.#left = this.#left.filter((other) => other !== file);
      this.#handedOver.delete(file);
      await file.close();
    }
    await this.#replayFile(own, onStep);
  }

  async #replayFile(file: JournalFile, onStep: OnStep): Promise<void> {
    let count = 0;
    for (;;) {
      const offset = this.#handedOver.get(file) ?? 0;
      const { values, strange, next, isEnd } = await file.read(offset, rowsPerStep);
      if (next === offset) {
        if (await file.clear(offset)) break;
        continue;
      }
      await this.#refuse(strange.map((line) => ({ line, reason: "not a request this Plaza can read" })));
      const wasQuick = await this.#isDoneQuickly(values);
      count += values.length / valuesPerRequest;
      this.#handedOver.set(file, next);
      onStep({ isEnd, wasQuick });
    }
    this.#handedOver.set(file, 0);
    if (count > 0) this.#options.log.info("ledger_journal_replayed", { requests: count });
  }

  async #isDoneQuickly(values: readonly RequestValue[]): Promise<boolean> {
    if (values.length === 0) return true;
    const done = unwatched(this.#handOver(values));
    const isQuick = await isWithin(done, quickMs);
    await done;
    return isQuick;
  }

  /** Commits requests from the journal. One that the ledger refuses must not block the others. */
  async #handOver(values: readonly RequestValue[]): Promise<void> {
    let faults: readonly RowFault[];
    try {
      faults = await this.#options.commit(values);
    } catch (error) {
      if (isPassing(error) || (error instanceof StoreError && error.code === "closed")) throw error;
      if (values.length > valuesPerRequest) {
        for (let offset = 0; offset < values.length; offset += valuesPerRequest) {
          await this.#handOver(values.slice(offset, offset + valuesPerRequest));
        }
        return;
      }
      faults = [{ index: 0, message: (error as Error).message }];
    }
    await this.#refuse(
      faults.map(({ index, message }) => rejectedLine(values, index * valuesPerRequest, message)),
      faults.map(({ index }) => String(values[index * valuesPerRequest + at.id])),
    );
  }

  /** Writes requests that the ledger will never accept to a file for a person to check. */
  async #refuse(lines: readonly RejectedLine[], requests: readonly string[] = []): Promise<void> {
    if (lines.length === 0) return;
    const file = await (await this.open()).reject(lines);
    lines.forEach(({ reason }, index) => {
      this.#options.log.error("ledger_journal_row_refused", {
        request: requests[index] ?? null,
        reason,
        file,
      });
    });
  }
}
