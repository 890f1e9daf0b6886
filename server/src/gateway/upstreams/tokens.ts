/**
 * Access tokens for credentials that must be exchanged for one, such as service accounts, client secrets and
 * the machine's identity. A token is requested once and shared by concurrent calls. Shortly before it expires
 * it is renewed in the background; while that fails it is used until its end. Tokens stay in memory and are
 * never logged.
 */
import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { IdentityFailure } from "../../identity/failure.ts";
import type { MachineIdentity } from "../../identity/machine-identity.ts";
import type { CreateHttpClient } from "../../lib/net/http-client.ts";
import { type PostAnswer, postOnce } from "../../lib/net/post-once.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { TokenScheme } from "../../providers/provider.ts";

/** Tokens are renewed this long before they expire, in milliseconds. */
const earlyMs = 120_000;
/** A token is no longer sent this long before it expires: the call has to arrive. */
const lastMs = 10_000;
/** How long a token is used at least, however short its life is. */
const leastMs = 1_000;
const lifeMsMax = 24 * 3_600_000;
/** Time limit for the issuer's answer, in milliseconds. */
const issuerMs = 10_000;
const answerBytesMax = 256 * 1024;
/** How long an issuer is left alone after it gave no token, in milliseconds. */
const refusedMs = 5_000;
const tokensMax = 10_000;

type Outcome = string | Fault;
type TokenCall = NonNullable<ReturnType<TokenScheme["call"]>>;
type Read = ReturnType<TokenScheme["read"]>;

/** What an issuer gave: a token with its life, or why not. */
type Given = NonNullable<Read> | Fault;

/** A token: fresh at first, then usable while it is renewed. */
interface Kept {
  readonly token: string;
  readonly freshUntilMs: number;
  readonly usableUntilMs: number;
}

/** What is known of one credential of an upstream. */
interface Entry {
  readonly kept?: Kept | undefined;
  /** Why there is no newer token, and until when nobody is asked again. */
  readonly failed?: { readonly fault: Fault; readonly untilMs: number } | undefined;
  readonly asking?: Promise<Outcome> | undefined;
}

export interface Tokens {
  /**
   * Returns the token for a credential, or a fault. A credential that needs no exchange is returned as it is.
   */
  get(scheme: TokenScheme, upstream: Upstream, credential: string): string | Promise<Outcome>;
  /** Drops the token after the upstream rejected it; the next call requests a new one. */
  forget(upstream: Upstream, credential: string): void;
}

/**
 * Builds the call to the issuer. Returns undefined when no exchange is needed, or a fault when the credential
 * is malformed.
 */
function callOf(
  scheme: TokenScheme,
  upstream: Upstream,
  credential: string,
  nowMs: number,
): TokenCall | undefined | Fault {
  try {
    return scheme.call(credential, upstream, nowMs);
  } catch {
    // Do not pass on the error: a parser's message may quote the secret.
    return {
      kind: "upstream_auth",
      note: "the credential cannot be exchanged for a token: it is not what it should be",
    };
  }
}

function tokenIn(scheme: TokenScheme, { status, body }: PostAnswer): Read {
  try {
    return status === 200 ? scheme.read(body) : undefined;
  } catch {
    return undefined;
  }
}

function keep({ token, expiresInSeconds }: NonNullable<Read>, nowMs: number): Kept {
  const lifeMs = Math.min(lifeMsMax, expiresInSeconds * 1_000);
  return {
    token,
    freshUntilMs: nowMs + Math.max(leastMs, lifeMs - earlyMs),
    usableUntilMs: nowMs + Math.max(leastMs, lifeMs - lastMs),
  };
}

/** A failure of the machine's identity. Its words name places and settings, no secrets. */
function faultOfIdentity(error: unknown): Fault {
  if (!(error instanceof IdentityFailure))
    return { kind: "network", note: "the machine's identity could not be asked" };
  const { kind, status, message: note } = error;
  return {
    kind: kind === "refused" ? "upstream_auth" : kind,
    note,
    ...(status === undefined ? {} : { status }),
  };
}

// The options are part of the name because they select the issuer and the scope.
const nameOf = (upstream: Upstream, credential: string): string =>
  `${upstream.id}\n${upstream.provider}\n${upstream.baseUrl}\n${JSON.stringify(upstream.options ?? {})}\n${credential}`;

export interface TokensOptions {
  readonly clock: Clock;
  /** Issuers are reached as the upstream is, through its proxy. */
  readonly createClient: CreateHttpClient;
  readonly identity: MachineIdentity;
  readonly log: Pick<Log, "warn">;
  /** Time limit for an issuer's whole answer, in milliseconds. */
  readonly answerMs?: number;
}

/** Asks the machine's identity and issuers. Resolves with a fault for whatever they do not give. */
function createIssuers({ clock, createClient, identity, answerMs = issuerMs }: TokensOptions) {
  async function exchange(scheme: TokenScheme, upstream: Upstream, call: TokenCall): Promise<Given> {
    let answer: PostAnswer;
    try {
      const client = createClient(call.origin, upstream.timeouts.connectMs, upstream.id);
      answer = await postOnce(client, call, { answerMs, bytesMax: answerBytesMax });
    } catch {
      return { kind: "network", note: "the token's issuer could not be reached" };
    }
    const read = tokenIn(scheme, answer);
    if (read !== undefined) return read;
    const isTheirs = answer.status >= 500 || answer.status === 429;
    return {
      kind: isTheirs ? "server" : "upstream_auth",
      status: answer.status,
      note: "the token's issuer gave no token",
    };
  }

  async function identify(scheme: TokenScheme, upstream: Upstream): Promise<Given> {
    const request = scheme.identity?.(upstream);
    if (request === undefined)
      return { kind: "upstream_auth", note: `provider ${upstream.provider} has no workload identity` };
    try {
      const { connectMs } = upstream.timeouts;
      const found = await identity.get(request, {
        open: (origin) => createClient(origin, connectMs, upstream.id),
        limitMs: answerMs,
      });
      if (!("credential" in found)) return { token: found.secret, expiresInSeconds: found.expiresInSeconds };
      const call = callOf(scheme, upstream, found.credential, clock.wallMs());
      if (call !== undefined) return "kind" in call ? call : await exchange(scheme, upstream, call);
      return { kind: "upstream_auth", note: "the machine's credential cannot be exchanged for a token" };
    } catch (error) {
      return faultOfIdentity(error);
    }
  }

  return {
    /** undefined when this credential is sent as it is. */
    ask(scheme: TokenScheme, upstream: Upstream, credential: string): Promise<Given> | Fault | undefined {
      if (credential === workloadIdentity) return identify(scheme, upstream);
      const call = callOf(scheme, upstream, credential, clock.wallMs());
      return call === undefined || "kind" in call ? call : exchange(scheme, upstream, call);
    },
  };
}

export function createTokens(options: TokensOptions): Tokens {
  const { clock, log } = options;
  const issuers = createIssuers(options);
  const entries = new Map<string, Entry>();

  /** Notes what was given. `before`: the token that was to be renewed. */
  function settle(name: string, upstream: Upstream, before: Kept | undefined, given: Given): Outcome {
    const nowMs = clock.elapsedMs();
    if ("token" in given) {
      entries.set(name, { kept: keep(given, nowMs) });
      return given.token;
    }
    entries.set(name, { kept: before, failed: { fault: given, untilMs: nowMs + refusedMs } });
    if (before === undefined || nowMs >= before.usableUntilMs) return given;
    log.warn("token_not_renewed", {
      upstream: upstream.id,
      seconds: Math.floor((before.usableUntilMs - nowMs) / 1_000),
      status: given.status,
      note: given.note,
    });
    return before.token;
  }

  /** Starts asking; undefined when this credential is sent as it is. */
  function start(
    scheme: TokenScheme,
    upstream: Upstream,
    credential: string,
    name: string,
  ): Promise<Outcome> | undefined {
    const given = issuers.ask(scheme, upstream, credential);
    if (given === undefined || !(given instanceof Promise)) return given && Promise.resolve(given);
    if (entries.size >= tokensMax) entries.clear();
    const before = entries.get(name)?.kept;
    const asking = given.then((one) => {
      // A token that the upstream rejected meanwhile is not kept.
      return settle(name, upstream, entries.get(name)?.kept === before ? before : undefined, one);
    });
    entries.set(name, { kept: before, asking });
    return asking;
  }

  return {
    get(scheme, upstream, credential) {
      const name = nameOf(upstream, credential);
      const { kept, failed, asking } = entries.get(name) ?? {};
      const nowMs = clock.elapsedMs();
      if (kept !== undefined && nowMs < kept.freshUntilMs) return kept.token;
      const isAlone = failed !== undefined && nowMs < failed.untilMs;
      if (kept !== undefined && nowMs < kept.usableUntilMs) {
        if (asking === undefined && !isAlone) void start(scheme, upstream, credential, name);
        return kept.token;
      }
      if (asking !== undefined) return asking;
      if (isAlone) return Promise.resolve(failed.fault);
      return start(scheme, upstream, credential, name) ?? credential;
    },
    forget(upstream, credential) {
      const name = nameOf(upstream, credential);
      const known = entries.get(name);
      if (known?.kept !== undefined) entries.set(name, { ...known, kept: undefined });
    },
  };
}
