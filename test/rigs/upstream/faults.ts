/**
 * The 38 upstream faults as one table: name, effect on the wire, and how it is made from the valid answer. A
 * fault either changes the script or writes raw bytes.
 */
import { gzipSync } from "node:zlib";
import { bodyOf, errorScript, halfway, mapEvents, withEvents } from "./fault-parts.ts";
import { type FaultRow, raw, row, script, status } from "./fault-row.ts";
import { moreFaults } from "./more-faults.ts";
import { type Script, step } from "./script.ts";

const hundredMegabytes = 100 * 1024 * 1024;
const blockBytes = 65_536;

const chunkedHead =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

const connectionFaults: readonly FaultRow[] = [
  row("refuse", "nobody listens on the port"),
  row("hang_accept", "the connection is accepted, the request read, nothing is ever sent", raw("", "hang")),
  row(
    "hang_headers",
    "status and headers, then silence",
    script((sound) => ({ ...sound, steps: [], ending: "hang" })),
  ),
  row(
    "one_byte_per_second",
    "the sound answer at one byte a second",
    script((sound) => ({
      ...sound,
      steps: [...bodyOf(sound)].map((byte) => step(Buffer.from([byte]), { afterMs: 1000 })),
    })),
  ),
  row("reset_before_headers", "RST instead of an answer", raw("", "rst")),
  row(
    "reset_after_headers",
    "status and headers, then RST",
    script((sound) => ({ ...sound, steps: [], ending: "rst" })),
  ),
  row(
    "reset_mid_event",
    "half of the answer, ending inside an event, then RST",
    script((sound) => halfway(sound, "rst")),
  ),
  row(
    "fin_mid_event",
    "half of the answer, ending inside an event, then FIN without the last HTTP chunk",
    script((sound) => halfway(sound, "truncate")),
  ),
  row("garbage", "bytes that are not HTTP", raw("\x16\x03\x01\x02 not http at all\r\n\r\n\x00\xff", "fin")),
];

const statusFaults: readonly FaultRow[] = [
  row(
    "html_200",
    "200 with an HTML page",
    script((_, asked) => ({
      status: 200,
      headers: { "content-type": "text/html" },
      steps: [step(`<html><body>login at ${asked.address} ${asked.leaks.join(" ")}</body></html>`)],
      ending: "end",
    })),
  ),
  row("status_500_body", "500 with an OpenAI error", status(500, "server_error", null)),
  row(
    "status_502_empty",
    "502 with an empty body",
    script(() => ({ status: 502, headers: { "content-length": "0" }, steps: [], ending: "end" })),
  ),
  row(
    "status_429_seconds",
    "429 with Retry-After: 7",
    status(429, "requests", "rate_limit_exceeded", { "retry-after": "7" }),
  ),
  row(
    "status_429_date",
    "429 with Retry-After as a date 20 s ahead",
    script((_, asked) =>
      errorScript(429, "requests", "rate_limit_exceeded", asked, {
        "retry-after": new Date(Date.now() + 20_000).toUTCString(),
      }),
    ),
  ),
  row(
    "status_429_absurd",
    "429 with a Retry-After of 30,000 years",
    status(429, "requests", "rate_limit_exceeded", { "retry-after": "999999999999" }),
  ),
  row("status_401", "401 echoing the credential", status(401, "invalid_request_error", "invalid_api_key")),
  row(
    "status_402",
    "402 naming the operator's account",
    status(402, "insufficient_quota", "insufficient_quota"),
  ),
  row("status_403", "403", status(403, "request_forbidden", "unsupported_country_region_territory")),
  row(
    "redirect_loopback",
    "301 to /rig/trap on loopback",
    script((_, asked) => ({
      status: 301,
      headers: { location: `${new URL(asked.address).origin}/rig/trap`, "content-length": "0" },
      steps: [],
      ending: "end",
    })),
  ),
];

/** Where the answer's text stands in these bytes, in any format; -1 = nowhere. */
function textAt(bytes: Buffer): number {
  const found = /"(?:content|text|delta)":"/.exec(bytes.toString("latin1"));
  return found === null ? -1 : found.index + found[0].length;
}

/** Puts 100 MB of filler into the first content. */
function hugeLine(sound: Script): Script {
  const whole = bodyOf(sound);
  const at = Math.max(0, textAt(whole));
  const filler = step(Buffer.alloc(blockBytes, 0x78), { repeat: hundredMegabytes / blockBytes });
  return { ...sound, steps: [step(whole.subarray(0, at)), filler, step(whole.subarray(at))] };
}

function invalidUtf8(sound: Script): Script {
  return mapEvents(sound, (bytes) => {
    const at = textAt(bytes);
    if (at === -1) return bytes;
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      bytes.subarray(at),
    ]);
  });
}

const byteFaults: readonly FaultRow[] = [
  row("huge_line", "one line of 100 MB", script(hugeLine)),
  row(
    "endless_event",
    "64 MB of data lines without a blank line, then silence",
    script((sound) => ({
      ...sound,
      steps: [...sound.steps.slice(0, 1), step(`data: ${"y".repeat(blockBytes - 7)}\n`, { repeat: 1024 })],
      ending: "hang",
    })),
  ),
  row("invalid_utf8", "bytes that are not UTF-8 inside the content", script(invalidUtf8)),
  row(
    "split_utf8",
    "one byte per write, so that every character is split",
    script((sound) => ({ ...sound, split: [1] })),
  ),
  row(
    "bad_chunk_size",
    "an HTTP chunk whose size is not a number",
    raw(`${chunkedHead}zz\r\ndata: {}\n\n\r\n`, "fin"),
  ),
  row("wrong_content_length", "Content-Length says 100 bytes more than come, then FIN", (sound) => {
    const body = bodyOf(sound);
    const type = sound.headers["content-type"] ?? "application/json";
    const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length + 100}\r\n\r\n`;
    const report = sound.steps.findLast(({ hasUsage }) => hasUsage)?.report;
    return { raw: Buffer.concat([Buffer.from(head), body]), ending: "fin", report };
  }),
  row(
    "double_gzip",
    "Content-Encoding: gzip, gzip although identity was asked",
    script((sound) => ({
      ...sound,
      headers: { ...sound.headers, "content-encoding": "gzip, gzip" },
      steps: [step(gzipSync(gzipSync(bodyOf(sound))))],
    })),
  ),
];

/** Usage in the plan's `usage` form; the server takes the form from the fault's name. */
const usageFaults: readonly FaultRow[] = [
  row(
    "usage_negative",
    "negative token counts",
    script((sound) => sound),
  ),
  row(
    "usage_huge",
    "token counts of 10^18",
    script((sound) => sound),
  ),
  row(
    "usage_nan",
    "NaN where numbers belong (not even JSON)",
    script((sound) => sound),
  ),
  row(
    "usage_absent",
    "no usage although asked",
    script((sound) => sound),
  ),
  row(
    "usage_twice",
    "two usage objects",
    script((sound, asked) => withEvents(sound, asked, "usage-twice")),
  ),
  row(
    "usage_first",
    "usage before the content",
    script((sound, asked) => withEvents(sound, asked, "usage-first")),
  ),
];

const markFaults: readonly FaultRow[] = [
  row(
    "error_in_band",
    "an error object in the stream after two tokens (200 with an error, when not a stream)",
    (sound, asked) => ({
      script: withEvents(sound, asked, "error-in-band"),
    }),
  ),
  row(
    "done_twice",
    "[DONE] twice",
    script((sound, asked) => withEvents(sound, asked, "done-twice")),
  ),
  row(
    "done_never",
    "a clean end without [DONE]",
    script((sound, asked) => withEvents(sound, asked, "done-never")),
  ),
  row(
    "finish_unknown",
    "a finish_reason nobody knows",
    script((sound) =>
      mapEvents(sound, (bytes) =>
        replaced(bytes, /"(finish_reason|stop_reason|finishReason)":"\w+"/, '"$1":"banana"'),
      ),
    ),
  ),
  row(
    "duplicate_ids",
    "every answer carries the same id",
    script((sound) =>
      mapEvents(sound, (bytes) =>
        replaced(bytes, /"(id|responseId)":"(chatcmpl-|msg_|resp_|(?=p\d|call-))[^"]*"/, '"$1":"$2same"'),
      ),
    ),
  ),
  row(
    "clock_skew",
    "created in 2099, Date in 1970",
    script((sound) => ({
      ...mapEvents(sound, (bytes) => replaced(bytes, /"(created|created_at)":\d+/, '"$1":4070908800')),
      headers: { ...sound.headers, date: "Thu, 01 Jan 1970 00:00:00 GMT" },
    })),
  ),
];

function replaced(bytes: Buffer, what: RegExp, by: string): Buffer {
  return Buffer.from(bytes.toString("utf8").replace(what, by));
}

/** The 38 faults, in a fixed order. */
export const faults: readonly FaultRow[] = [
  ...connectionFaults,
  ...statusFaults,
  ...byteFaults,
  ...markFaults.slice(0, 1),
  ...usageFaults,
  ...markFaults.slice(1),
];

/** Errors caused by the client's request; not among the 38, but their texts reach callers. */
export const callerFaults: readonly FaultRow[] = [
  row("status_400", "400 naming a parameter", status(400, "invalid_request_error", "invalid_value")),
  row(
    "status_400_context",
    "400 context_length_exceeded",
    status(400, "invalid_request_error", "context_length_exceeded"),
  ),
  row("status_400_filter", "400 content_filter", status(400, "invalid_request_error", "content_filter")),
  row("status_404", "404 model_not_found", status(404, "invalid_request_error", "model_not_found")),
  row("status_413", "413", status(413, "invalid_request_error", null)),
  row("status_422", "422", status(422, "invalid_request_error", null)),
  row("status_429_plain", "429 without any wait", status(429, "requests", "rate_limit_exceeded")),
  row("status_503", "503 overloaded", status(503, "server_error", "server_is_overloaded")),
];

/** The row of this name, or undefined. */
export function findFault(name: string): FaultRow | undefined {
  return [...faults, ...callerFaults, ...moreFaults].find((one) => one.name === name);
}

/** The usage form that a fault sets in the plan, or undefined. */
export function usageShape(name: string): string | undefined {
  const match = /^usage_(negative|huge|nan|absent)$/.exec(name);
  return match?.[1];
}
