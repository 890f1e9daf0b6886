/**
 * Access tokens for credentials that have to be exchanged for one (a service account, an application's
 * secret): asked for once, shared by all who need it meanwhile, kept until shortly before they run out.
 * Tokens live in memory only and are never logged.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type PostAnswer, postOnce } from "../../lib/net/post-once.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Fault } from "../../protocols/protocol.ts";
import type { TokenScheme } from "../../providers/provider.ts";

/** A token is renewed this long before its end, so that none runs out on its way. */
const earlyMs = 120_000;
const lifeMsMax = 24 * 3_600_000;
/** An issuer that has not answered by then will not. */
const issuerMs = 10_000;
const answerBytesMax = 256 * 1024;
/** After a refusal the same credential is not presented again for a moment. */
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
   * The token for a credential, or why there is none. A credential that needs no exchange is its own token.
   */
  get(scheme: TokenScheme, upstream: Upstream, credential: string): string | Promise<Outcome>;
  /**
   * The upstream refused what was got for this credential: the next one to need a token asks for a new one.
   */
  forget(upstream: Upstream, credential: string): void;
}

/**
 * The call that asks for a token; a fault where the credential is broken,
 * which shows before anything is sent.
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
    // What is wrong with it is not told: a parser's message may quote the secret.
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

/** `answerMs`: how long an issuer may take, whatever it does meanwhile. */
export function createTokens(clock: Clock, { answerMs = issuerMs }: { answerMs?: number } = {}): Tokens {
  const entries = new Map<string, Entry>();

  async function ask(scheme: TokenScheme, upstream: Upstream, call: TokenCall) {
    let answer: PostAnswer;
    try {
      answer = await postOnce(call, {
        connectMs: upstream.timeouts.connectMs,
        answerMs,
        bytesMax: answerBytesMax,
      });
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

  // The options say who is asked, and for what.
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
