/**
 * Checks a credential by asking its upstream for its models. All waiting is bounded, and no upstream text
 * appears in messages.
 */

import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { MachineIdentity } from "../identity/machine-identity.ts";
import { withHeaders } from "../lib/net/added-headers.ts";
import type { CreateHttpClient, HttpClient } from "../lib/net/http-client.ts";
import { parseJson } from "../lib/record.ts";
import { durationInSentence } from "../lib/units.ts";
import { findListing } from "../providers/index.ts";
import type { ListedModel, Listing } from "../providers/listing.ts";
import type { HttpProvider, ProbeCall } from "../providers/provider.ts";
import { ConnectFailure } from "./failure.ts";
import { GetError, type Got, getWhole } from "./get-whole.ts";
import { presentable } from "./token.ts";

const bytesMax = 20 * 1024 ** 2;
const pagesMax = 100;
const modelsMax = 20_000;
const connectMs = 5_000;

export interface ListAsk {
  readonly upstream: Upstream;
  readonly provider: HttpProvider;
  readonly credential: string;
  /** Opens the connections, through the upstream's proxy if it has one. */
  readonly createClient: CreateHttpClient;
  /** Base URLs to try, most likely first. */
  readonly baseUrls: readonly string[];
  /** Time limit for all pages together, in milliseconds. */
  readonly timeoutMs: number;
  /** Unix milliseconds, for credentials that are exchanged for a token. */
  readonly nowMs: number;
  /** Asked when the credential is `workloadIdentity`. */
  readonly identity: MachineIdentity;
  /** Reports how many models were listed so far. */
  readonly onCount?: ((count: number) => void) | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** The upstream's answer. `models` undefined: it has no list. */
export interface ListAnswer {
  /** The base URL that answered. */
  readonly baseUrl: string;
  readonly models: readonly ListedModel[] | undefined;
  /** True when the list was longer than what is read. */
  readonly isCut: boolean;
  /** True when the upstream has verified the credential. Some have no free way to do that. */
  readonly isChecked: boolean;
}

/** The answer of one URL: the list, or why there is none. */
type Outcome =
  | { readonly kind: "list"; readonly models: readonly ListedModel[]; readonly isCut: boolean }
  | { readonly kind: "no_list" }
  | { readonly kind: "failure"; readonly failure: ConnectFailure };

const addressOf = (url: string, path: string): string => `${new URL(url).origin}${path.split("?")[0]}`;

/** Returns a redirect's target without sensitive parts; "" when it is not an http URL. */
function targetOf(headers: Got["headers"], from: string): string {
  const { location } = headers;
  const url = typeof location === "string" && location.length < 2_000 ? URL.parse(location, from) : null;
  return url === null || !/^https?:$/.test(url.protocol) ? "" : `${url.origin}${url.pathname}`;
}

/** Words for what went wrong before the upstream was reached. */
function proxyWords(code: string): Message | undefined {
  if (code === "") return message("connect.failed");
  const status = /^PROXY_(\d+)$/.exec(code)?.[1];
  if (status !== undefined) return message("connect.proxyAnswered", { status });
  return code.startsWith("PROXY_") ? message("connect.proxyBroke") : undefined;
}

function systemWords(place: string, { reason, code }: GetError, timeoutMs: number): ConnectFailure {
  if (reason === "timeout") {
    const time = durationInSentence(timeoutMs);
    return new ConnectFailure("timeout", message("connect.timeout", { place, time }));
  }
  if (reason === "too_large")
    return new ConnectFailure(
      "too_large",
      message("connect.tooLarge", { place, megabytes: bytesMax / 1024 ** 2 }),
    );
  const words: Readonly<Record<string, Message>> = {
    ECONNREFUSED: message("connect.nothingListens"),
    ENOTFOUND: message("connect.hostUnknown"),
    EAI_AGAIN: message("connect.lookupFailed"),
    UND_ERR_CONNECT_TIMEOUT: message("connect.connectTimeout", { time: durationInSentence(connectMs) }),
  };
  const why = words[code] ?? proxyWords(code) ?? message("connect.failedWithCode", { code });
  return new ConnectFailure("unreachable", message("connect.unreachable", { place, why }));
}

/** Returns what an answer without a list means. */
function judge(ask: ListAsk, place: string, got: Got): Outcome {
  const { status, headers, body } = got;
  const fail = (code: string, made: Message): Outcome => ({
    kind: "failure",
    failure: new ConnectFailure(code, made),
  });
  if (status >= 300 && status < 400) {
    const to = targetOf(headers, place);
    return fail(
      "redirected",
      to === ""
        ? message("connect.redirects", { place, status })
        : message("connect.redirectsTo", { place, to: JSON.stringify(to), status }),
    );
  }
  if (status === 404 || status === 405 || status === 501) return { kind: "no_list" };
  const { kind } = ask.provider.fault(status, headers, body.subarray(0, 65_536).toString("utf8"));
  if (status >= 400 && kind === "upstream_auth") {
    return ask.credential === ""
      ? fail("credential_missing", message("connect.credentialMissing", { place, status }))
      : fail("credential_refused", message("connect.credentialRefused", { place, status }));
  }
  if (status >= 400 && kind === "upstream_quota")
    return fail("upstream_quota", message("connect.accountUsedUp", { place, status }));
  if (status >= 400 || status < 200)
    return fail("upstream_error", message("connect.otherStatus", { place, status }));
  const isPage = /^\s*</.test(body.subarray(0, 200).toString("latin1"));
  const what = isPage ? "page" : "other";
  return fail("not_a_list", message("connect.noList", { place, what }));
}

/** Returns the call for the list, or the probe if that is a list. */
const callOf = ({ provider, credential }: ListAsk, upstream: Upstream): ProbeCall | undefined =>
  (provider.list ?? provider.probe)?.(upstream, credential);

/**
 * Reads all pages below one base URL. Throws a `ConnectFailure` when nothing answers, because other paths on
 * the host would not either.
 */
async function listAt(
  ask: ListAsk,
  client: HttpClient,
  listing: Listing,
  upstream: Upstream,
  endsAtMs: number,
): Promise<Outcome> {
  const models: ListedModel[] = [];
  const probe = callOf(ask, upstream);
  let next: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const path = probe === undefined ? undefined : listing.path(probe.path, next);
    if (probe === undefined || path === undefined) return { kind: "no_list" };
    const place = addressOf(upstream.baseUrl, path);
    const totalMs = Math.max(1, endsAtMs - performance.now());
    let got: Got;
    try {
      got = await getWhole(client, { path, headers: probe.headers }, { bytesMax, totalMs });
    } catch (error) {
      throw error instanceof GetError ? systemWords(place, error, ask.timeoutMs) : error;
    }
    const read = got.status === 200 ? listing.read(parseJson(got.body.toString("utf8"))) : undefined;
    if (got.status === 403 && listing.mayBeForbidden === true) return { kind: "no_list" };
    if (read === undefined) return judge(ask, place, got);
    models.push(...read.models);
    ask.onCount?.(Math.min(models.length, modelsMax));
    if (models.length > modelsMax) return { kind: "list", models: models.slice(0, modelsMax), isCut: true };
    // Some upstreams repeat the same cursor forever.
    if (read.next === undefined || read.next === next) return { kind: "list", models, isCut: false };
    next = read.next;
  }
  return { kind: "list", models, isCut: true };
}

/** For a protocol without a list: at least checks the credential, if possible. Throws when it is rejected. */
async function checkOnly(ask: ListAsk, client: HttpClient, endsAtMs: number): Promise<boolean> {
  const probe = ask.provider.probe?.(ask.upstream, ask.credential);
  if (probe === undefined) return false;
  const place = addressOf(ask.upstream.baseUrl, probe.path);
  try {
    const totalMs = Math.max(1, endsAtMs - performance.now());
    const got = await getWhole(client, probe, { bytesMax, totalMs });
    const outcome = judge(ask, place, got);
    if (outcome.kind === "failure" && /^credential_/.test(outcome.failure.code)) throw outcome.failure;
    return got.status < 300;
  } catch (error) {
    throw error instanceof GetError ? systemWords(place, error, ask.timeoutMs) : error;
  }
}

/**
 * Lists the upstream's models. Throws a `ConnectFailure` when the upstream cannot be reached, rejects the
 * credential or returns an invalid answer.
 */
export async function listUpstream(given: ListAsk): Promise<ListAnswer> {
  const { upstream, provider, baseUrls } = given;
  const endsAtMs = performance.now() + given.timeoutMs;
  // Without a list there is no reason to exchange the credential, but to see whether the machine has one.
  const listing = findListing(provider.id);
  const credential =
    listing === undefined && given.credential !== workloadIdentity
      ? given.credential
      : await presentable(provider.tokens, upstream, given.credential, given);
  const ask = { ...given, credential };
  const { origin } = new URL(upstream.baseUrl);
  const plain = ask.createClient(origin, Math.min(connectMs, ask.timeoutMs), upstream.id);
  const client = upstream.headers === undefined ? plain : withHeaders(plain, upstream.headers);
  // Aborts calls in flight.
  const stop = (): void => void client.close();
  ask.signal?.addEventListener("abort", stop, { once: true });
  try {
    ask.signal?.throwIfAborted();
    if (listing === undefined) {
      const isChecked = await checkOnly(ask, client, endsAtMs);
      return { baseUrl: upstream.baseUrl, models: undefined, isCut: false, isChecked };
    }
    const failures: ConnectFailure[] = [];
    for (const baseUrl of baseUrls) {
      const outcome = await listAt(ask, client, listing, { ...upstream, baseUrl }, endsAtMs);
      if (outcome.kind === "list")
        return { baseUrl, models: outcome.models, isCut: outcome.isCut, isChecked: true };
      if (outcome.kind === "failure") failures.push(outcome.failure);
    }
    const worst = failures.find(({ code }) => code.startsWith("credential_")) ?? failures[0];
    if (worst !== undefined) throw worst;
    // An issuer that exchanged the credential for a token has verified it.
    const isChecked = credential !== given.credential;
    return { baseUrl: upstream.baseUrl, models: undefined, isCut: false, isChecked };
  } finally {
    ask.signal?.removeEventListener("abort", stop);
    await client.close();
  }
}
