/**
 * Upstream failures and their expected outcomes: each provider's own (its `testing/faults.ts`), and broken
 * answers, which all providers share. Independent of the product's code.
 */
import { type TestedProvider, testedProviders } from "../../../server/src/providers/testing/all.ts";
import type { FaultCause, Outcome, Words } from "../../../server/src/providers/testing/fault-outcomes.ts";
import type { Reply, Wire } from "../../../server/src/providers/testing/wire.ts";
import { anywhere } from "./provider-faults-breaks.ts";

/** One fault at one provider. */
export interface FaultRow {
  readonly fault: string;
  readonly provider: TestedProvider;
  readonly reply: (wire: Wire, isStream: boolean) => Reply;
  readonly outcome: Outcome;
  readonly only?: FaultCause["only"];
}

/** An error of a status. */
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
