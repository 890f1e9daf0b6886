/**
 * P26, bodies: invalid JSON, JSON bombs, wrong lengths and types, each with its expected status. Limits are
 * the documented defaults: 32 MiB, depth 64, 200,000 values.
 */
import { goodBody, goodHead, type HostileCase, head, posted, text } from "./p26-case.ts";

const mebibyte = 1024 * 1024;
const refused = { statuses: [400], codes: ["invalid_request"] };
const tooLarge = { statuses: [413], codes: ["request_too_large"] };
const wrongType = { statuses: [415], codes: ["unsupported_media_type"] };
const accepted = { statuses: [200] };

const start = '{"model":"rig-model","messages":[{"role":"user","content":"hi"}],';

function utf16(order: "le" | "be"): Buffer {
  const bytes = Buffer.from(`\ufeff${goodBody}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}

function depth(brackets: number): string {
  return `${start}"x":${"[".repeat(brackets)}${"]".repeat(brackets)}}`;
}

const notJson: readonly HostileCase[] = [
  { name: "empty body", pieces: posted(""), ...refused },
  { name: "one space", pieces: posted(" "), ...refused },
  { name: "no JSON", pieces: posted("model=rig-model"), ...refused },
  { name: "truncated", pieces: posted(goodBody.slice(0, -1)), ...refused },
  { name: "truncated in a string", pieces: posted('{"model":"rig-model","messages":"'), ...refused },
  { name: "two documents", pieces: posted(goodBody + goodBody), ...refused },
  { name: "text after the end", pieces: posted(`${goodBody}x`), ...refused },
  { name: "array", pieces: posted(`[${goodBody}]`), ...refused },
  { name: "string", pieces: posted('"model"'), ...refused },
  { name: "null", pieces: posted("null"), ...refused },
  { name: "closing bracket of the wrong kind", pieces: posted(`${start}"x":[1}}`), ...refused },
  { name: "missing colon", pieces: posted(`${start}"x" 1}`), ...refused },
  { name: "trailing comma", pieces: posted(`${start}"x":1,}`), ...refused },
  { name: "single quotes", pieces: posted("{'model':'rig-model','messages':[]}"), ...refused },
  { name: "comment", pieces: posted(`${start}/* c */"x":1}`), ...refused },
  { name: "NaN", pieces: posted(`${start}"x":NaN}`), ...refused },
  { name: "leading zero", pieces: posted(`${start}"x":01}`), ...refused },
  { name: "bare minus", pieces: posted(`${start}"x":-}`), ...refused },
  { name: "unknown escape", pieces: posted(`${start}"x":"\\x"}`), ...refused },
  { name: "short \\u escape", pieces: posted(`${start}"x":"\\u12"}`), ...refused },
  { name: "line end in a string", pieces: posted(`${start}"x":"a\nb"}`), ...refused },
  { name: "NUL in a string", pieces: posted(`${start}"x":"a\0b"}`), ...refused },
  { name: "NUL after the end", pieces: posted(`${goodBody}\0`), ...refused },
  { name: "BOM", pieces: posted(`\ufeff${goodBody}`), ...accepted },
  { name: "two BOMs", pieces: posted(`\ufeff\ufeff${goodBody}`), ...refused },
  { name: "UTF-16 LE", pieces: posted(utf16("le")), ...refused },
  { name: "UTF-16 BE", pieces: posted(utf16("be")), ...refused },
  {
    name: "invalid UTF-8",
    pieces: posted(
      Buffer.concat([Buffer.from(`${start}"x":"`), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
    ),
    ...refused,
  },
  {
    name: "encoded surrogate (CESU)",
    pieces: posted(
      Buffer.concat([Buffer.from(`${start}"x":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ),
    ...refused,
  },
];

const wrongFields: readonly HostileCase[] = [
  { name: "no model", pieces: posted('{"messages":[]}'), ...refused },
  { name: "model is a number", pieces: posted('{"model":1,"messages":[]}'), ...refused },
  { name: "model is an object", pieces: posted('{"model":{"a":1},"messages":[]}'), ...refused },
  { name: "model is null", pieces: posted('{"model":null,"messages":[]}'), ...refused },
  {
    name: "unknown model",
    pieces: posted(goodBody.replace("rig-model", "nobody")),
    statuses: [404],
    codes: ["model_not_found"],
  },
  {
    name: "model named __proto__",
    pieces: posted(goodBody.replace("rig-model", "__proto__")),
    statuses: [404],
    codes: ["model_not_found"],
  },
  {
    name: "model named constructor",
    pieces: posted(goodBody.replace("rig-model", "constructor")),
    statuses: [404],
    codes: ["model_not_found"],
  },
  {
    name: "model of 1 MiB",
    pieces: posted(goodBody.replace("rig-model", "m".repeat(mebibyte))),
    statuses: [400, 404],
  },
  { name: "stream is a string", pieces: posted(`${start}"stream":"true"}`), statuses: [200, 400] },
  { name: "model twice", pieces: posted(`${start}"model":"rig-other"}`), statuses: [200, 400, 404] },
  {
    name: "model twice, once escaped",
    pieces: posted(`${start}"mod\\u0065l":"rig-other"}`),
    statuses: [200, 400, 404],
  },
  { name: "stream twice", pieces: posted(`${start}"stream":true,"stream":false}`), statuses: [200, 400] },
  {
    name: "__proto__ key",
    pieces: posted(`${start}"__proto__":{"admin":true,"model":"x"}}`),
    statuses: [200, 400],
  },
  {
    name: "constructor key",
    pieces: posted(`${start}"constructor":{"prototype":{"admin":true}}}`),
    statuses: [200, 400],
  },
  { name: "lone surrogates", pieces: posted(`${start}"x":"\\ud800 \\udfff"}`), ...accepted },
  {
    name: "number of 100,000 digits",
    pieces: posted(`${start}"x":${"9".repeat(100_000)}}`),
    statuses: [200, 400],
  },
  {
    name: "exponent of 100,000 digits",
    pieces: posted(`${start}"x":1e${"9".repeat(100_000)}}`),
    statuses: [200, 400],
  },
];

/** Bodies that cost memory and time unless refused early. */
export const bombs: readonly HostileCase[] = [
  { name: "depth 100", pieces: posted(depth(100)), ...tooLarge },
  { name: "depth 10,000", pieces: posted(depth(10_000)), ...tooLarge },
  { name: "depth 5,000,000, never closed", pieces: posted("[".repeat(5_000_000)), statuses: [400, 413] },
  {
    name: "depth 100,000 of objects",
    pieces: posted(`${start}"x":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`),
    ...tooLarge,
  },
  { name: "9 MiB of {}", pieces: posted(`${start}"x":[${"{},".repeat(3 * mebibyte)}{}]}`), ...tooLarge },
  { name: "1,000,000 zeros", pieces: posted(`${start}"x":[${"0,".repeat(1_000_000)}0]}`), ...tooLarge },
  {
    name: "300,000 keys",
    pieces: posted(`${start}${Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join()}}`),
    ...tooLarge,
  },
  {
    name: "300,000 keys inside",
    pieces: posted(`${start}"x":{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join()}}}`),
    ...tooLarge,
  },
  {
    name: "33 MiB with a length",
    pieces: posted(`${start}"x":"${"y".repeat(33 * mebibyte)}"}`),
    ...tooLarge,
  },
  {
    name: "33 MiB in chunks",
    pieces: (key) => {
      const chunk = `${mebibyte.toString(16)}\r\n${" ".repeat(mebibyte)}\r\n`;
      return text(head([...goodHead(key), "Transfer-Encoding: chunked"]) + chunk.repeat(33));
    },
    ...tooLarge,
  },
  {
    name: "a length of 10 GB",
    pieces: (key) => text(`${head([...goodHead(key), "Content-Length: 10000000000"])}{`),
    ...tooLarge,
  },
  { name: "10 MiB of blanks", pieces: posted(" ".repeat(10 * mebibyte)), statuses: [400] },
  { name: "10 MiB of opening quotes", pieces: posted('"'.repeat(10 * mebibyte)), ...refused },
  { name: "10 MiB of backslashes", pieces: posted(`"${"\\".repeat(10 * mebibyte)}`), ...refused },
];

/** Large but allowed: served, without slowing other callers. */
export const heavyCases: readonly HostileCase[] = [
  { name: "20 MiB string", pieces: posted(`${start}"x":"${"y".repeat(20 * mebibyte)}"}`), ...accepted },
  {
    name: "20 MiB of escapes",
    pieces: posted(`${start}"x":"${"\\u0041".repeat((20 * mebibyte) / 6)}"}`),
    ...accepted,
  },
  { name: "190,000 values", pieces: posted(`${start}"x":[${"0,".repeat(189_000)}0]}`), ...accepted },
  { name: "key of 1 MiB", pieces: posted(`${start}"${"k".repeat(mebibyte)}":0}`), ...accepted },
  { name: "depth 60", pieces: posted(depth(60)), ...accepted },
];

const types: readonly HostileCase[] = [
  { name: "text/plain", pieces: posted(goodBody, { contentType: "text/plain" }), ...wrongType },
  { name: "form", pieces: posted("a=b", { contentType: "application/x-www-form-urlencoded" }), ...wrongType },
  {
    name: "multipart",
    pieces: posted("--b--", { contentType: `multipart/form-data; boundary=${"b".repeat(4000)}` }),
    ...wrongType,
  },
  { name: "no content type", pieces: posted(goodBody, { contentType: "" }), statuses: [200, 415] },
  {
    name: "JSON with a charset",
    pieces: posted(goodBody, { contentType: "application/json; charset=utf-8" }),
    ...accepted,
  },
  {
    name: "content type of 20 KB",
    pieces: posted(goodBody, { contentType: `application/json;${" ".repeat(20_000)}x` }),
    statuses: [200, 400, 415, 431],
  },
];

/** All refusable bodies; `heavyCases` are separate because they are served. */
export const jsonCases: readonly HostileCase[] = [...notJson, ...wrongFields, ...bombs, ...types];
