/** How each model's requests ended by half hour: from the sums and the rows that are not summed yet. */
import { type Kysely, sql } from "kysely";
import { slotMs } from "../../lib/time/time-zone.ts";
import { inOneView } from "../lists/read.ts";
import type { InsertionOrder } from "../sql/insertion-order.ts";
import type { Database } from "../sql/schema.ts";
import { countedModel, named, type SumsRow, slotOfRow, sumsOfRows } from "./series.ts";
import { findNewRows } from "./sums.ts";
import type { ModelHalfHour } from "./usage.ts";

interface Row {
  readonly model: string;
  readonly slot: number;
  readonly complete: number;
  readonly unserved: number;
}

export async function modelHalfHours(
  db: Kysely<Database>,
  order: InsertionOrder,
  sinceMs: number,
): Promise<ModelHalfHour[]> {
  const fromSlot = Math.floor(sinceMs / slotMs);
  const found = new Map<string, { modelId: string; slot: number; complete: number; unserved: number }>();
  const add = (row: Row): void => {
    const [complete, unserved] = [Number(row.complete), Number(row.unserved)];
    if (complete + unserved === 0) return;
    const slot = Number(row.slot);
    const key = `${slot} ${row.model}`;
    const known = found.get(key) ?? { modelId: row.model, slot, complete: 0, unserved: 0 };
    known.complete += complete;
    known.unserved += unserved;
    found.set(key, known);
  };
  await inOneView(db, async (trx) => {
    const { isNew, isSound } = await findNewRows(trx, order);
    const { rows } = await sql<SumsRow & { model: string; slot: number }>`
      select ${countedModel} as model, ${slotOfRow} as slot, ${sumsOfRows} from requests
      where ${isNew} and requests.created_at >= ${fromSlot * slotMs} group by 1, 2`.execute(trx);
    for (const row of rows) add(row);
    if (!isSound) return;
    const { rows: summed } = await sql<Row>`
      select x.model_id as model, s.span as slot, s.complete, s.unserved
      from usage_series x join usage_slots s on s.series_id = x.id and s.span >= ${fromSlot}
      where x.kind = ${named.model} and s.complete + s.unserved > 0`.execute(trx);
    for (const row of summed) add(row);
  });
  return [...found.values()];
}
