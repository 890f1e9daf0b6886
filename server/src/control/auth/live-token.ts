/** Finds the operator token behind a secret, where it is good now. Knows nothing of what is asked with it. */
import type { Clock } from "../../lib/clock.ts";
import type { OperatorToken } from "../../store/console/people.ts";
import type { Store } from "../../store/store.ts";
import { isOperatorTokenShape } from "./operator-token.ts";
import { digestOf } from "./secret-text.ts";

/** undefined: there is no such token, or it was revoked or has expired. Rejects when the store does not answer. */
export async function findLiveToken(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  given: string,
): Promise<OperatorToken | undefined> {
  const token = isOperatorTokenShape(given) ? await store.findOperatorToken(digestOf(given)) : undefined;
  if (token === undefined || token.revokedAt !== null) return undefined;
  return token.expiresAt !== null && token.expiresAt <= clock.wallMs() ? undefined : token;
}
