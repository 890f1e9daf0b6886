/**
 * Step 2, authenticate: header → key and account. A malformed key is refused before any lookup;
 * a good one comes from memory, kept true by the store's feed of changes. A database that
 * cannot answer is never turned into a 401.
 */

import { type ErrorCode, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { checkApiKeyShape, digestApiKey, maskApiKey } from "../../domain/keys/api-key.ts";
import {
  innermostAddress,
  isInside,
  type Network,
  parseAddress,
  parseNetwork,
} from "../../lib/net/address.ts";
import type { RequestHeaders } from "../../lib/net/exchange.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { AccountLimits, AccountStatus } from "../../store/accounts/account-shapes.ts";
import type { ApiKey, ApiKeysStore, KeyWithAccount } from "../../store/accounts/key-shapes.ts";
import { type CallerUnderWay, createCallersUnderWay } from "../gate/callers-under-way.ts";
import type { Strangers } from "./refusals.ts";

/** Who is calling. */
export interface Caller {
  readonly key: ApiKey;
  /** Public model ids the key may use; undefined = all. */
  readonly models: ReadonlySet<string> | undefined;
  /** The account's own limits; the catalog's apply where they are null. */
  readonly accountLimits: AccountLimits;
  /**
   * Why its calls under way have to end: the key or its account was shut down after
   * they began. Looked at while they run.
   */
  readonly ended?: GatewayError | undefined;
}

interface Entry extends Caller, CallerUnderWay {
  readonly digest: string;
  readonly accountStatus: AccountStatus;
  readonly key: ApiKey;
  ended: GatewayError | undefined;
  /** Is it the one in memory, found again when its key or account changes? */
  isKnown: boolean;
  /** How many changes had been heard of when it was read. */
  readonly asOf: number;
  /** Where the key may be used from; undefined = anywhere. */
  readonly networks: readonly Network[] | undefined;
}

export interface Authenticator {
  /**
   * Throws the 401/403 that fits; answers at once from memory where it can. `authorization`: what
   * `presentedKey` found. `sent` is the request, asked for its sender only where the key cares.
   */
  authenticate(authorization: string | undefined, sent: Sent): Caller | Promise<Caller>;
  /**
   * A call of this caller begins; from now on `caller.ended` is kept true, until `end` is called as often.
   */
  begin(caller: Caller): void;
  end(caller: Caller): void;
  /**
   * Forgets what changed, and looks again at those that have calls under way. `kind` and `subject` as in the
   * store's feed. Resolves when those were looked at; never rejects.
   */
  forget(kind: "key" | "account", subject: string): Promise<void>;
}

/** Headers seen lately, so that a busy key is neither checked nor hashed again on every call. */
const recentMax = 4_096;
const knownKeysMax = 100_000;
const unknownKeysMax = 10_000;
/** Lookups of one request, when keys change while the store answers. */
const lookupsMax = 3;

const bearer = "Bearer ";

/**
 * The words every 401 begins with: clients built on LiteLLM know a wrong key by them, and
 * report anything else as a bad request.
 */
function incorrectKey(
  authorization: string,
  why: Message,
  code: ErrorCode = "invalid_api_key",
): GatewayError {
  const shown = maskApiKey(authorization.slice(bearer.length).trim());
  return new GatewayError(code, { message: message("call.keyIncorrect", { shown, why }) });
}

const missing = () =>
  new GatewayError("invalid_api_key", {
    message: message("call.keyMissing"),
  });

/**
 * The key a request presents, as an Authorization header says it. Clients made for Azure
 * and Anthropic send it in a header of their own, which is read where Authorization is
 * absent or of another scheme (a proxy's, say).
 */
export function presentedKey(headers: RequestHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization?.startsWith(bearer) === true) return authorization;
  const apiKey = headers["x-api-key"] || headers["api-key"];
  if (typeof apiKey !== "string" || apiKey === "" || isBearer(authorization)) return authorization;
  return isBearer(apiKey) ? apiKey : bearer + apiKey;
}

function isBearer(text: string | undefined): boolean {
  return text?.slice(0, bearer.length).toLowerCase() === bearer.toLowerCase();
}

/** The secret of what `presentedKey` found; throws when there is none. */
function bearerSecret(authorization: string): string {
  if (authorization === "") throw missing();
  if (!isBearer(authorization)) {
    throw new GatewayError("invalid_api_key", {
      message: message("call.keyForm"),
    });
  }
  const secret = authorization.slice(bearer.length).trim();
  if (secret.length === 0) throw missing();
  if (!checkApiKeyShape(secret)) {
    throw incorrectKey(authorization, message("call.keyNotOurs"));
  }
  return secret;
}

/** Throws where the key may not be used from there; an address nobody knows is on no list. */
function checkSender(networks: readonly Network[], sender: string): void {
  const bytes = parseAddress(sender);
  const address = bytes && innermostAddress(bytes);
  if (address !== undefined && networks.some((network) => isInside(address, network))) return;
  throw new GatewayError("ip_not_allowed", {
    message:
      sender === "" ? message("call.addressUnknown") : message("call.addressOther", { address: sender }),
  });
}

/** Throws where the key cannot be used now. `authorization`: what was sent, to be named in the refusal. */
function judge(entry: Entry, authorization: string, nowMs: number): Caller {
  const { key } = entry;
  if (key.status === "revoked") throw incorrectKey(authorization, message("call.keyRevoked"));
  if (key.status === "disabled") {
    throw incorrectKey(authorization, message("call.keyDisabled"), "api_key_disabled");
  }
  if (key.expiresAt !== null && key.expiresAt <= nowMs) {
    const expired = new Date(key.expiresAt).toISOString();
    throw incorrectKey(authorization, message("call.keyExpired", { expired }), "api_key_expired");
  }
  if (entry.accountStatus === "closed") {
    throw new GatewayError("account_suspended", { message: message("account.closed") });
  }
  if (entry.accountStatus !== "active") throw new GatewayError("account_suspended");
  return entry;
}

/** A network of a key's list; one of IPv4 addresses written as IPv6 is what it is. */
function readKeyNetwork(text: string): Network | undefined {
  const network = parseNetwork(text);
  if (network === undefined || network.bytes.length === 4) return network;
  const inner = innermostAddress(network.bytes);
  return inner.length === 4 && network.bits >= 96 ? { bytes: inner, bits: network.bits - 96 } : network;
}

const entryOf = (digest: string, found: KeyWithAccount, asOf: number): Entry => ({
  digest,
  asOf,
  ended: undefined,
  running: 0,
  isKnown: false,
  key: found.key,
  models: found.key.models === null ? undefined : new Set(found.key.models),
  accountStatus: found.accountStatus,
  accountLimits: found.accountLimits,
  networks: found.key.ips === null ? undefined : found.key.ips.flatMap((text) => readKeyNetwork(text) ?? []),
});

/**
 * Why calls that began under `before` must not go on as things are now. A date of expiry that was set when
 * they began lets them finish; one that was moved does not.
 */
function endOf(before: Entry, found: KeyWithAccount | undefined, nowMs: number): GatewayError | undefined {
  const named = bearer + before.key.visiblePrefix;
  if (found === undefined) return incorrectKey(named, message("call.keyEnded"));
  const now = entryOf(before.digest, found, before.asOf);
  const isSameDate = now.key.expiresAt === before.key.expiresAt;
  try {
    judge(isSameDate ? { ...now, key: { ...now.key, expiresAt: null } } : now, named, nowMs);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

const unknownKey = (authorization: string) => incorrectKey(authorization, message("call.keyUnknown"));

/** `senderOf` tells the address a request came from. */
export function createAuthenticator(options: {
  store: ApiKeysStore;
  clock: Clock;
  senderOf: (sent: Sent) => string;
  /** Counts calls whose key nobody knows; absent = nobody counts. */
  strangers?: Strangers;
}): Authenticator {
  const { store, clock, senderOf, strangers } = options;
  const known = new Map<string, Entry>();
  const recent = new Map<string, Entry>();
  /**
   * Digests of keys that were found once: they are asked for again whatever strangers at their address do.
   */
  const proven = new Set<string>();
  const unknown = new Set<string>();
  const lookups = new Map<string, Promise<KeyWithAccount | undefined>>();
  const underWay = createCallersUnderWay<Entry>(async (entry) =>
    endOf(entry, await read(entry.digest), clock.wallMs()),
  );
  /** Counts the changes heard of: what was read before the last one may be untrue. */
  let changes = 0;

  function remember(digest: string, entry: Entry): void {
    if (known.size >= knownKeysMax) {
      const oldest = known.values().next().value;
      if (oldest !== undefined) release(oldest);
    }
    const before = known.get(digest);
    if (before !== undefined) release(before);
    entry.isKnown = true;
    known.set(digest, entry);
  }

  /** Takes it out of memory; its calls under way are still answered for. */
  function release(entry: Entry): void {
    known.delete(entry.digest);
    entry.isKnown = false;
    if (entry.running > 0) underWay.add(entry);
  }

  /**
   * Reads the key. Callers that come before a change share one reading;
   * those after it never get an older one.
   */
  function read(digest: string): Promise<KeyWithAccount | undefined> {
    const running = lookups.get(digest);
    if (running !== undefined) return running;
    const lookup = store.findKeyByDigest(digest).finally(() => {
      if (lookups.get(digest) === lookup) lookups.delete(digest);
    });
    lookups.set(digest, lookup);
    return lookup;
  }

  function admit(entry: Entry, authorization: string, sent: Sent): Caller {
    const caller = judge(entry, authorization, clock.wallMs());
    if (entry.networks !== undefined) checkSender(entry.networks, senderOf(sent));
    return caller;
  }

  /** What a caller without a good key is told; of an address with too many of them, to wait. */
  const refusalOf = (refusal: GatewayError, sent: Sent): GatewayError =>
    strangers?.count(sent, refusal) ?? refusal;

  function digestOf(authorization: string, sent: Sent): string {
    try {
      return digestApiKey(bearerSecret(authorization));
    } catch (refusal) {
      throw refusal instanceof GatewayError ? refusalOf(refusal, sent) : refusal;
    }
  }

  async function lookUp(digest: string, authorization: string, sent: Sent): Promise<Caller> {
    let found: KeyWithAccount | undefined;
    let asOf = changes;
    for (let turn = 0; turn === 0 || (turn < lookupsMax && asOf !== changes); turn += 1) {
      asOf = changes;
      try {
        found = await read(digest);
      } catch {
        throw new GatewayError("ledger_unavailable", {
          message: message("call.keyUnchecked"),
        });
      }
    }
    const isCurrent = asOf === changes;
    if (found === undefined) {
      if (unknown.size >= unknownKeysMax) unknown.clear();
      if (isCurrent) unknown.add(digest);
      throw refusalOf(unknownKey(authorization), sent);
    }
    if (proven.size >= knownKeysMax) proven.clear();
    proven.add(digest);
    const entry = entryOf(digest, found, asOf);
    // An ephemeral key ends with its session, of which no change tells: it is asked for each time.
    if (isCurrent && found.isEphemeral !== true) remember(digest, entry);
    return admit(entry, authorization, sent);
  }

  return {
    authenticate(authorization = "", sent) {
      const seen = recent.get(authorization);
      if (seen !== undefined) return admit(seen, authorization, sent);
      const digest = digestOf(authorization, sent);
      const entry = known.get(digest);
      if (entry !== undefined) {
        if (recent.size >= recentMax) recent.clear();
        recent.set(authorization, entry);
        return admit(entry, authorization, sent);
      }
      if (unknown.has(digest)) throw refusalOf(unknownKey(authorization), sent);
      const early = proven.has(digest) ? undefined : strangers?.refuseEarly(sent);
      if (early !== undefined) throw early;
      return lookUp(digest, authorization, sent);
    },
    begin(caller) {
      const entry = caller as Entry;
      entry.running += 1;
      if (entry.running > 1 || entry.isKnown) return;
      underWay.add(entry);
      // Something changed since it was read, perhaps this one.
      if (entry.asOf !== changes) void underWay.lookAgain(entry);
    },
    end(caller) {
      (caller as Entry).running -= 1;
    },
    async forget(kind, subject) {
      changes += 1;
      lookups.clear();
      unknown.clear();
      recent.clear();
      for (const entry of known.values()) {
        const id = kind === "key" ? entry.key.id : entry.key.accountId;
        if (id === subject) release(entry);
      }
      await underWay.lookAgainAtAll(kind, subject);
    },
  };
}
