/**
 * Client errors, as one table: request and expected response. Written before the product ran; the requirement
 * of each group is quoted above it.
 */
import { gzipSync } from "node:zlib";

export type KeyKind =
  | "good"
  | "none"
  | "unknown"
  | "mistyped"
  | "expired"
  | "disabled"
  | "revoked"
  | "limited";

export interface BadInput {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly key?: KeyKind;
  /** The whole Authorization header instead of a key. */
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly isChunked?: boolean;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  readonly message?: RegExp;
  /** Methods that the `Allow` header must name. */
  readonly allow?: readonly string[];
}

const hello = '[{"role":"user","content":"hi"}]';
const good = `{"model":"demo","messages":${hello}}`;
const chat = (fields: string): string => `{"messages":${hello},"model":"demo",${fields}}`;

const bad = (
  name: string,
  body: string | Buffer,
  rest: Omit<BadInput, "name" | "body" | "status" | "code">,
): BadInput => ({
  name,
  body,
  status: 400,
  code: "invalid_request",
  ...rest,
});

/** "Wrong JSON → 400 naming the position" */
export const wrongJson: readonly BadInput[] = [
  bad("ends in the middle", '{"model":"demo","messages":[', { message: /byte 28\b/ }),
  bad("a comma too many", '{"model":"demo",}', { message: /byte 16\b/ }),
  bad("not JSON at all", "hello", { message: /byte 0\b/ }),
  bad("single quotes", "{'model':'demo'}", { message: /byte 1\b/ }),
  bad("NaN", `{"model":"demo","messages":${hello},"temperature":NaN}`, { message: /byte \d+/ }),
  bad("something after the end", `${good} x`, { message: /byte \d+/ }),
  bad("a raw line break in a string", '{"model":"de\nmo"}', { message: /byte 12\b/ }),
  bad("empty", "", { message: /empty/ }),
  bad("blank", "  \n", { message: /byte 3\b/ }),
  bad("an array", "[]", { message: /object/ }),
  bad("a string", '"demo"', { message: /object/ }),
  bad("null", "null", { message: /object/ }),
  bad("not UTF-8", Buffer.from([...Buffer.from('{"model":"'), 0xff, 0xc3, 0x28, ...Buffer.from('"}')]), {
    message: /UTF-8/,
  }),
];

const missing = (param: string, body: string): BadInput => ({
  name: `${param} missing`,
  body,
  status: 400,
  code: "invalid_request",
  param,
  message: new RegExp(param),
});

const wrongType = (param: string, body: string, what: string): BadInput =>
  bad(`${param} is ${what}`, body, { param, message: new RegExp(param) });

/** "missing or wrong-typed `model`/`messages` → 400 with `param`" */
export const wrongFields: readonly BadInput[] = [
  missing("model", `{"messages":${hello}}`),
  missing("messages", '{"model":"demo"}'),
  ...["5", "null", "true", "[]", "{}", '""'].map((value) =>
    wrongType("model", `{"model":${value},"messages":${hello}}`, value),
  ),
  wrongType(
    "model",
    JSON.stringify({ model: "m".repeat(5_000), messages: [] }).replace("[]", hello),
    "far too long",
  ),
  ...["5", "null", '"hi"', "{}", "[]"].map((value) =>
    wrongType("messages", `{"model":"demo","messages":${value}}`, value),
  ),
  wrongType("stream", chat('"stream":"yes"'), '"yes"'),
  wrongType("stream", chat('"stream":1'), "1"),
  wrongType("stream_options", chat('"stream":true,"stream_options":true'), "true"),
  wrongType("stream_options", chat('"stream_options":{"include_usage":true}'), "given without stream"),
  wrongType("max_tokens", chat('"max_tokens":"10"'), '"10"'),
  wrongType("max_completion_tokens", chat('"max_completion_tokens":[]'), "[]"),
  wrongType("n", chat('"n":"2"'), '"2"'),
  wrongType("model", `{"model":"demo","messages":${hello},"model":"other"}`, "given twice"),
  wrongType("model", `{"messages":${hello},"mod\\u0065l":"demo"}`, "spelled with an escape"),
];

/**
 * "unknown model → 404 `model_not_found` (never a hint about models the key may not see)"
 * and "model not on the key's list → 403"
 */
export const wrongModels: readonly BadInput[] = [
  {
    name: "a model nobody serves",
    body: `{"model":"nope","messages":${hello}}`,
    status: 404,
    code: "model_not_found",
    param: "model",
    message: /nope/,
  },
  {
    name: "a model nobody serves, retrieved",
    method: "GET",
    path: "/v1/models/nope",
    status: 404,
    code: "model_not_found",
    param: "model",
    message: /nope/,
  },
  {
    name: "another case of letters",
    body: `{"model":"DEMO","messages":${hello}}`,
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a model not on the key's list",
    key: "limited",
    body: `{"model":"sound","messages":${hello}}`,
    status: 403,
    code: "model_not_allowed",
    param: "model",
  },
  {
    name: "no model, asked with a key that has a list",
    key: "limited",
    body: `{"model":"nope","messages":${hello}}`,
    status: 403,
    code: "model_not_allowed",
    param: "model",
  },
  {
    name: "a model not on the key's list, retrieved",
    key: "limited",
    method: "GET",
    path: "/v1/models/sound",
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a model without a price",
    body: `{"model":"unpriced","messages":${hello}}`,
    status: 503,
    code: "no_available_upstream",
  },
];

const refused = (key: KeyKind, code: string): readonly BadInput[] => [
  { name: `${key} key, chat`, key, body: good, status: 401, code },
  { name: `${key} key, list of models`, key, method: "GET", path: "/v1/models", status: 401, code },
  { name: `${key} key, one model`, key, method: "GET", path: "/v1/models/demo", status: 401, code },
];

const garbled = (name: string, authorization: string): BadInput => ({
  name,
  authorization,
  body: good,
  status: 401,
  code: "invalid_api_key",
});

/** "no/garbled/unknown/expired/disabled key → 401 with its code" */
export const wrongKeys: readonly BadInput[] = [
  ...refused("none", "invalid_api_key"),
  ...refused("unknown", "invalid_api_key"),
  ...refused("mistyped", "invalid_api_key"),
  ...refused("revoked", "invalid_api_key"),
  ...refused("expired", "api_key_expired"),
  ...refused("disabled", "api_key_disabled"),
  garbled("no scheme", "sk-plaza-abcdef"),
  garbled("another scheme", "Basic dXNlcjpwYXNz"),
  garbled("a scheme and nothing", "Bearer"),
  garbled("a scheme and blanks", "Bearer    "),
  garbled("a key of another vendor", "Bearer sk-proj-abcdefghijklmnopqrstuvwxyz"),
  garbled("only the prefix", "Bearer sk-plaza-"),
  garbled("a very long one", `Bearer sk-plaza-${"a".repeat(8_000)}`),
  {
    name: "a bad key and a bad body: the key counts",
    key: "unknown",
    body: "{",
    status: 401,
    code: "invalid_api_key",
  },
];

const mebibyte = 1024 * 1024;
const tooBig = Buffer.alloc(33 * mebibyte, 0x20);
tooBig.write(good);

/** "too large / deep / many values → 413/400" */
export const tooMuch: readonly BadInput[] = [
  ...["keep-alive", "close"].map((connection) => ({
    name: `33 MiB announced, connection: ${connection}`,
    headers: { connection },
    body: tooBig,
    status: 413,
    code: "request_too_large",
    message: /33554432/,
  })),
  {
    name: "33 MiB unannounced",
    body: tooBig,
    isChunked: true,
    status: 413,
    code: "request_too_large",
    message: /33554432/,
  },
  {
    name: "65 levels deep",
    body: chat(`"x":${"[".repeat(64)}${"]".repeat(64)}`),
    status: 413,
    code: "request_too_large",
    message: /64 levels/,
  },
  {
    name: "a million brackets",
    body: "[".repeat(1_000_000),
    status: 413,
    code: "request_too_large",
    message: /64 levels/,
  },
  {
    name: "more than 200,000 values",
    body: chat(`"x":[${"0,".repeat(200_000)}0]`),
    status: 413,
    code: "request_too_large",
    message: /200000 values/,
  },
];

const nowhere = (method: string, path: string): BadInput => ({
  name: `${method} ${path}`,
  method,
  path,
  status: 404,
  code: "not_found",
  ...(method === "POST" ? { body: good } : {}),
});

/** "unknown path → 404 in the error shape" */
export const wrongPaths: readonly BadInput[] = [
  nowhere("POST", "/v1/nope"),
  nowhere("POST", "/v1/files"),
  nowhere("POST", "/v1/chat/completions/extra"),
  nowhere("POST", "/v1/chat"),
  nowhere("POST", "/v1/"),
  nowhere("GET", "/v1/chat/nope"),
  nowhere("POST", "/chat/completions"),
  nowhere("POST", "/v2/chat/completions"),
  nowhere("GET", "/nope"),
  nowhere("GET", "/.env"),
  nowhere("DELETE", "/nope?x=1"),
  {
    name: "a path that is not percent-encoded",
    method: "GET",
    path: "/v1/models/%zz",
    status: 400,
    code: "invalid_request",
  },
];

const notThis = (method: string, path: string, ...allow: readonly string[]): BadInput => ({
  name: `${method} ${path}`,
  method,
  path,
  status: 405,
  code: "method_not_allowed",
  allow,
});

/** "wrong method → 405 with `Allow`" */
export const wrongMethods: readonly BadInput[] = [
  ...["GET", "PUT", "PATCH", "DELETE"].map((method) => notThis(method, "/v1/chat/completions", "POST")),
  notThis("POST", "/v1/models", "GET"),
  notThis("DELETE", "/v1/models/demo", "GET"),
  notThis("PUT", "/healthz", "GET"),
];

const type = (contentType: string): BadInput => ({
  name: contentType,
  headers: { "content-type": contentType },
  body: good,
  status: 415,
  code: "unsupported_media_type",
  message: /application\/json/,
});
const coded = (encoding: string, body: Buffer | string): BadInput => ({
  name: encoding,
  headers: { "content-encoding": encoding },
  body,
  status: 415,
  code: "unsupported_media_type",
  message: /compress/i,
});

/** "wrong content type 415; compressed body 415" */
export const wrongTypes: readonly BadInput[] = [
  type("text/plain"),
  type("application/x-www-form-urlencoded"),
  type("multipart/form-data; boundary=x"),
  type("application/jsonx"),
  coded("br", "not looked at"),
  coded("deflate", "not looked at"),
  coded("gzip, gzip", gzipSync(gzipSync(good))),
];
