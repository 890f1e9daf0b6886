/**
 * What others write that a serving process must know within a second: the feed of changes, and what processes report of models. The
 * looking is done here, beside the database, several times a second and with one small question, so that a process with nothing to do
 * neither sends nor gets a message for it. A file that nobody wrote to is not even asked.
 */
import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Clock } from "../lib/clock.ts";
import type { Database } from "./schema.ts";
import type { KnownNews, News, ProcessReport, Store } from "./store.ts";
import type { DialectWays } from "./store-core.ts";

/** What was written acts within this time and what its handling takes: a second is promised (P22). */
const lookMs = 300;
/** Looks that ask the database whatever its file says: one in so many. */
const surelyEvery = 10;

/** What each database gives: ways past the query builder, which costs more than the question itself. */
export interface NewsSource {
  /** Runs a statement, always the same text, that has one row. */
  readonly askOne: (text: string, parameters: readonly unknown[]) => Promise<unknown>;
  /**
   * Something else whenever anybody wrote; absent: only the database can tell. Two writes at nearly the same time may show as one, so
   * after each change the database is asked twice.
   */
  readonly version?: () => string;
  /** Ends every wait: the database is about to be closed. */
  readonly closing: AbortSignal;
}

export interface NewsOptions extends NewsSource {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ways: DialectWays;
  /** What is asked where there is something new. */
  readonly methods: Pick<Store, "listChanges" | "listModelReports">;
}

/** What one look shows. */
interface Seen {
  /** Newest change; null where there was none yet. */
  readonly last: number | null;
  /** Which processes live, and when each said something last. */
  readonly said: string | null;
}

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** The question: its text is the same every time, only the time in it is another. */
function createLook({ db, ways, askOne }: NewsOptions): () => Promise<Seen> {
  const { sql: text } = sql`select
    (select max(id) from changes) as last,
    (select string_agg(s.holder_id || ' ' || s.at, ',' order by s.holder_id)
      from upstream_states s join holders h on h.id = s.holder_id
      where h.expires_at > ${ways.databaseNow()}) as said`.compile(db);
  return async () => (await askOne(text, ways.databaseNow().compile(db).parameters)) as Seen;
}

/** Whether a look has to ask the database; the first one has. */
export function createDoubt(version: (() => string) | undefined): () => boolean {
  if (version === undefined) return () => true;
  let seen: string | undefined;
  let asksLeft = 0;
  let skipped = 0;
  return () => {
    const now = version();
    if (now !== seen) asksLeft = 2;
    seen = now;
    asksLeft -= 1;
    skipped = asksLeft >= 0 || skipped + 1 >= surelyEvery ? 0 : skipped + 1;
    return skipped === 0;
  };
}

export function createNewsMethods(options: NewsOptions): Pick<Store, "waitForNews"> {
  const { clock, closing, methods } = options;
  const look = createLook(options);
  /** The reports as they were when processes had said so much. Most of what they say anew is the same again. */
  let read: { said: string | null; reports: readonly ProcessReport[]; mark: string } | undefined;

  async function reportsAt(said: string | null) {
    if (read?.said === said) return read;
    const reports = await methods.listModelReports();
    const mark = createHash("sha256").update(JSON.stringify(reports)).digest("base64");
    read = { said, reports, mark };
    return read;
  }

  /** What is new; undefined while nothing is and there is time left. */
  async function newsAfter(known: KnownNews, isLast: boolean): Promise<News | undefined> {
    const { last, said } = await look();
    const { reports, mark } = await reportsAt(said);
    const changes = (last ?? 0) > known.changeId ? await methods.listChanges(known.changeId) : [];
    const isOther = mark !== known.reports;
    if (!isOther && changes.length === 0 && !isLast) return undefined;
    return { changes, reports: isOther ? reports : undefined, reportsMark: mark };
  }

  return {
    async waitForNews(known, waitMs): Promise<News> {
      const untilMs = clock.elapsedMs() + waitMs;
      const mayBeNews = createDoubt(options.version);
      while (!closing.aborted) {
        try {
          const isLast = clock.elapsedMs() >= untilMs;
          const news = mayBeNews() || isLast ? await newsAfter(known, isLast) : undefined;
          if (news !== undefined) return news;
        } catch (error) {
          // Closed between two questions.
          if (!closing.aborted) throw error;
        }
        await pause(lookMs, closing);
      }
      return { changes: [], reports: undefined, reportsMark: known.reports };
    },
  };
}
