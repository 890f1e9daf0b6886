/**
 * What of a caller's headers goes on to upstreams that speak Messages: the version of the API and the betas,
 * beside those the operator set (docs/wire/anthropic-messages.md sections 1 and 15).
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { betasIn, isLongContext } from "../../protocols/anthropic-messages/endpoint/betas.ts";
import type { ProviderRequest } from "../../protocols/protocol.ts";

/** For callers of other formats, and for those that name none. */
const usualVersion = "2023-06-01";

/** The longest prompt without a beta for more, in tokens. */
const usualContext = 200_000;

const wellFormed = /^[\w.-]{1,100}$/;

type Asked = Pick<ProviderRequest, "forwarded" | "contextTokens">;

/** The version of the API that the caller speaks. */
export function versionOf({ forwarded }: Asked): string {
  const given = forwarded?.["anthropic-version"]?.trim();
  return given !== undefined && wellFormed.test(given) ? given : usualVersion;
}

/** The betas of one call, without duplicates. */
export interface Betas {
  readonly sent: readonly string[];
  /** The caller's betas that are left out, for it to be told. */
  readonly dropped: readonly string[];
}

/**
 * The operator's betas, then the caller's. `translate`: returns the upstream's name of a beta; undefined
 * when the upstream does not take it. A longer context than the catalog has for the model is not asked for,
 * because the catalog has no price for it either.
 */
export function betasOf(
  { forwarded, contextTokens = 0 }: Asked,
  { options }: Pick<Upstream, "options">,
  translate: (beta: string) => string | undefined = (beta) => beta,
): Betas {
  const own = options?.["beta"]?.split(",") ?? [];
  const sent = new Set(own);
  const dropped: string[] = [];
  const header = forwarded?.["anthropic-beta"];
  for (const beta of header === undefined ? [] : betasIn([header])) {
    if (own.includes(beta)) continue;
    const isTooLong = isLongContext(beta) && contextTokens <= usualContext;
    const said = isTooLong || !wellFormed.test(beta) ? undefined : translate(beta);
    if (said === undefined) dropped.push(beta.slice(0, 100));
    else sent.add(said);
  }
  return { sent: [...sent], dropped };
}

/** Everything that was left out; undefined = nothing. */
export function allDropped(...lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const all = lists.flatMap((list) => list ?? []);
  return all.length === 0 ? undefined : all;
}
