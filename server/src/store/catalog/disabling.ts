/** Writes whether models are disabled, in a column that may have to wait for its migration. */
import type { Model } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Transaction } from "kysely";
import { StoreError } from "../error.ts";
import { disabledModels } from "../migrations/0033-disabled-models.ts";
import { hasMigration } from "../migrations/history.ts";
import type { Database } from "../sql/schema.ts";

type State = Pick<Model, "isDisabled">;
type Columns = (model: State) => { is_disabled?: number };

/**
 * Returns what to write of each of these models. Throws `invalid` when one is disabled and the column is not
 * there yet.
 */
export async function stateColumns(trx: Transaction<Database>, models: readonly State[]): Promise<Columns> {
  if (await hasMigration(trx, disabledModels.version))
    return ({ isDisabled }) => ({ is_disabled: isDisabled === true ? 1 : 0 });
  if (models.some(({ isDisabled }) => isDisabled === true))
    throw new StoreError("invalid", message("store.disablingWaits", { version: disabledModels.version }));
  return () => ({});
}
