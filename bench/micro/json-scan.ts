/**
 * The cost of one scan of a request body compared with `JSON.parse`, in microseconds (best of many rounds).
 * Run: node bench/micro/json-scan.ts
 */
import { createJsonScannerFactory, findField } from "../../server/src/lib/json/scan.ts";
import { microsPerCall } from "./time.ts";

const wanted = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "user",
];
const createScanner = createJsonScannerFactory(wanted, { depthMax: 64, valuesMax: 200_000 });

const sentence = "The quick brown fox jumps over the lazy dog, and then said something. ";

function chatBody(contents: readonly string[]): Buffer {
  const messages = contents.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }));
  const options = { include_usage: true };
  return Buffer.from(
    JSON.stringify({
      model: "gpt-5-mini",
      temperature: 0.7,
      stream: true,
      stream_options: options,
      messages,
      max_tokens: 512,
    }),
  );
}

/** As written by Python's `json.dumps`. */
function asciiOnly(body: Buffer): Buffer {
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return Buffer.from(body.toString("utf8").replace(/[^ -~]/g, escaped));
}

const values = { model: "m", logit_bias: {} as Record<string, number>, stop: [] as unknown[] };
for (let i = 0; i < 5_000; i++) {
  values.logit_bias[String(50_000 + i)] = (i % 200) - 100;
  values.stop.push(i % 3 === 0 ? null : i % 3 === 1 ? "ab" : true);
}
const bodies: Record<string, Buffer> = {
  "1 KB chat": chatBody(["You are helpful.", sentence.repeat(4), "Sure.", `${sentence.repeat(6)}\nThanks!`]),
  "100 KB prose, 1 string": chatBody([sentence.repeat(1_450)]),
  "100 KB prose, line breaks": chatBody(Array.from({ length: 20 }, () => `${sentence}\n`.repeat(70))),
  "100 KB Chinese": chatBody(["这是一个很长的提示词，包含许多中文字符。".repeat(1_700)]),
  "100 KB Chinese, \\u escapes": asciiOnly(
    chatBody(["这是一个很长的提示词，包含许多中文字符。".repeat(830)]),
  ),
  "100 KB code (quotes, tabs)": chatBody([`\tconst x = f("a", 'b'); // note\n`.repeat(2_700)]),
  "100 KB small values": Buffer.from(JSON.stringify(values)),
  "1 MB base64": chatBody(["QUJDREVGR0hJSktMTU5PUA".repeat(47_000)]),
};

function scan(body: Buffer): unknown {
  const scanner = createScanner();
  scanner.push(body);
  const result = scanner.end();
  return result.reason === undefined ? findField(result, "model") : result;
}

function scanInChunks(body: Buffer): unknown {
  const scanner = createScanner();
  for (let at = 0; at < body.length; at += 65_536) scanner.push(body.subarray(at, at + 65_536));
  return scanner.end();
}

const row = (name: string, bytes: number, scanned: number, parsed: string): void =>
  console.log(
    `${name.padEnd(28)} ${String(bytes).padStart(8)} B  scan ${scanned.toFixed(2).padStart(9)}  ${parsed}`,
  );

for (const [name, body] of Object.entries(bodies)) {
  const scanned = microsPerCall(() => scan(body));
  const chunked = microsPerCall(() => scanInChunks(body));
  const parsed = microsPerCall(() => JSON.parse(body.toString("utf8")));
  row(
    name,
    body.length,
    scanned,
    `in 64 KB chunks ${chunked.toFixed(2)}  toString + JSON.parse ${parsed.toFixed(2)}`,
  );
}

const flood = Buffer.from(`[${"{},".repeat(3_145_727)}{}]`);
const refused = microsPerCall(() => scan(flood), 30);
row("9 MiB of {}, refused", flood.length, refused, `at byte ${(scan(flood) as { at: number }).at}`);
