/**
 * Promise P07: the price vectors of six providers' formats, each with its format's reader. For tests and the
 * rig.
 */
import type { Price } from "@plaza/contract/catalog.ts";
import type { Usage } from "@plaza/contract/usage.ts";
import { chargeFor } from "../../domain/money/price.ts";
import { readUsage as readAnthropic } from "../../protocols/anthropic-messages/usage.ts";
import { readUsage as readBedrock } from "../../protocols/bedrock-converse/usage.ts";
import { readUsage as readGoogle } from "../../protocols/gemini/usage.ts";
import { readUsage as readOpenai } from "../../protocols/openai-chat/usage.ts";
import { readUsage as readResponses } from "../../protocols/openai-responses/usage.ts";
import { anthropicVectors } from "./anthropic.ts";
import { azureVectors } from "./azure.ts";
import { bedrockVectors } from "./bedrock.ts";
import { compatibleVectors } from "./compatible.ts";
import { googleVectors } from "./google.ts";
import { openaiVectors } from "./openai.ts";
import { type PriceVector, vectorPrices } from "./prices.ts";
import { responsesVectors } from "./responses.ts";

type Read = (value: unknown) => Usage | undefined;

export const suites: readonly [string, Read, readonly PriceVector[]][] = [
  ["openai", readOpenai, openaiVectors],
  ["compatible", readOpenai, compatibleVectors],
  ["azure", readOpenai, azureVectors],
  ["responses", readResponses, responsesVectors],
  ["anthropic", readAnthropic, anthropicVectors],
  ["google", readGoogle, googleVectors],
  ["bedrock", readBedrock, bedrockVectors],
];

/** Returns the vectors of a suite that cannot be read or have another charge than expected, as text. */
export function missesOf([, read, vectors]: (typeof suites)[number]): string[] {
  return vectors.flatMap(({ name, price, usage, working, charge }) => {
    const found = read(JSON.parse(usage));
    if (found === undefined) return [`${name}: not read`];
    const due = chargeFor(found, vectorPrices[price] as Price);
    return due === charge ? [] : [`${name}: costs ${due} instead of ${charge} (${working})`];
  });
}
