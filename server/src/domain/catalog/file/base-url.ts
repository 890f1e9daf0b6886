/**
 * Checks an upstream's base URL in a catalog file: which are refused, which only get a warning, and which
 * default applies. Uses no provider names.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { fault, type Reading, readText, type Spot, warn } from "./reading.ts";

/** Matches the URL of an endpoint instead of the base URL. */
const endpoint = /\/(?:chat\/completions|completions|responses|messages|models|converse)\/*$/;

/** An http or https URL without trailing slashes; "" after a fault. */
export function readBaseUrl(reading: Reading, spot: Spot): string {
  const read = readText(reading, spot, message("file.anAddress"));
  if (read === undefined) return "";
  const url = /\s/.test(read.text) ? null : URL.parse(read.text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // An invalid URL may still contain a password.
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
 * An origin without a path is hardly ever meant if the known URL has one (`/v1`); it would fail later with
 * 404.
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
