/**
 * Authenticates the caller by session cookie or operator token, and prevents other sites from using a session
 * (CSRF).
 */

import { type TokenScope, tokenScopes } from "@plaza/contract/api/route.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { findLiveToken } from "./auth/live-token.ts";
import { isSameText } from "./auth/secret-text.ts";
import { identifySession } from "./auth/sessions.ts";
import { makerOfSetting } from "./auth/setting-maker.ts";
import type { Automation, ControlContext, Cookies, Origin, Viewer } from "./context.ts";

/** What is known of a request before it is processed. */
export interface Asking {
  readonly method: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  readonly cookies: Cookies;
  readonly from: Origin;
  /** Every origin of Plaza's own pages. */
  readonly origins: readonly string[];
}

const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const touchEveryMs = 60_000;

/** A bearer token; other schemes may belong to a proxy. */
const bearerOf = (asking: Asking): string | undefined =>
  /^bearer +(\S+) *$/i.exec(asking.header("authorization") ?? "")?.[1];

function refuseToken(given: string): never {
  const refusal = given.startsWith("sk-plaza-")
    ? message("access.apiKeySent")
    : message("access.tokenUnknown");
  throw new GatewayError("not_signed_in", { message: refusal });
}

async function identifyToken(context: ControlContext, given: string): Promise<Automation> {
  const { store, clock, config } = context;
  if (config.operatorToken !== undefined && isSameText(given, config.operatorToken)) {
    const scopes = new Set<TokenScope>(tokenScopes);
    const makerId = await makerOfSetting(config.operatorToken);
    const name = "PLAZA_OPERATOR_TOKEN";
    return { kind: "token", tokenId: "settings", makerId, name, scopes, expiresAt: null };
  }
  const token = await findLiveToken(context, given);
  if (token === undefined) return refuseToken(given);
  const nowMs = clock.wallMs();
  if (token.usedAt === null || nowMs >= token.usedAt + touchEveryMs)
    await store.touchOperatorToken(token.id, nowMs);
  return {
    kind: "token",
    tokenId: token.id,
    makerId: token.id,
    name: token.name,
    scopes: new Set(token.scopes),
    expiresAt: token.expiresAt,
  };
}

/**
 * Identifies the caller; a bearer token takes precedence over a cookie. Throws `not_signed_in` for an invalid
 * token.
 */
export async function identify(context: ControlContext, asking: Asking): Promise<Viewer> {
  const bearer = bearerOf(asking);
  if (bearer !== undefined) return await identifyToken(context, bearer);
  return (await identifySession(context, asking)) ?? { kind: "nobody" };
}

/** Browsers send a request's origin, newer ones in `Sec-Fetch-Site`, which no page can forge. */
function isCrossOrigin(asking: Asking): boolean {
  const site = asking.header("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin";
  const origin = asking.header("origin");
  return origin !== undefined && !asking.origins.includes(origin.toLowerCase());
}

/**
 * Throws `forgery_suspected` for a change that another site may have caused: one that comes from there, or
 * one with a session but without its token. `isForAnyone`: for routes that need no sign-in.
 */
export function requireOwnPage(asking: Asking, viewer: Viewer, isForAnyone: boolean): void {
  if (readingMethods.has(asking.method) || viewer.kind === "token") return;
  if (isCrossOrigin(asking)) throw new GatewayError("forgery_suspected");
  if (viewer.kind === "nobody" || isForAnyone) return;
  if (!isSameText(asking.header("x-plaza-csrf") ?? "", viewer.csrf))
    throw new GatewayError("forgery_suspected");
}
