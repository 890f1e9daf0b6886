/**
 * What others write that a serving process must know within a second: the feed of changes, and what
 * processes report of models. The looking is done here, beside the database, several times a second and with
 * one small question, so that a process with nothing to do neither sends nor gets a message for it. A file
 * that nobody wrote to is not even asked.
 */
import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Clock } from "../../lib/time/clock.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { WriteWatch } from "../sqlite/write-watch.ts";
import type { Store } from "../store.ts";
import { createPace } from "./news-pace.ts";
import type { KnownNews, News, ProcessReport } from "./news-shapes.ts";

/** What each database gives: ways past the query builder, which costs more than the question itself. */
export interface NewsSource {
  /** Runs a statement, always the same text, that has one row. */
  readonly askOne: (text: string, parameters: readonly unknown[]) => Promise<unknown>;
  /**
   * Something else whenever anybody wrote; absent: only the database can tell. Two writes at nearly the same
   * time may show as one, so after each change the database is asked twice.
   */
  readonly version?: () => string;
  /** Tells of writes to what `version` looks at, where the system does. */
  readonly watch?: WriteWatch | undefined;
  /** Ends every wait: the database is about to be closed. */
  readonly closing: AbortSignal;
}

export interface NewsOptions extends NewsSource {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
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

/** The question: its text is the same every time, only the time in it is another. */
function createLook({ db, dialect, askOne }: NewsOptions): () => Promise<Seen> {
  const { sql: text } = sql`select
    (select max(id) from changes) as last,
    (select string_agg(s.holder_id || ' ' || s.at, ',' order by s.holder_id)
      from upstream_states s join holders h on h.id = s.holder_id
      where h.expires_at > ${dialect.databaseNow()}) as said`.compile(db);
  return async () => (await askOne(text, dialect.databaseNow().compile(db).parameters)) as Seen;
}

export function createNewsMethods(options: NewsOptions): Pick<Store, "waitForNews"> {
  const { clock, closing, methods } = options;
  const look = createLook(options);
  /**
   * The reports as they were when processes had said so much. Most of what they say anew is the same again.
   */
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
      const pace = createPace(options);
      while (!closing.aborted) {
        try {
          const isLast = clock.elapsedMs() >= untilMs;
          const news = pace.mustAsk() || isLast ? await newsAfter(known, isLast) : undefined;
          if (news !== undefined) return news;
        } catch (error) {
          // Closed between two questions.
          if (!closing.aborted) throw error;
        }
        await pace.wait(untilMs);
      }
      return { changes: [], reports: undefined, reportsMark: known.reports };
    },
  };
}
