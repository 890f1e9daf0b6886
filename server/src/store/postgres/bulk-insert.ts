/** Inserts many rows with one statement: the server unnests one list per column. Knows no table. */
import { CompiledQuery } from "kysely";
import { type BulkInsert, headOf, tailOf } from "../sql/bulk-insert.ts";
import { arrayLiteral } from "./array.ts";

const rowsMax = 5_000;
const types = { int: "bigint[]", text: "text[]" } as const;

export const postgresBulkInsert: BulkInsert = async (trx, target, rows) => {
  const lists = target.columns.map(([, type], index) => `$${index + 1}::${types[type]}`);
  const text = `${headOf(target)} select * from unnest(${lists.join(", ")}) ${tailOf(target)}`;
  const returned: unknown[] = [];
  for (let index = 0; index < rows.length; index += rowsMax) {
    const part = rows.slice(index, index + rowsMax);
    const values = target.columns.map((_, column) => arrayLiteral(part.map((row) => row[column])));
    const result = await trx.executeQuery(CompiledQuery.raw(text, values));
    for (const row of result.rows) returned.push(row);
  }
  return returned;
};
