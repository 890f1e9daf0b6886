/** Reads the times that a stamped stream's tokens consist of (`stamp` of a plan), in any format. */
import type { Seen } from "../http-client.ts";
import { splitEvents } from "../sse.ts";

/** One token: when the upstream wrote it and when it arrived. Monotonic milliseconds. */
export interface StampedToken {
  readonly writtenAt: number;
  readonly arrivedAt: number;
}

/** Events of Responses that say again what came in deltas. */
const repeats = /"type":"response\.(?!output_text\.delta")/;

/** The tokens of a stream, in order. An event arrives with its last byte. */
export function stampedTokens({ arrivals }: Pick<Seen, "arrivals">): StampedToken[] {
  const tokens: StampedToken[] = [];
  let rest = Buffer.alloc(0);
  for (const { at, bytes } of arrivals) {
    const pieces = splitEvents(Buffer.concat([rest, bytes]));
    const isOpen = !/\n\r?\n$/.test(pieces.at(-1)?.toString("latin1") ?? "\n\n");
    rest = isOpen ? Buffer.from(pieces.pop() ?? "") : Buffer.alloc(0);
    for (const piece of pieces) {
      const text = piece.toString("latin1");
      const [stamp] = /\d{14}\.\d{3}/.exec(text) ?? [];
      if (stamp !== undefined && !repeats.test(text))
        tokens.push({ writtenAt: Number(stamp), arrivedAt: at });
    }
  }
  return tokens;
}
