/** A request's record, as its caller reads it at `GET /v1/requests/{id}`. */
import { get, type Seen } from "../http-client.ts";
import { eventually } from "../measure/clock.ts";

/** Maximum time until a request's row can be read. */
const rowWithinMs = 10_000;

/** The fields of the record that rigs check. */
export interface RequestRow {
  readonly status: number;
  readonly state: string;
  readonly error_code: string | null;
  readonly usage: {
    readonly source: string;
    readonly input?: number;
    readonly cached_input?: number;
    readonly output?: number;
  } | null;
  readonly charge: string;
  readonly attempts: readonly { readonly outcome: string }[];
}

/** Parses US dollars to NanoUsd. */
export function nanosOf(dollars: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(dollars);
  if (match === null) throw new RangeError(`not an amount: ${dollars}`);
  return BigInt(match[1] ?? "0") * 1_000_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/**
 * Reads the request's row as its caller, or the reason why it is missing. While the database is slow, a row
 * is first in the process's journal, so it may appear after its answer.
 */
export async function findRow(
  origin: string,
  key: string,
  { headers }: Pick<Seen, "headers">,
): Promise<RequestRow | string> {
  const url = `${origin}/v1/requests/${String(headers["x-request-id"] ?? "")}`;
  let row: RequestRow | string = "none";
  await eventually(async () => {
    const found = await get(url, { authorization: `Bearer ${key}` }).catch((error: Error) => error.message);
    if (typeof found === "string") row = found;
    else
      row = found.status === 200 ? (JSON.parse(found.text) as RequestRow) : `${found.status} ${found.text}`;
    return typeof row !== "string";
  }, rowWithinMs);
  return row;
}
