/**
 * Access tokens for credentials that must be exchanged for one, such as service accounts and client secrets.
 * A token is requested once, shared by concurrent calls and kept until shortly before it expires. Tokens stay
 * in memory and are never logged.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import type { CreateHttpClient } from "../../lib/net/http-client.ts";
import { type PostAnswer, postOnce } from "../../lib/net/post-once.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { TokenScheme } from "../../providers/provider.ts";

/** Tokens are renewed this long before they expire, in milliseconds. */
const earlyMs = 120_000;
const lifeMsMax = 24 * 3_600_000;
/** Time limit for the issuer's answer, in milliseconds. */
const issuerMs = 10_000;
const answerBytesMax = 256 * 1024;
/** How long a refused credential is not presented again, in milliseconds. */
const refusedMs = 5_000;
const tokensMax = 10_000;

type Outcome = string | Fault;
type TokenCall = NonNullable<ReturnType<TokenScheme["call"]>>;

interface Entry {
  readonly outcome: Outcome | undefined;
  readonly asking: Promise<Outcome> | undefined;
  readonly untilMs: number;
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

function tokenIn(scheme: TokenScheme, { status, body }: PostAnswer): ReturnType<TokenScheme["read"]> {
  try {
    return status === 200 ? scheme.read(body) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Issuers are reached as the upstream is, through its proxy. `answerMs`: time limit for the issuer's whole
 * answer, in milliseconds.
 */
export function createTokens(
  clock: Clock,
  createClient: CreateHttpClient,
  { answerMs = issuerMs }: { answerMs?: number } = {},
): Tokens {
  const entries = new Map<string, Entry>();

  async function ask(scheme: TokenScheme, upstream: Upstream, call: TokenCall) {
    let answer: PostAnswer;
    try {
      const client = createClient(call.origin, upstream.timeouts.connectMs, upstream.id);
      answer = await postOnce(client, call, { answerMs, bytesMax: answerBytesMax });
    } catch {
      const fault: Fault = { kind: "network", note: "the token's issuer could not be reached" };
      return { outcome: fault, forMs: refusedMs };
    }
    const read = tokenIn(scheme, answer);
    if (read === undefined) {
      const isTheirs = answer.status >= 500 || answer.status === 429;
      const fault: Fault = {
        kind: isTheirs ? "server" : "upstream_auth",
        status: answer.status,
        note: "the token's issuer gave no token",
      };
      return { outcome: fault, forMs: refusedMs };
    }
    const forMs = Math.min(lifeMsMax, read.expiresInSeconds * 1_000) - earlyMs;
    return { outcome: read.token, forMs: Math.max(1_000, forMs) };
  }

  // The options are part of the name because they select the issuer and the scope.
  const nameOf = (upstream: Upstream, credential: string): string =>
    `${upstream.id}\n${upstream.provider}\n${upstream.baseUrl}\n${JSON.stringify(upstream.options ?? {})}\n${credential}`;

  return {
    get(scheme, upstream, credential) {
      const name = nameOf(upstream, credential);
      const known = entries.get(name);
      const nowMs = clock.elapsedMs();
      if (known?.asking !== undefined) return known.asking;
      if (known?.outcome !== undefined && nowMs < known.untilMs) {
        return typeof known.outcome === "string" ? known.outcome : Promise.resolve(known.outcome);
      }
      const call = callOf(scheme, upstream, credential, clock.wallMs());
      if (call === undefined) return credential;
      if ("kind" in call) return Promise.resolve(call);
      if (entries.size >= tokensMax) entries.clear();
      const asking = ask(scheme, upstream, call).then(({ outcome, forMs }) => {
        entries.set(name, { outcome, asking: undefined, untilMs: clock.elapsedMs() + forMs });
        return outcome;
      });
      entries.set(name, { outcome: undefined, asking, untilMs: 0 });
      return asking;
    },
    forget(upstream, credential) {
      const name = nameOf(upstream, credential);
      if (typeof entries.get(name)?.outcome === "string") entries.delete(name);
    },
  };
}
