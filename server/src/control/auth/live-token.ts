/** Finds the operator token for a secret, if it is valid now. Does not check permissions. */

import type { Clock } from "../../lib/time/clock.ts";
import type { OperatorToken, PeopleStore } from "../../store/people/people.ts";
import { isOperatorTokenShape } from "./operator-token.ts";
import { digestOf } from "./secret-text.ts";
import { isOfCurrentSetting, type MakerLookup } from "./setting-maker.ts";

/**
 * Undefined when the token does not exist, was revoked, has expired, or was created with a setting value that
 * is not set here. Rejects when the store does not answer.
 */
export async function findLiveToken(
  context: { readonly store: PeopleStore; readonly clock: Clock } & MakerLookup,
  given: string,
): Promise<OperatorToken | undefined> {
  const { store, clock } = context;
  const token = isOperatorTokenShape(given) ? await store.findOperatorToken(digestOf(given)) : undefined;
  if (token === undefined || token.revokedAt !== null) return undefined;
  if (token.expiresAt !== null && token.expiresAt <= clock.wallMs()) return undefined;
  return (await isOfCurrentSetting(context, token.createdBy)) ? token : undefined;
}
