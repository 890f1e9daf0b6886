/**
 * Limits changes sent to `/api`: per session, per operator token, and before sign-in per known device or
 * network. Counted in this process before a body is read. Knows no route.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { TokenBuckets } from "../lib/token-buckets.ts";
import { readDevice } from "./auth/device.ts";
import { type NetworkWidth, networksOf } from "./auth/throttle.ts";
import type { ControlContext, Viewer } from "./context.ts";
import type { Asking } from "./identify.ts";

/** A program may make this many times more changes than a person. */
const tokenShare = 10;
/** Larger networks have more users; the largest are shared by strangers and are not counted. */
const networkShares: Readonly<Partial<Record<NetworkWidth, number>>> = { own: 1, home: 2, site: 4 };

export interface WriteRate {
  /** Throws `rate_limit_exceeded` with the time to wait. */
  admit(asking: Asking, viewer: Viewer): void;
}

export function createWriteRate(
  context: Pick<ControlContext, "clock" | "secretKey" | "randomBytes">,
  perMinute: number,
): WriteRate {
  const { clock } = context;
  const buckets = new Map<number, TokenBuckets>();

  function take(name: string, share: number): void {
    const own = buckets.get(share) ?? new TokenBuckets({ clock, perMinute: perMinute * share });
    buckets.set(share, own);
    const waitMs = own.take(name);
    if (waitMs === 0) return;
    throw new GatewayError("rate_limit_exceeded", {
      message: message("access.tooManyChanges"),
      retryAfterMs: waitMs,
    });
  }

  return {
    admit(asking, viewer) {
      if (viewer.kind === "user") {
        take(`session ${viewer.sessionId}`, 1);
        return;
      }
      if (viewer.kind === "token") {
        take(`token ${viewer.tokenId}`, tokenShare);
        return;
      }
      const device = readDevice(context, asking.cookies);
      if (device !== undefined) {
        take(`device ${device.id}`, 1);
        return;
      }
      for (const { name, width } of networksOf(asking.from.ip)) {
        const share = networkShares[width];
        if (share !== undefined) take(name, share);
      }
    },
  };
}
