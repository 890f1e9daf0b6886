/**
 * Reads the address of a MySQL or MariaDB server: a URL, or what new-api has in `SQL_DSN`
 * (`user:password@tcp(host:port)/database?parameters`, where nothing but parameters is percent-encoded).
 */
import { CommandFailure } from "../failure.ts";

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Absent: a plain connection. */
  readonly ssl?: { readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean };
}

const portDefault = 3_306;

const url = /^(?:mysql|mariadb):\/\//;
/** The password may contain every character, so it ends before the last `@tcp(`. */
const dsn = /^([^:@]*)(?::(.*))?@tcp\(([^()]*)\)\/([^/?]*)(?:\?(.*))?$/s;

/** True for an address of a MySQL or MariaDB server, valid or not. */
export const isMysqlAddress = (place: string): boolean => url.test(place) || /@(?:tcp|unix)\(/.test(place);

const invalid = (why: string): CommandFailure => new CommandFailure("invalid_address", why, 2);

/** Reads the parameters that decide about TLS, as new-api's driver names them; ignores all others. */
function tlsOf(parameters: URLSearchParams): Pick<MysqlAddress, "ssl"> {
  const unknown = [...parameters.keys()].find((name) => /^ssl/i.test(name));
  const tls = parameters.get("tls") ?? "false";
  if (unknown !== undefined || !["true", "skip-verify", "false"].includes(tls)) {
    const what = unknown ?? `tls=${tls}`;
    throw invalid(`${what} is not known in a MySQL address: write tls=true, tls=skip-verify or tls=false`);
  }
  if (tls === "false") return {};
  const isVerified = tls === "true";
  return { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified } };
}

function fromUrl(place: string): MysqlAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(place);
  return {
    // Brackets are around an IPv6 address.
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || portDefault),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ...tlsOf(searchParams),
  };
}

function fromDsn(place: string): MysqlAddress {
  const [found, user = "", password = "", address = "", database = "", parameters = ""] =
    dsn.exec(place) ?? [];
  if (found === undefined)
    throw invalid("the address is not of the form user:password@tcp(host:port)/database");
  const { hostname, port } = new URL(`mysql://${address}`);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || portDefault),
    user,
    password,
    database,
    ...tlsOf(new URLSearchParams(parameters)),
  };
}

/** Throws a CommandFailure, which does not contain the password, when the address cannot be read. */
export function readMysqlAddress(place: string): MysqlAddress {
  let address: MysqlAddress;
  try {
    address = url.test(place) ? fromUrl(place) : fromDsn(place);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw invalid(
      "the address is not of the form mysql://user:password@host:port/database (percent-encode special characters)",
    );
  }
  if (address.host === "" || address.database === "")
    throw invalid("the address names no host or no database");
  return address;
}
