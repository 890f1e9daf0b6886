/**
 * Upstream failures and their expected results: each provider's own (its `testing/faults.ts`), and broken
 * answers, which apply to all providers. Independent of the product's code.
 */
import { type TestedProvider, testedProviders } from "../../../server/src/providers/testing/all.ts";
import type { FaultCause, Outcome, Words } from "../../../server/src/providers/testing/fault-outcomes.ts";
import type { Reply, Wire } from "../../../server/src/providers/testing/wire.ts";
import { anywhere } from "./provider-faults-breaks.ts";

/** One fault of one provider. */
export interface FaultRow {
  readonly fault: string;
  readonly provider: TestedProvider;
  readonly reply: (wire: Wire, isStream: boolean) => Reply;
  readonly outcome: Outcome;
  readonly only?: FaultCause["only"];
}

/** An error response with this status. */
const says =
  (...[status, type, message, more, headers]: Words) =>
  (wire: Wire): Reply => ({
    status,
    body: wire.error(status, type, message, more),
    headers: { ...wire.errorHeaders?.(type), ...headers },
  });

export const faultRows: readonly FaultRow[] = testedProviders.flatMap((provider) =>
  [...provider.faults, ...anywhere(provider)].map(({ fault, outcome, only, words, reply }) => ({
    fault,
    provider,
    outcome,
    only,
    reply: words === undefined ? reply : says(...words),
  })),
);
