/** What answers to requests to count tokens share in all formats: one number, no content, no usage. */
import { noUsage } from "@plaza/contract/usage.ts";
import { parseJson, recordOf } from "../lib/record.ts";
import type { WireProtocol } from "./wire-protocol.ts";
import { withoutStreams } from "./without-streams.ts";

/** The count in an upstream's answer, a member of this name; undefined when it has no plausible one. */
export function countIn(body: Buffer, member: string): number | undefined {
  const tokens = recordOf(parseJson(body.toString("utf8")))[member];
  return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}

/** The half of a count's `WireProtocol` that reads answers. Spread it in; `readCount` is the format's own. */
export const countAnswers = (readCount: (body: Buffer) => number | undefined) =>
  ({
    ...withoutStreams,
    readWhole: (body: Buffer) =>
      readCount(body) === undefined ? undefined : { usage: {}, content: { start: 0, end: 0 } },
    readUsage: () => noUsage,
  }) as const satisfies Partial<WireProtocol>;
