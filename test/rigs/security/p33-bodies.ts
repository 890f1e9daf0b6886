/** P33: the bodies that a hostile client sends to any path, and the ways of sending them. */
import type { RawPiece } from "../harness/raw-client.ts";

const mebibyte = 1024 * 1024;

export interface HostileBody {
  readonly name: string;
  readonly bytes: Buffer;
  /** Sent in chunks, without a length. */
  readonly isChunked: boolean;
}

const keys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",");

/**
 * A connect wizard body with this many models; the last is duplicated, so that it is refused only after all
 * were read.
 */
const manyModels = (count: number): string => {
  const price = { input: "0.25", output: "2.00", cachedInput: "0.025" };
  const model = (index: number) => ({
    upstreamModel: `m${index}`,
    id: `m${index}`,
    name: "M",
    context: 9_999,
    price,
  });
  const models = Array.from({ length: count }, (_, index) => model(Math.min(index, count - 2)));
  return JSON.stringify({ service: "openai", baseUrl: "http://127.0.0.1:9/v1", credential: "sk", models });
};

const texts: readonly (readonly [string, string])[] = [
  ["4 MiB of nested arrays", "[".repeat(2 * mebibyte) + "]".repeat(2 * mebibyte)],
  ["nested arrays in a field", `{"models":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
  ["nested objects", `{"options":${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}}`],
  ["350,000 keys", `{${keys(350_000)}}`],
  ["350,000 keys inside", `{"options":{${keys(350_000)}}}`],
  ["1,000,000 zeros", `{"models":[${"0,".repeat(999_999)}0]}`],
  ["a string of 20 MiB", `{"email":"${"y".repeat(20 * mebibyte)}"}`],
  ["4 MiB of blanks in a string", `{"email":"${" ".repeat(4 * mebibyte)}","password":"x"}`],
  ["4 MiB of escapes", `{"email":"${"\\u0041".repeat((4 * mebibyte) / 6)}"}`],
  ["16 KiB of at signs", `{"email":"${"@".repeat(16_000)}","password":"x"}`],
  ["10,000 models", manyModels(10_000)],
  ["6,600 models", manyModels(6_600)],
  ["1,000 models", manyModels(1_000)],
  ["10 MiB of blanks", " ".repeat(10 * mebibyte)],
  ["not JSON", "x".repeat(mebibyte)],
  ["an empty object", "{}"],
];

export const hostileBodies: readonly HostileBody[] = [
  ...texts.map(([name, text]) => ({ name, bytes: Buffer.from(text), isChunked: false })),
  ...texts
    .slice(0, 7)
    .map(([name, text]) => ({ name: `${name}, in chunks`, bytes: Buffer.from(text), isChunked: true })),
];

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Further header lines: credentials. */
  readonly lines: readonly string[];
}

function headOf({ method, path, lines }: Asked, framing: string): Buffer {
  const all = [
    `${method} ${path} HTTP/1.1`,
    "Host: plaza",
    "Content-Type: application/json",
    framing,
    ...lines,
  ];
  return Buffer.from(`${all.join("\r\n")}\r\n\r\n`, "latin1");
}

const chunkBytes = 64 * 1024;

function inChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const part = bytes.subarray(at, at + chunkBytes);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** One complete request with the body. */
export function wholeCall(asked: Asked, { bytes, isChunked }: HostileBody): readonly RawPiece[] {
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes.length}`;
  const lines = [...asked.lines, "Connection: close"];
  const head = headOf({ ...asked, lines }, framing);
  return [{ bytes: Buffer.concat([head, isChunked ? inChunks(bytes) : bytes]), afterMs: 0 }];
}

/**
 * Unfinished bodies: nothing after the headers, half of it, or bytes below the minimum rate; with and without
 * a length.
 */
export function stalledCalls(asked: Asked): readonly (readonly RawPiece[])[] {
  const begun = Buffer.from(`{"name":"${"x".repeat(12_000)}`);
  const declared = headOf(asked, `Content-Length: ${4 * mebibyte}`);
  const small = headOf(asked, "Content-Length: 16000");
  const chunked = headOf(asked, "Transfer-Encoding: chunked");
  const drips = (drop: string) =>
    Array.from({ length: 80 }, () => ({ bytes: Buffer.from(drop), afterMs: 150 }));
  return [
    [{ bytes: small, afterMs: 0 }],
    [{ bytes: Buffer.concat([small, begun]), afterMs: 0 }],
    [{ bytes: Buffer.concat([declared, begun]), afterMs: 0 }],
    [
      {
        bytes: Buffer.concat([
          chunked,
          Buffer.from(`${begun.length.toString(16)}\r\n`),
          begun,
          Buffer.from("\r\n"),
        ]),
        afterMs: 0,
      },
    ],
    [{ bytes: small, afterMs: 0 }, ...drips("        ")],
    [{ bytes: chunked, afterMs: 0 }, ...drips("8\r\n        \r\n")],
  ];
}
