/**
 * Returns the credential to present to an upstream: unchanged, or exchanged for an access token. Reveals no
 * secret and no issuer text.
 */

import { type Upstream, workloadIdentity } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { IdentityFailure } from "../identity/failure.ts";
import type { MachineIdentity } from "../identity/machine-identity.ts";
import type { CreateHttpClient } from "../lib/net/http-client.ts";
import { type PostAnswer, postOnce } from "../lib/net/post-once.ts";
import type { TokenScheme } from "../providers/provider.ts";
import { ConnectFailure } from "./failure.ts";

const bytesMax = 256 * 1024;
const connectMs = 5_000;

const broken = (): ConnectFailure =>
  new ConnectFailure("credential_refused", message("connect.credentialBroken"), "credential");

export interface TokenAsk {
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly timeoutMs: number;
  readonly createClient: CreateHttpClient;
  readonly identity: MachineIdentity;
}

/** Asks the machine for its identity. Throws a `ConnectFailure`. */
async function identify(scheme: TokenScheme | undefined, upstream: Upstream, asked: TokenAsk) {
  const request = scheme?.identity?.(upstream);
  if (request === undefined) {
    const { provider } = upstream;
    throw new ConnectFailure(
      "credential_refused",
      message("identity.notSupported", { provider }),
      "credential",
    );
  }
  try {
    return await asked.identity.get(request, {
      open: (origin) => asked.createClient(origin, connectMs, upstream.id),
      limitMs: asked.timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof IdentityFailure)) throw error;
    const codes = { network: "unreachable", server: "upstream_error", refused: "credential_refused" };
    throw new ConnectFailure(codes[error.kind], error.messageRef);
  }
}

/** Throws a `ConnectFailure` when no token can be obtained in time. */
export async function presentable(
  scheme: TokenScheme | undefined,
  upstream: Upstream,
  credential: string,
  asked: TokenAsk,
): Promise<string> {
  if (credential === workloadIdentity) {
    const found = await identify(scheme, upstream, asked);
    return "secret" in found ? found.secret : await presentable(scheme, upstream, found.credential, asked);
  }
  let call: ReturnType<TokenScheme["call"]>;
  try {
    call = scheme?.call(credential, upstream, asked.nowMs);
  } catch {
    // The error itself is not reported: a parser's message may quote the secret.
    throw broken();
  }
  if (scheme === undefined || call === undefined) return credential;
  const { origin } = call;
  let answer: PostAnswer;
  try {
    const client = asked.createClient(origin, connectMs, upstream.id);
    answer = await postOnce(client, call, { answerMs: asked.timeoutMs, bytesMax });
  } catch {
    throw new ConnectFailure(
      "unreachable",
      message("connect.unreachable", { place: origin, why: message("connect.noToken") }),
    );
  }
  const read = answer.status === 200 ? scheme.read(answer.body) : undefined;
  if (read !== undefined) return read.token;
  throw new ConnectFailure(
    answer.status >= 500 || answer.status === 429 ? "upstream_error" : "credential_refused",
    message("connect.tokenRefused", { place: origin, status: answer.status }),
  );
}
