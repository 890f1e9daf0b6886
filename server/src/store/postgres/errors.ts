/**
 * Converts PostgreSQL's error codes and the driver's errors to StoreError. Codes: appendix A of PostgreSQL's
 * manual. Messages name a database by host, port and name; they never contain the URL's user or password.
 */
import pg from "pg";
import { StoreError, type StoreErrorCode, storeErrorOf } from "../error.ts";

/** Whether the error occurred while connecting or on an open connection. */
type Moment = "connecting" | "asking";

type Explained = readonly [code: StoreErrorCode, text: string];

/** Codes an operator can act on. `{at}`: the database's address, `{reason}`: the server's message. */
const texts: Readonly<Record<string, Explained>> = {
  "28000": [
    "cannot_open",
    "{at} refuses the user of the URL: check the user name and the server's pg_hba.conf",
  ],
  "28P01": ["cannot_open", "{at} refuses the password of the URL: check user name and password"],
  "3D000": ["cannot_open", "{at} does not exist: create it, or correct the name in the URL"],
  "42501": [
    "cannot_open",
    "{at} lacks a right for the user of the URL ({reason}): make that user the owner of the database",
  ],
  "53300": [
    "unavailable",
    "{at} has no connection left: raise max_connections or run fewer processes; a running Plaza then goes on by itself",
  ],
  "57014": [
    "unavailable",
    "{at} takes too long to answer: look for overload or locks there; a running Plaza then goes on by itself",
  ],
  "25006": [
    "read_only",
    "{at} is read-only: point Plaza at the primary server, or end the read-only mode (default_transaction_read_only)",
  ],
  "53100": ["disk_full", "the disk of {at} is full: free some space; a running Plaza then goes on by itself"],
  "58030": ["io", "the disk of {at} fails ({reason}): check the disk and the server's log"],
  XX001: ["damaged", "{at} is damaged ({reason}): restore it from a backup"],
  XX002: ["damaged", "{at} has a damaged index ({reason}): reindex it, or restore it from a backup"],
  "55P03": [
    "locked",
    "another session keeps {at} locked: find it (a migration, a backup, a shell) and end it",
  ],
  "40001": ["locked", "{at} could not order this change among others at the same time: try again"],
  "40P01": ["locked", "{at} could not order this change among others at the same time: try again"],
};

const goesOn: Explained = [
  "unavailable",
  "{at} is not available ({reason}): check that the server runs and can be reached; a running Plaza then goes on by itself",
];

/** Classes of codes: the first two characters are enough. */
const classes: Readonly<Record<string, Explained>> = {
  // 08 connection, 53 insufficient resources, 57 operator intervention, 25P0x the session was ended.
  "08": goesOn,
  "53": goesOn,
  "57": goesOn,
  "22": ["invalid", "{reason}"],
  "23": ["invalid", "{reason}"],
};

/** Explanations of system errors of a connection. */
const systemReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  ETIMEDOUT: "it does not answer",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host's name cannot be looked up now",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to network",
  ENOENT: "no such socket",
};

/** Explanations of the driver's own errors, whose texts are about its internals. */
const driverReasons: readonly (readonly [RegExp, string])[] = [
  [/read timeout|connection timeout|timeout exceeded/i, "it does not answer in time"],
  [/terminated|not queryable|closed/i, "the connection was lost"],
];

/** PostgreSQL's five-character code (SQLSTATE); undefined for errors that did not come from the server. */
function sqlState(thrown: unknown): string | undefined {
  return thrown instanceof pg.DatabaseError ? thrown.code : undefined;
}

function explain(state: string): Explained | undefined {
  if (state === "23505") return ["duplicate", "{reason}"];
  if (state.startsWith("25P")) return goesOn;
  return texts[state] ?? classes[state.slice(0, 2)];
}

function reasonOf(error: Error & { code?: unknown }): string {
  const known = typeof error.code === "string" ? systemReasons[error.code] : undefined;
  return known ?? driverReasons.find(([pattern]) => pattern.test(error.message))?.[1] ?? error.message;
}

/** True when the connection cannot be used after this error. In doubt, it is closed. */
export function isConnectionLost(thrown: unknown): boolean {
  const state = sqlState(thrown);
  if (state === undefined) return true;
  const { severity } = thrown as pg.DatabaseError;
  return severity === "FATAL" || severity === "PANIC" || state.startsWith("08");
}

/**
 * A StoreError that says what to do, if the code is known; else the value itself. `at` names the database.
 */
export function toStoreError(thrown: unknown, at: string, moment: Moment): unknown {
  if (thrown instanceof StoreError || !(thrown instanceof Error)) return thrown;
  const error = ([code, text]: Explained, reason: string) =>
    storeErrorOf(
      code,
      text.replace("{at}", () => at).replace("{reason}", () => reason),
      undefined,
      { cause: thrown },
    );
  const state = sqlState(thrown);
  if (state !== undefined) {
    const explained = explain(state);
    return explained === undefined ? thrown : error(explained, thrown.message);
  }
  // The driver cannot encode a value; nothing was sent to the database.
  if (thrown instanceof TypeError || thrown instanceof RangeError) return thrown;
  if (moment === "connecting" && /SASL|SSL|password must be/i.test(thrown.message)) {
    return error(
      ["cannot_open", "{at} cannot be opened ({reason}): check the password and the sslmode of the URL"],
      thrown.message,
    );
  }
  const { code } = thrown as { code?: unknown };
  if (moment === "connecting" && typeof code === "string" && /CERT|^ERR_(TLS|SSL)/.test(code)) {
    return error(
      [
        "cannot_open",
        "{at} shows a TLS certificate that is not trusted ({reason}): give its authority with sslrootcert=FILE in the URL",
      ],
      thrown.message,
    );
  }
  return error(goesOn, reasonOf(thrown));
}
