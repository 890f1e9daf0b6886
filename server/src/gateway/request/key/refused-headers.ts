/** Remembers why headers with a bad key were refused, so that none of them is read or hashed again. */
import type { GatewayError } from "@plaza/contract/errors.ts";

/** Most headers that are remembered, and the longest one: with their errors, at most some megabytes. */
const headersMax = 4_096;
const lengthMax = 200;

export class RefusedHeaders {
  readonly #errors = new Map<string, GatewayError>();

  get(header: string): GatewayError | undefined {
    return this.#errors.get(header);
  }

  /** Returns the error. */
  add(header: string, error: GatewayError): GatewayError {
    if (header.length > lengthMax) return error;
    if (this.#errors.size >= headersMax) this.#errors.clear();
    this.#errors.set(header, error);
    return error;
  }

  clear(): void {
    this.#errors.clear();
  }
}
