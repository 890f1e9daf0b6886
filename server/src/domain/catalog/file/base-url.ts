/**
 * The address of an upstream in a catalog file: which are refused, which only look wrong, and what stands in
 * where none is given. Knows no provider by name.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { fault, type Reading, readText, type Spot, warn } from "./reading.ts";

/** True when it points at the endpoint instead of its base. */
const endpoint = /\/(?:chat\/completions|completions|responses|messages|models|converse)\/*$/;

/** An http or https address without slashes at its end; "" after a fault. */
export function readBaseUrl(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, message("file.anAddress"));
  if (read === undefined) return "";
  const url = /\s/.test(read.text) ? null : URL.parse(read.text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // What does not parse may still hold a password.
    const refusal = read.text.includes("@")
      ? message("file.notAddress")
      : message("file.givenNotAddress", { given: read.shown });
    fault(reading, spot, refusal);
    return "";
  }
  if (url.username !== "" || url.password !== "") {
    fault(reading, spot, message("file.addressWithUser"));
  }
  if (/[?#]/.test(read.text)) fault(reading, spot, message("file.addressWithQuery"));
  const path = endpoint.exec(url.pathname)?.[0];
  if (path !== undefined) fault(reading, spot, message("file.addressOfEndpoint", { path }));
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/**
 * A bare origin where the known address has a path (`/v1`) is hardly ever meant, and fails as 404 much later.
 */
export function warnOfMissingPath(
  reading: Reading,
  spot: Spot,
  baseUrl: string,
  known: string | undefined,
): void {
  const path = known === undefined ? "/" : new URL(known).pathname;
  if (path === "/" || baseUrl === "" || new URL(baseUrl).pathname !== "/") return;
  warn(reading, spot, message("file.addressWithoutPath", { path }));
}
