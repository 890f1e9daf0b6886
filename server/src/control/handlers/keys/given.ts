/** Validates a key form beyond its shape and converts it for the store. */

import type { FieldFault } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import { parseNetwork } from "../../../lib/net/address.ts";
import type { ApiKey } from "../../../store/accounts/key-shapes.ts";
import type { KeyChange } from "../../../store/accounts/keys.ts";
import type { CatalogStore } from "../../../store/catalog/shapes.ts";
import { refuseFaults } from "../../field-faults.ts";

/** The fields that the forms for a new key and for a change share. */
export interface GivenKey {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly ips?: readonly string[] | null | undefined;
  readonly limits?: KeyChange["limits"] | undefined;
  readonly budget?: { readonly amount: string; readonly period: "day" | "month" } | null | undefined;
  readonly expiresAt?: string | null | undefined;
  readonly project?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly status?: "active" | "disabled" | undefined;
}

/** The last time with a four-digit year. */
const timeMaxMs = Date.UTC(9999, 11, 31);

/**
 * A listed model must be in the catalog, or have been listed before: models that left the catalog may stay
 * listed.
 */
async function modelFaults(
  store: CatalogStore,
  models: GivenKey["models"],
  before: ApiKey | undefined,
): Promise<FieldFault[]> {
  if (models === undefined || models === null) return [];
  if (models.length === 0) return [{ path: "models", message: message("key.modelsMissing") }];
  const listed = new Set(before?.models ?? []);
  const added = models.filter((id) => !listed.has(id));
  if (added.length === 0) return [];
  const catalog = await store.loadCatalog();
  const known = new Set(catalog?.models.map(({ id }) => id));
  return models.flatMap((id, index) =>
    listed.has(id) || known.has(id)
      ? []
      : [{ path: `models.${index}`, message: message("key.modelUnknown", { model: id }) }],
  );
}

function ipFault(text: string): Message | undefined {
  if (parseNetwork(text.toLowerCase()) !== undefined) return undefined;
  const [address = "", length, ...rest] = text.split("/");
  const isSlip =
    length !== undefined && rest.length === 0 && parseNetwork(address.toLowerCase()) !== undefined;
  return isSlip ? message("key.networkBits") : message("key.addressInvalid");
}

function ipFaults(ips: GivenKey["ips"]): FieldFault[] {
  if (ips === undefined || ips === null) return [];
  if (ips.length === 0) return [{ path: "ips", message: message("key.addressMissing") }];
  return ips.flatMap((text, index) => {
    const fault = ipFault(text);
    return fault === undefined ? [] : [{ path: `ips.${index}`, message: fault }];
  });
}

function expiryFaults({ expiresAt }: GivenKey, before: ApiKey | undefined, nowMs: number): FieldFault[] {
  if (expiresAt === undefined || expiresAt === null) return [];
  const at = Date.parse(expiresAt);
  // A form sends back the old value, even if it has expired.
  if (at === before?.expiresAt) return [];
  if (at <= nowMs) return [{ path: "expiresAt", message: message("account.timePast") }];
  return at > timeMaxMs ? [{ path: "expiresAt", message: message("account.timeTooFar") }] : [];
}

/**
 * Checks the form against the catalog, the clock and the existing key, and converts it. Throws
 * `invalid_request` with every faulty field.
 */
export async function checkGiven(
  store: CatalogStore,
  given: GivenKey,
  before: ApiKey | undefined,
  nowMs: number,
): Promise<KeyChange> {
  const { name, models, ips, limits, budget, expiresAt, project, tags, status } = given;
  const amount = budget === undefined || budget === null ? undefined : parseUsd(budget.amount);
  refuseFaults([
    ...(await modelFaults(store, models, before)),
    ...ipFaults(ips),
    ...(amount === 0n ? [{ path: "budget.amount", message: message("key.budgetZero") }] : []),
    ...expiryFaults(given, before, nowMs),
  ]);
  return {
    name,
    models: models === undefined || models === null ? models : [...new Set(models)],
    ips: ips === undefined || ips === null ? ips : [...new Set(ips.map((text) => text.toLowerCase()))],
    limits,
    budget:
      budget === undefined || budget === null || amount === undefined
        ? (budget as null | undefined)
        : { amount, period: budget.period },
    expiresAt: expiresAt === undefined || expiresAt === null ? expiresAt : Date.parse(expiresAt),
    project,
    tags: tags && [...new Set(tags)],
    status,
  };
}
