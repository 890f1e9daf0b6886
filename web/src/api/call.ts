/**
 * One call to the control plane: URL, CSRF token, errors, and an expired session, which is renewed in place
 * before the same call is sent again. Knows no page and no cache.
 */
import { ApiError, errorOf } from "./error.ts";
import type { Answer, Route, SentArgs } from "./routes.ts";

interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What the session gives calls; set by `session.ts`. */
export const callState = {
  csrfToken: null as string | null,
  /** Asks the user to sign in again; true when they did. Null before the first sign-in. */
  signInAgain: null as (() => Promise<boolean>) | null,
};

function queryText(query: Readonly<Record<string, unknown>> | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    const isList = Array.isArray(value);
    for (const one of isList ? value : [value]) {
      // In a list an empty text is a value: requests that named no model.
      if (one !== undefined && one !== null && (isList || one !== "")) pairs.append(name, String(one));
    }
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}

/** The address of a route below `/api`, also for links to downloads. */
export function addressOf(route: string, parts: Parts = {}): string {
  const path = route.slice(route.indexOf(" ") + 1);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts.params?.[name];
    if (value === undefined) throw new Error(`No value for {${name}} of ${route}`);
    return encodeURIComponent(value);
  });
  return `/api${filled}${queryText(parts.query)}`;
}

async function send(route: string, parts: Parts, signal: AbortSignal | undefined): Promise<Response> {
  const method = route.slice(0, route.indexOf(" ")).toUpperCase();
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET" && callState.csrfToken !== null) headers["x-plaza-csrf"] = callState.csrfToken;
  if (parts.body !== undefined) headers["content-type"] = "application/json";
  try {
    return await fetch(addressOf(route, parts), {
      method,
      headers,
      credentials: "same-origin",
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw new ApiError({ code: "network_lost", status: 0 });
  }
}

async function read(answer: Response): Promise<unknown> {
  if (answer.status === 204) return undefined;
  const type = answer.headers.get("content-type") ?? "";
  return type.includes("json") ? await answer.json() : await answer.text();
}

/** Calls a route that is only known at run time; `call` is the typed form. */
export async function callAny(route: string, parts: Parts = {}, signal?: AbortSignal): Promise<unknown> {
  return await read(await open(route, parts, signal));
}

/** Calls a route whose answer is read while it comes; throws as `call` does. */
export async function open(route: string, parts: Parts = {}, signal?: AbortSignal): Promise<Response> {
  const former = callState.csrfToken;
  const answer = await send(route, parts, signal);
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  const { signInAgain } = callState;
  if (error.code === "not_signed_in" && signInAgain !== null) {
    // Refused for a session that was replaced meanwhile: no new sign-in is needed.
    if (callState.csrfToken === former && !(await signInAgain())) throw error;
    const again = await send(route, parts, signal);
    if (again.ok) return again;
    throw await errorOf(again);
  }
  throw error;
}

/** `await call("patch /keys/{id}", { params: { id }, body: { name } })`; throws ApiError. */
export async function call<Name extends Route>(
  route: Name,
  ...[sent]: SentArgs<Name>
): Promise<Answer<Name>> {
  return (await callAny(route, (sent ?? {}) as Parts)) as Answer<Name>;
}
