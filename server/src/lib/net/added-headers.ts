/** A client whose calls carry further headers. Knows nothing of what they mean. */
import type { HttpClient } from "./http-client.ts";

/**
 * The client with these headers added to every call, in place of headers of the same name. `added`: values by
 * names in lower case.
 */
export function withHeaders(client: HttpClient, added: Readonly<Record<string, string>>): HttpClient {
  const flat = Object.entries(added).flat();
  const names = new Set(Object.keys(added));
  const merged = (headers: readonly string[]): string[] => {
    const all: string[] = [];
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string;
      if (!names.has(name.toLowerCase())) all.push(name, headers[index + 1] as string);
    }
    all.push(...flat);
    return all;
  };
  return {
    post: (call, handler) => client.post({ ...call, headers: merged(call.headers) }, handler),
    get: (call, handler) => client.get({ ...call, headers: merged(call.headers) }, handler),
    close: () => client.close(),
  };
}
