/**
 * Authentication: finds the key and account of a request. A malformed key is refused before any lookup. Known
 * keys are answered from memory, which the store's change feed keeps current. A database failure never
 * becomes a 401.
 */

import { type ErrorCode, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import {
  checkApiKeyShape,
  checkImportedKeyShape,
  digestApiKey,
  maskApiKey,
} from "../../domain/keys/api-key.ts";
import {
  innermostAddress,
  isInside,
  type Network,
  parseAddress,
  parseNetwork,
} from "../../lib/net/address.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { AccountLimits, AccountStatus } from "../../store/accounts/account-shapes.ts";
import type { ApiKey, ApiKeysStore, KeyWithAccount } from "../../store/accounts/key-shapes.ts";
import { foreignKey } from "./key/foreign-key.ts";
import { ImportedKeys } from "./key/imported-keys.ts";
import { type KnownKey, KnownKeys, knownKeysMax } from "./key/known-keys.ts";
import { bearer, isBearer } from "./key/presented-key.ts";
import { RefusedHeaders } from "./key/refused-headers.ts";
import type { Strangers } from "./refusals/refusals.ts";

/** The key and account behind an authenticated request. */
export interface Caller {
  readonly key: ApiKey;
  /** Model ids the key may use; undefined = all. */
  readonly models: ReadonlySet<string> | undefined;
  /** The account's own limits; null fields fall back to the catalog's. */
  readonly accountLimits: AccountLimits;
  /** How long the account's responses are kept, in milliseconds; undefined: the installation's setting. */
  readonly responsesKeptMs?: number | undefined;
  /**
   * Set when the key or account is shut down while its calls run. Running calls check it and stop with this
   * error.
   */
  readonly ended?: GatewayError | undefined;
}

interface Entry extends Caller, KnownKey {
  readonly accountStatus: AccountStatus;
  readonly key: ApiKey;
  ended: GatewayError | undefined;
  /** Networks the key may be used from; undefined = any. */
  readonly networks: readonly Network[] | undefined;
}

export interface Authenticator {
  /**
   * The caller, or why there is none: 401, 403 or 429. Answers synchronously when the key is in memory or
   * need not be looked up; a promise rejects with the reason. `authorization`: the result of `presentedKey`.
   * `sent`: the request, read only when its address matters.
   */
  check(authorization: string | undefined, sent: Sent): Caller | GatewayError | Promise<Caller>;
  /** The same for code that is not called as often: throws the reason. */
  authenticate(authorization: string | undefined, sent: Sent): Caller | Promise<Caller>;
  /** Marks the start of a call. `caller.ended` stays current until each `begin` has its `end`. */
  begin(caller: Caller): void;
  end(caller: Caller): void;
  /**
   * Drops a changed key or account from memory and checks its running calls again. `kind` and `subject` come
   * from the change feed. Resolves when the check is done; never rejects.
   */
  forget(kind: "key" | "account", subject: string): Promise<void>;
}

/** Maximum number of cached Authorization headers. A cached one is neither parsed nor hashed again. */
const recentMax = 4_096;
/** Maximum number of lookups per request, when keys keep changing while the store answers. */
const lookupsMax = 3;

/**
 * Every 401 message starts with these words: clients built on LiteLLM recognise a wrong key by them and
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

/** Returns the secret in the result of `presentedKey`, or why it is none. */
function secretOf(authorization: string): string | GatewayError {
  if (authorization === "") return missing();
  if (!isBearer(authorization)) {
    return new GatewayError("invalid_api_key", {
      message: message("call.keyForm"),
    });
  }
  const secret = authorization.slice(bearer.length).trim();
  if (secret.length === 0) return missing();
  if (!checkApiKeyShape(secret)) {
    const { service, settings } = foreignKey(secret) ?? {};
    return incorrectKey(
      authorization,
      service === undefined || settings === undefined
        ? message("call.keyNotOurs")
        : message("call.keyOfOther", { service, settings }),
    );
  }
  return secret;
}

/** Returns the secret in a header whose secret is no Plaza key, if it may have been imported. */
function importedSecretOf(authorization: string): string | undefined {
  if (!isBearer(authorization)) return undefined;
  const secret = authorization.slice(bearer.length).trim();
  return checkImportedKeyShape(secret) ? secret : undefined;
}

/** Why the key may not be used from this address; an unknown address is never allowed. */
function refusalOfSender(networks: readonly Network[], sender: string): GatewayError | undefined {
  const bytes = parseAddress(sender);
  const address = bytes && innermostAddress(bytes);
  if (address !== undefined && networks.some((network) => isInside(address, network))) return undefined;
  return new GatewayError("ip_not_allowed", {
    message:
      sender === "" ? message("call.addressUnknown") : message("call.addressOther", { address: sender }),
  });
}

/**
 * Why the key or account cannot be used now; undefined when it can. `authorization`: the header, shown masked
 * in the error.
 */
function judge(entry: Entry, authorization: string, nowMs: number): GatewayError | undefined {
  const { key } = entry;
  if (key.status === "revoked") return incorrectKey(authorization, message("call.keyRevoked"));
  if (key.status === "disabled") {
    return incorrectKey(authorization, message("call.keyDisabled"), "api_key_disabled");
  }
  if (key.expiresAt !== null && key.expiresAt <= nowMs) {
    const expired = new Date(key.expiresAt).toISOString();
    return incorrectKey(authorization, message("call.keyExpired", { expired }), "api_key_expired");
  }
  if (entry.accountStatus === "closed") {
    return new GatewayError("account_suspended", { message: message("account.closed") });
  }
  return entry.accountStatus === "active" ? undefined : new GatewayError("account_suspended");
}

/** Parses a network of the key's list. An IPv4-mapped IPv6 network becomes plain IPv4. */
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
  responsesKeptMs: found.responsesKeptMs,
  networks: found.key.ips === null ? undefined : found.key.ips.flatMap((text) => readKeyNetwork(text) ?? []),
});

/**
 * Returns why calls that began with `before` must stop; undefined when they may go on. A call may outlive an
 * expiry date that was set before it began, but not one that was moved since.
 */
function endOf(before: Entry, found: KeyWithAccount | undefined, nowMs: number): GatewayError | undefined {
  const named = bearer + before.key.visiblePrefix;
  if (found === undefined) return incorrectKey(named, message("call.keyEnded"));
  const now = entryOf(before.digest, found, before.asOf);
  const isSameDate = now.key.expiresAt === before.key.expiresAt;
  return judge(isSameDate ? { ...now, key: { ...now.key, expiresAt: null } } : now, named, nowMs);
}

const unchecked = () =>
  new GatewayError("ledger_unavailable", {
    message: message("call.keyUnchecked"),
  });

function required<T>(checked: T | GatewayError): T {
  if (checked instanceof GatewayError) throw checked;
  return checked;
}

/** `senderOf` returns the client address of a request. */
export function createAuthenticator(options: {
  store: ApiKeysStore;
  clock: Clock;
  senderOf: (sent: Sent) => string;
  /** Limits calls with unknown keys by address; absent = no limit. */
  strangers?: Strangers;
}): Authenticator {
  const { store, clock, senderOf, strangers } = options;
  const known = new KnownKeys<Entry>(async (entry) => endOf(entry, await read(entry.digest), clock.wallMs()));
  const recent = new Map<string, Entry>();
  /** Digests of keys that exist. They are looked up even when their address has sent too many bad keys. */
  const proven = new Set<string>();
  /** Errors for headers with a key that is malformed, or unknown since the last change. */
  const refused = new RefusedHeaders();
  const imported = new ImportedKeys(store, clock);
  const lookups = new Map<string, Promise<KeyWithAccount | undefined>>();

  /**
   * Reads the key. Concurrent calls share one read, but a call that begins after a change never gets a read
   * from before it.
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

  function admit(entry: Entry, authorization: string, sent: Sent): Caller | GatewayError {
    const { networks } = entry;
    const refusal = judge(entry, authorization, clock.wallMs());
    return refusal ?? (networks && refusalOfSender(networks, senderOf(sent))) ?? entry;
  }

  /** Returns the error for a bad key; after too many from one address, the error that tells it to wait. */
  const refusalOf = (refusal: GatewayError, sent: Sent): GatewayError =>
    strangers?.count(sent, refusal) ?? refusal;

  /** False when the key can be refused without a look-up, because it is of a form that no stored key has. */
  async function mayBeStored(): Promise<boolean> {
    try {
      return await imported.any();
    } catch {
      throw unchecked();
    }
  }

  /** `foreign`: the refusal of a key that is none of ours, unless it was imported. */
  async function lookUp(
    digest: string,
    authorization: string,
    sent: Sent,
    foreign: GatewayError | undefined,
  ): Promise<Caller> {
    if (foreign !== undefined && !(await mayBeStored())) {
      if (imported.isNone) refused.add(authorization, foreign);
      throw refusalOf(foreign, sent);
    }
    let found: KeyWithAccount | undefined;
    let asOf = known.changes;
    for (let turn = 0; turn === 0 || (turn < lookupsMax && asOf !== known.changes); turn += 1) {
      asOf = known.changes;
      try {
        found = await read(digest);
      } catch {
        throw unchecked();
      }
    }
    const isCurrent = asOf === known.changes;
    if (found === undefined) {
      const refusal = foreign ?? incorrectKey(authorization, message("call.keyUnknown"));
      if (isCurrent) refused.add(authorization, refusal);
      throw refusalOf(refusal, sent);
    }
    if (proven.size >= knownKeysMax) proven.clear();
    proven.add(digest);
    const entry = entryOf(digest, found, asOf);
    // No change event is sent when a session ends, so ephemeral keys are read from the store on every call.
    if (isCurrent && found.isEphemeral !== true) known.remember(entry);
    return required(admit(entry, authorization, sent));
  }

  function check(authorization = "", sent: Sent): Caller | GatewayError | Promise<Caller> {
    const seen = recent.get(authorization);
    if (seen !== undefined) return admit(seen, authorization, sent);
    const remembered = refused.get(authorization);
    if (remembered !== undefined) return refusalOf(remembered, sent);
    const secret = secretOf(authorization);
    if (typeof secret === "string") return checkDigest(digestApiKey(secret), authorization, sent, undefined);
    const foreign = importedSecretOf(authorization);
    if (foreign === undefined || imported.isNone) return refusalOf(refused.add(authorization, secret), sent);
    return checkDigest(digestApiKey(foreign), authorization, sent, secret);
  }

  /** `foreign`: as for `lookUp`. */
  function checkDigest(
    digest: string,
    authorization: string,
    sent: Sent,
    foreign: GatewayError | undefined,
  ): Caller | GatewayError | Promise<Caller> {
    const entry = known.get(digest);
    if (entry !== undefined) {
      if (recent.size >= recentMax) recent.clear();
      recent.set(authorization, entry);
      return admit(entry, authorization, sent);
    }
    return (
      (proven.has(digest) ? undefined : strangers?.refuseEarly(sent)) ??
      lookUp(digest, authorization, sent, foreign)
    );
  }

  return {
    check,
    authenticate: (authorization, sent) => required(check(authorization, sent)),
    begin: (caller) => known.begin(caller as Entry),
    end(caller) {
      (caller as Entry).running -= 1;
    },
    forget(kind, subject) {
      lookups.clear();
      refused.clear();
      recent.clear();
      if (kind === "key") imported.changed();
      return known.forget(kind, subject);
    },
  };
}
