/**
 * Signs in through an OpenID Connect provider: code flow with PKCE, state and nonce. State shared by the two
 * steps is in a sealed cookie for ten minutes. The library handles protocol and tokens; the store finds the
 * user.
 */
import type * as OpenId from "openid-client";
import type { Config } from "../../config/config.ts";
import { seal, unseal } from "../../lib/secret.ts";
import { StoreError } from "../../store/error.ts";
import type { Identity } from "../../store/people/people.ts";
import type { Call, ControlContext } from "../context.ts";

const cookieName = "plaza_oidc";
const sealContext = "console oidc";
const cookieSeconds = 600;
/** Milliseconds after which the provider's configuration is fetched again. */
const discoveryMs = 60 * 60_000;
const timeoutSeconds = 10;

/** Why sign-in failed; the sign-in page has a message for each. */
export type OidcFailure =
  | "not_configured"
  | "unreachable"
  | "expired"
  | "refused"
  | "invalid"
  | "unverified"
  | "unknown"
  | "disabled";

/** Thrown to abort the flow. */
export class OidcError extends Error {
  readonly failure: OidcFailure;

  constructor(failure: OidcFailure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

export function isOidcSet(config: Config): boolean {
  return config.oidcIssuer !== undefined && config.oidcClientId !== undefined;
}

const library = (): Promise<typeof OpenId> => import("openid-client");

/** The secret is sent in a header if the provider supports that, else in the body. */
function authenticationOf(client: typeof OpenId, secret: string | undefined): OpenId.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const chosen = methods.includes("client_secret_basic") ? basic : post;
    return chosen(server, metadata, body, headers);
  };
}

interface Discovered {
  readonly key: string;
  readonly untilMs: number;
  readonly configuration: Promise<OpenId.Configuration>;
}

let discovered: Discovered | undefined;

async function discover({
  oidcIssuer,
  oidcClientId,
  oidcClientSecret,
}: Config): Promise<OpenId.Configuration> {
  if (oidcIssuer === undefined || oidcClientId === undefined) throw new OidcError("not_configured");
  const client = await library();
  const issuer = new URL(oidcIssuer);
  // The settings allow http only on loopback.
  const execute = issuer.protocol === "http:" ? [client.allowInsecureRequests] : [];
  return await client.discovery(issuer, oidcClientId, undefined, authenticationOf(client, oidcClientSecret), {
    execute,
    timeout: timeoutSeconds,
  });
}

/** The provider's configuration, cached for an hour; failures are not cached. */
async function configurationOf({ config, clock }: ControlContext): Promise<OpenId.Configuration> {
  const key = JSON.stringify([config.oidcIssuer, config.oidcClientId, config.oidcClientSecret ?? null]);
  const nowMs = clock.elapsedMs();
  if (discovered === undefined || discovered.key !== key || discovered.untilMs <= nowMs)
    discovered = { key, untilMs: nowMs + discoveryMs, configuration: discover(config) };
  try {
    return await discovered.configuration;
  } catch (error) {
    discovered = undefined;
    throw error instanceof OidcError ? error : new OidcError("unreachable", { cause: error });
  }
}

/** What the second step needs from the first. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnTo: string;
  readonly untilMs: number;
}

/** A path of the console; anything that a browser could take for another site becomes the front page. */
export function localPath(given: string | undefined, site: string): string {
  if (given === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(given)) return "/";
  const url = URL.parse(given, site);
  if (url === null || url.origin !== new URL(site).origin) return "/";
  // Normalizing dots may leave a path that begins with two slashes.
  if (/^\/(?:\/|api\/)/.test(url.pathname)) return "/";
  return url.pathname + url.search + url.hash;
}

/** First step: the URL to send the browser to. Throws OidcError. */
export async function beginOidc(context: ControlContext, call: Call, returnTo?: string): Promise<string> {
  const configuration = await configurationOf(context);
  const client = await library();
  const begun: Begun = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    redirectUri: `${call.from.site}/api/oidc/callback`,
    returnTo: localPath(returnTo, call.from.site),
    untilMs: context.clock.wallMs() + cookieSeconds * 1_000,
  };
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: begun.redirectUri,
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: "S256",
    state: begun.state,
    nonce: begun.nonce,
  });
  call.cookies.set(cookieName, seal(JSON.stringify(begun), context.secretKey(), sealContext), cookieSeconds);
  return address.href;
}

function readBegun({ secretKey, clock }: ControlContext, { cookies }: Call): Begun {
  const sealed = cookies.get(cookieName);
  cookies.clear(cookieName);
  if (sealed === undefined) throw new OidcError("expired");
  let begun: Begun;
  try {
    begun = JSON.parse(unseal(sealed, secretKey(), sealContext)) as Begun;
  } catch (cause) {
    throw new OidcError("expired", { cause });
  }
  if (begun.untilMs <= clock.wallMs()) throw new OidcError("expired");
  return begun;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 200) : undefined;

/** An address counts only when the provider says it has checked it. */
function identityOf(issuer: string, subject: string, claims: Readonly<Record<string, unknown>>): Identity {
  const given = textOf(claims["email"]);
  const isVerified =
    claims["email_verified"] === true && given !== undefined && /^[^\s@]+@[^\s@]+$/.test(given);
  const email = isVerified ? given.normalize("NFC").toLowerCase() : null;
  const name = textOf(claims["name"]) ?? textOf(claims["preferred_username"]) ?? email ?? subject;
  return { issuer, subject: subject.slice(0, 255), email, name: name.replace(/\p{Cc}/gu, "").slice(0, 200) };
}

/** Second step, with the parameters from the provider. Throws OidcError. */
async function fetchIdentity(context: ControlContext, call: Call, begun: Begun): Promise<Identity> {
  const configuration = await configurationOf(context);
  const client = await library();
  const back = new URL(call.url.search, begun.redirectUri);
  if (back.searchParams.get("error") === "access_denied") throw new OidcError("refused");
  try {
    const tokens = await client.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new OidcError("invalid");
    const isWhole =
      claims["email"] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
    const more = isWhole ? {} : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return identityOf(claims.iss, claims.sub, { ...claims, ...more });
  } catch (cause) {
    throw cause instanceof OidcError ? cause : new OidcError("invalid", { cause });
  }
}

export interface Arrived {
  readonly userId: string;
  readonly how: "known" | "linked" | "joined";
  readonly returnTo: string;
}

/** The Plaza user of the provider's identity, and the page to return to. Throws OidcError. */
export async function finishOidc(context: ControlContext, call: Call): Promise<Arrived> {
  const { store, config, clock, newId } = context;
  const begun = readBegun(context, call);
  const identity = await fetchIdentity(context, call, begun);
  const signUp = config.oidcSignUp === "on" ? { accountId: newId("acc") } : undefined;
  const making = { userId: newId("usr"), signUp, nowMs: clock.wallMs() };
  // The same person may arrive twice at the same time; the second request finds what the first one created.
  const outcome = await store.findIdentity(identity, making).catch((error: Error) => {
    if (error instanceof StoreError && error.code === "duplicate")
      return store.findIdentity(identity, making);
    throw error;
  });
  if (outcome.kind === "unknown") throw new OidcError(identity.email === null ? "unverified" : "unknown");
  const user = await store.findUser(outcome.userId);
  if (user?.status !== "active") throw new OidcError("disabled");
  return { userId: user.id, how: outcome.kind, returnTo: begun.returnTo };
}

/** For the log. The library's messages contain nothing of what was sent. */
export function reasonOf({ failure, cause }: OidcError): string {
  return cause instanceof Error ? `${failure}: ${cause.message}` : failure;
}
