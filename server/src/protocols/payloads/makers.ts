/**
 * Which upstream made opaque reasoning, which only that upstream can read. OpenAI's is bound to the
 * organisation that asked for it: another refuses the whole request. Kept by a digest in the account's memory
 * of earlier answers, because callers may carry it anywhere.
 */
import { createHash } from "node:crypto";
import type { ReplayMemory } from "../protocol.ts";

const nameOf = (data: string): string => `maker ${createHash("sha256").update(data).digest("base64url")}`;

/** `maker`: the upstream's id. Its credentials belong to one organisation. */
export function noteMaker(memory: ReplayMemory | undefined, data: string, maker: string | undefined): void {
  if (maker !== undefined) memory?.remember(nameOf(data), maker);
}

/** undefined: not known, or no longer. */
export const makerOf = (memory: ReplayMemory | undefined, data: string): string | undefined =>
  memory?.recall(nameOf(data));

/** True when it is known to be another upstream's. */
export function isOfAnother(
  memory: ReplayMemory | undefined,
  data: string,
  maker: string | undefined,
): boolean {
  const made = maker === undefined ? undefined : makerOf(memory, data);
  return made !== undefined && made !== maker;
}
