/** Promise P07: the price vectors of all providers, each with its format's reader. For tests and the rig. */
import type { Price } from "@plaza/contract/catalog.ts";
import { chargeFor } from "../../domain/money/price.ts";
import { testedProviders } from "../../providers/testing/all.ts";
import { type PriceSuite, vectorPrices } from "./prices.ts";

/** Providers with the same reports share one suite, which is here once. */
export const suites: readonly PriceSuite[] = [
  ...new Set(testedProviders.flatMap(({ priceSuites }) => priceSuites)),
];

/** Returns the vectors of a suite that cannot be read or have another charge than expected, as text. */
export function missesOf({ read, vectors }: PriceSuite): string[] {
  return vectors.flatMap(({ name, price, usage, working, charge }) => {
    const found = read(JSON.parse(usage));
    if (found === undefined) return [`${name}: not read`];
    const due = chargeFor(found, vectorPrices[price] as Price);
    return due === charge ? [] : [`${name}: costs ${due} instead of ${charge} (${working})`];
  });
}
