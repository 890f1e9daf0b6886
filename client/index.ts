/** A typed client of the control plane for programs with an operator token: accounts, keys, catalog. */
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.ts";

export type { paths } from "./schema.ts";

export interface PlazaOptions {
  /** Where Plaza answers, like `https://plaza.example.com`. */
  readonly baseUrl: string;
  /** An operator token, made in the console (Settings, Operator tokens) or by `POST /api/operator/tokens`. */
  readonly token: string;
  /** In place of the global one. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export type PlazaClient = Client<paths>;

/**
 * Creates a client. Its methods are those of openapi-fetch: `client.GET(path, { params })`, with paths from
 * `/api` on. No redirect is followed, so that the token goes to no other server.
 */
export function createPlazaClient({ baseUrl, token, fetch }: PlazaOptions): PlazaClient {
  return createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ""),
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    ...(fetch === undefined ? {} : { fetch }),
  });
}

/** A refusal of Plaza. */
export class PlazaError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** As in Plaza's list of errors, like `not_permitted`. */
  readonly code: string;
  /** The fields of the form that are at fault. */
  readonly fields: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, error: ErrorBody["error"]) {
    super(error?.message ?? `Plaza answered ${status}`);
    this.name = "PlazaError";
    this.status = status;
    this.code = error?.code ?? "";
    this.fields = error?.fields ?? [];
  }
}

/** What a method of the client resolves with. */
interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly fields?: readonly { readonly path: string; readonly message: string }[] | undefined;
  };
}

/** Undefined for routes that answer with nothing. */
type Present<Data> = [Exclude<Data, undefined>] extends [never] ? undefined : Exclude<Data, undefined>;

/** The data of an answer. Throws a `PlazaError` for a refusal. */
export function dataOf<Data>({ data, error, response }: Answer<Data>): Present<Data> {
  if (response.ok) return data as Present<Data>;
  throw new PlazaError(response.status, (error as ErrorBody | undefined)?.error);
}
