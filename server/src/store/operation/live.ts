/** SQL for `live-shapes.ts`. */
import type { MethodsOptions } from "../sql/dialect.ts";
import { insertChange } from "./changes.ts";
import type { LiveStore } from "./live-shapes.ts";
import { liveSubject } from "./news-shapes.ts";

/** A sample older than this is of a process that ended or hangs, in milliseconds. */
const freshMs = 5_000;
/** Rows older than this are deleted, in milliseconds: nothing of them is shown. */
const keptMs = 15 * 60 * 1_000;

type LiveOptions = Pick<MethodsOptions, "db" | "lazyDb" | "clock" | "dialect">;

export function createLiveMethods({ db, lazyDb, clock, dialect }: LiveOptions): LiveStore {
  const now = () => dialect.databaseNow();
  return {
    async announceLiveViewers() {
      await db.transaction().execute(async (trx) => {
        await insertChange(trx, { kind: "recall", subject: liveSubject }, clock.wallMs());
        await trx
          .deleteFrom("live_samples")
          .where(({ eb, ref }) => eb(ref("at"), "<", eb(now(), "-", keptMs)))
          .execute();
      });
    },
    async publishLiveSample(process, sample, history) {
      await lazyDb.transaction().execute(async (trx) => {
        await dialect.commitLazily(trx);
        await trx
          .insertInto("live_samples")
          .values({ process, sample, history: history ?? "[]", at: now() })
          .onConflict((conflict) =>
            conflict
              .column("process")
              .doUpdateSet({ sample, at: now(), ...(history === undefined ? {} : { history }) }),
          )
          .execute();
      });
    },
    async listLiveSamples() {
      const rows = await db
        .selectFrom("live_samples")
        .select(({ eb, ref }) => ["process", "sample", eb(now(), "-", ref("at")).as("ageMs")])
        .where(({ eb, ref }) => eb(ref("at"), ">", eb(now(), "-", freshMs)))
        .orderBy("process")
        .execute();
      return rows.map(({ process, sample, ageMs }) => ({ process, sample, ageMs: Number(ageMs) }));
    },
    async listLiveHistories() {
      const rows = await db
        .selectFrom("live_samples")
        .select(["process", "history"])
        .where(({ eb, ref }) => eb(ref("at"), ">", eb(now(), "-", keptMs)))
        .orderBy("process")
        .execute();
      return rows.map(({ process, history }) => ({ process, history }));
    },
  };
}
