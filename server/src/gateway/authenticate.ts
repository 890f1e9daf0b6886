/**
 * Step 2, authenticate: header → key and account. A malformed key is refused before any lookup; a good one comes from
 * memory, kept true by the store's feed of changes. A database that cannot answer is never turned into a 401.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { checkApiKeyShape, digestApiKey } from "../domain/api-key.ts";
import type { Clock } from "../lib/clock.ts";
import type { AccountStatus, ApiKey, KeyWithAccount, Store } from "../store/store.ts";

/** Who is calling. */
export interface Caller {
  readonly key: ApiKey;
  /** Public model ids the key may use; undefined = all. */
  readonly models: ReadonlySet<string> | undefined;
}

interface Entry extends Caller {
  readonly accountStatus: AccountStatus;
}

export interface Authenticator {
  /** Throws the 401/403 that fits; answers at once from memory where it can. */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
  /** Forgets what changed. `kind` and `subject` as in the store's feed. */
  forget(kind: "key" | "account", subject: string): void;
}

/** Headers seen lately, so that a busy key is neither checked nor hashed again on every call. */
const recentMax = 4_096;
const knownKeysMax = 100_000;
const unknownKeysMax = 10_000;

const missing = () =>
  new GatewayError("invalid_api_key", {
    message: "No API key was sent. Send it as a header: Authorization: Bearer sk-plaza-…",
  });

/** The secret of an `Authorization: Bearer …` header; throws when there is none. */
function bearerSecret(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length === 0) throw missing();
  const scheme = authorization.slice(0, 7);
  if (scheme !== "Bearer " && scheme.toLowerCase() !== "bearer ") {
    throw new GatewayError("invalid_api_key", {
      message: "The Authorization header must be of the form: Bearer sk-plaza-…",
    });
  }
  const secret = authorization.slice(7).trim();
  if (secret.length === 0) throw missing();
  if (!checkApiKeyShape(secret)) {
    throw new GatewayError("invalid_api_key", {
      message:
        "This is not a Plaza API key, or it was mistyped or cut short: keys begin with sk-plaza- and carry a checksum that does not match here.",
    });
  }
  return secret;
}

function judge(entry: Entry, nowMs: number): Caller {
  const { key } = entry;
  if (key.status === "revoked") {
    throw new GatewayError("invalid_api_key", { message: "This API key was revoked. Use another one." });
  }
  if (key.status === "disabled") throw new GatewayError("api_key_disabled");
  if (key.expiresAt !== null && key.expiresAt <= nowMs) {
    throw new GatewayError("api_key_expired", {
      message: `This API key expired on ${new Date(key.expiresAt).toISOString()}. Use another one.`,
    });
  }
  if (entry.accountStatus === "closed") {
    throw new GatewayError("account_suspended", { message: "This account is closed." });
  }
  if (entry.accountStatus !== "active") throw new GatewayError("account_suspended");
  return entry;
}

const unknownKey = () =>
  new GatewayError("invalid_api_key", {
    message: "This API key does not exist. Check that it is the right one.",
  });

export function createAuthenticator(options: { store: Store; clock: Clock }): Authenticator {
  const { store, clock } = options;
  const known = new Map<string, Entry>();
  const recent = new Map<string, Entry>();
  const unknown = new Set<string>();
  const lookups = new Map<string, Promise<KeyWithAccount | undefined>>();

  function remember(digest: string, found: KeyWithAccount): Entry {
    if (known.size >= knownKeysMax) {
      const oldest = known.keys().next().value;
      if (oldest !== undefined) known.delete(oldest);
    }
    const entry: Entry = {
      key: found.key,
      models: found.key.models === null ? undefined : new Set(found.key.models),
      accountStatus: found.accountStatus,
    };
    known.set(digest, entry);
    return entry;
  }

  async function lookUp(digest: string): Promise<Caller> {
    let lookup = lookups.get(digest);
    if (lookup === undefined) {
      lookup = store.findKeyByDigest(digest).finally(() => lookups.delete(digest));
      lookups.set(digest, lookup);
    }
    let found: KeyWithAccount | undefined;
    try {
      found = await lookup;
    } catch {
      throw new GatewayError("ledger_unavailable", {
        message: "The API key cannot be checked at the moment. Try again shortly.",
      });
    }
    if (found === undefined) {
      if (unknown.size >= unknownKeysMax) unknown.clear();
      unknown.add(digest);
      throw unknownKey();
    }
    return judge(remember(digest, found), clock.wallMs());
  }

  return {
    authenticate(authorization) {
      const seen = authorization === undefined ? undefined : recent.get(authorization);
      if (seen !== undefined) return judge(seen, clock.wallMs());
      const digest = digestApiKey(bearerSecret(authorization));
      const entry = known.get(digest);
      if (entry !== undefined) {
        if (recent.size >= recentMax) recent.clear();
        recent.set(authorization ?? "", entry);
        return judge(entry, clock.wallMs());
      }
      if (unknown.has(digest)) throw unknownKey();
      return lookUp(digest);
    },
    forget(kind, subject) {
      unknown.clear();
      recent.clear();
      for (const [digest, entry] of known) {
        const id = kind === "key" ? entry.key.id : entry.key.accountId;
        if (id === subject) known.delete(digest);
      }
    },
  };
}
