/**
 * Finds what others wrote that a serving process must know within a second: changes in the feed and reports
 * about models. Polling runs here, next to the database, several times a second with one small query, so an
 * idle process exchanges no messages for it. A file that was not written to is not even queried.
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

/** What each database supplies; it bypasses the query builder, which costs more than the query itself. */
export interface NewsSource {
  /** Runs a statement, always with the same text, that returns one row. */
  readonly askOne: (text: string, parameters: readonly unknown[]) => Promise<unknown>;
  /** The values of `SqlDialect.databaseNow`, without the query builder. */
  readonly nowParameters: () => readonly unknown[];
  /**
   * A value that changes with every write; absent: only a query can find out. Two writes at nearly the same
   * time may look like one, so the database is queried twice per change.
   */
  readonly version?: () => string;
  /** Reports writes to what `version` reads, if the system supports it. */
  readonly watch?: WriteWatch | undefined;
  /** Ends every wait, because the database is about to be closed. */
  readonly closing: AbortSignal;
}

export interface NewsOptions extends NewsSource {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly dialect: SqlDialect;
  /** Methods to call when there is something new. */
  readonly methods: Pick<Store, "listChanges" | "listModelReports">;
}

/** The result of one poll. */
interface Seen {
  /** Id of the newest change; null when there is none. */
  readonly last: number | null;
  /** Which processes are alive, and when each reported last. */
  readonly said: string | null;
}

/** The query. Its text is always the same; only the time parameter differs. */
function createLook({ db, dialect, askOne, nowParameters }: NewsOptions): () => Promise<Seen> {
  const { sql: text } = sql`select
    (select max(id) from changes) as last,
    (select string_agg(s.holder_id || ' ' || s.at, ',' order by s.holder_id)
      from upstream_states s join holders h on h.id = s.holder_id
      where h.expires_at > ${dialect.databaseNow()}) as said`.compile(db);
  return async () => (await askOne(text, nowParameters())) as Seen;
}

export function createNewsMethods(options: NewsOptions): Pick<Store, "waitForNews"> {
  const { clock, closing, methods } = options;
  const look = createLook(options);
  /** The reports for a given `said`. Most processes report the same content again. */
  let read: { said: string | null; reports: readonly ProcessReport[]; mark: string } | undefined;

  async function reportsAt(said: string | null) {
    if (read?.said === said) return read;
    const reports = await methods.listModelReports();
    const mark = createHash("sha256").update(JSON.stringify(reports)).digest("base64");
    read = { said, reports, mark };
    return read;
  }

  /** What is new; undefined while there is nothing new and time is left. */
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
          // The database was closed between two polls.
          if (!closing.aborted) throw error;
        }
        await pace.wait(untilMs);
      }
      return { changes: [], reports: undefined, reportsMark: known.reports };
    },
  };
}
