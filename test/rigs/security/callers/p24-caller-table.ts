/**
 * What everybody with an API key, or without one, gets at each path of the data plane, written by hand. P24
 * takes the paths from the product and fails for one without a row here, and for a row without a path.
 */
import type { ErrorFormat } from "../../../behaviour/harness/error-shapes.ts";

/**
 * Whose keys are tried. A, the owner's account, has most of them; `stranger` is another account's, `narrow`
 * may use the model `other` alone, `spare` may use all.
 */
export const callers = [
  "nobody",
  "malformed",
  "unknown",
  "revoked",
  "disabled",
  "expired",
  "elsewhere",
  "suspended",
  "closed",
  "narrow",
  "stranger",
  "spare",
  "owner",
] as const;
export type CallerName = (typeof callers)[number];

/** `in`, or a status and a code. */
export type CallerVerdict = "in" | `${number} ${string}`;

/**
 * `call`: asks a model. `list`: shows what the key may use. `model`: shows one model. `account`: shows the
 * caller's own account. `request`: a call that the owner's key made. `response`: an answer stored for A.
 */
export type CallerRule = "call" | "list" | "model" | "account" | "request" | "response";

/** Keys that nothing is told, whatever they ask for. */
const refused = {
  nobody: "401 invalid_api_key",
  malformed: "401 invalid_api_key",
  unknown: "401 invalid_api_key",
  revoked: "401 invalid_api_key",
  disabled: "401 api_key_disabled",
  expired: "401 api_key_expired",
  elsewhere: "403 ip_not_allowed",
  suspended: "403 account_suspended",
  closed: "403 account_suspended",
} as const satisfies Partial<Record<CallerName, CallerVerdict>>;

export const verdicts: Readonly<Record<CallerRule, Readonly<Record<CallerName, CallerVerdict>>>> = {
  call: { ...refused, narrow: "403 model_not_allowed", stranger: "in", spare: "in", owner: "in" },
  list: { ...refused, narrow: "in", stranger: "in", spare: "in", owner: "in" },
  model: { ...refused, narrow: "404 model_not_found", stranger: "in", spare: "in", owner: "in" },
  account: { ...refused, narrow: "in", stranger: "in", spare: "in", owner: "in" },
  request: {
    ...refused,
    narrow: "404 not_found",
    stranger: "404 not_found",
    spare: "404 not_found",
    owner: "in",
  },
  response: { ...refused, narrow: "404 not_found", stranger: "404 not_found", spare: "in", owner: "in" },
};

export interface CallerRow {
  readonly rule: CallerRule;
  /** How its errors look. */
  readonly format: ErrorFormat;
  /** Of a call: the model it asks for; absent: `open`. */
  readonly model?: string;
  /** Of a call: its body, which names the model where the path does not. */
  readonly body?: (model: string) => object;
  /** Of a call: it costs nothing. */
  readonly isFree?: true;
}

const chatBody = (model: string) => ({ model, messages: [{ role: "user", content: "hi" }] });
const messagesBody = (model: string) => ({ ...chatBody(model), max_tokens: 20 });
const geminiBody = () => ({ contents: [{ role: "user", parts: [{ text: "hi" }] }] });
const responsesBody = (model: string) => ({ model, input: "hi" });
const textBody = (model: string) => ({ model, prompt: "hi" });
const vectorsBody = (model: string) => ({ model, input: "hi" });
const content = { parts: [{ text: "hi" }] };

const chat: CallerRow = { rule: "call", format: "openai-chat", body: chatBody };
const text: CallerRow = { rule: "call", format: "openai-chat", body: textBody };
const vectors: CallerRow = { rule: "call", format: "openai-chat", body: vectorsBody };
const responses: CallerRow = { rule: "call", format: "openai-responses", body: responsesBody };
const messages: CallerRow = {
  rule: "call",
  format: "anthropic-messages",
  model: "claude",
  body: messagesBody,
};
const gemini: CallerRow = { rule: "call", format: "gemini", model: "google", body: geminiBody };
const geminiVector: CallerRow = { rule: "call", format: "gemini", body: () => ({ content }) };
const geminiVectors: CallerRow = {
  rule: "call",
  format: "gemini",
  body: (model) => ({ requests: [{ model: `models/${model}`, content }] }),
};

const geminiRows = (root: string): Record<string, CallerRow> => ({
  [`POST ${root}/models/*:generateContent`]: gemini,
  [`POST ${root}/models/*:streamGenerateContent`]: gemini,
  [`POST ${root}/models/*:countTokens`]: { ...gemini, isFree: true },
  [`POST ${root}/models/*:embedContent`]: geminiVector,
  [`POST ${root}/models/*:batchEmbedContents`]: geminiVectors,
});

/** By method and path, as the product has them. */
export const callerRows: Readonly<Record<string, CallerRow>> = {
  "POST /v1/chat/completions": chat,
  "POST /v1/completions": text,
  "POST /v1/embeddings": vectors,
  "POST /v1/responses": responses,
  "POST /v1/responses/input_tokens": { ...responses, isFree: true },
  "POST /v1/messages": messages,
  "POST /v1/messages/count_tokens": { ...messages, isFree: true },
  ...geminiRows("/v1beta"),
  ...geminiRows("/v1"),
  "POST /openai/deployments/*/chat/completions": chat,
  "POST /openai/deployments/*/completions": text,
  "POST /openai/deployments/*/embeddings": vectors,
  "POST /openai/deployments/*/responses": responses,
  "GET /v1/models": { rule: "list", format: "openai-chat" },
  "GET /v1/models/*": { rule: "model", format: "openai-chat" },
  "GET /v1beta/models": { rule: "list", format: "gemini" },
  "GET /v1beta/models/*": { rule: "model", format: "gemini" },
  "GET /v1/balance": { rule: "account", format: "openai-chat" },
  "GET /v1/requests/*": { rule: "request", format: "openai-chat" },
  "GET /v1/responses/*": { rule: "response", format: "openai-responses" },
  "DELETE /v1/responses/*": { rule: "response", format: "openai-responses" },
};

/** Other beginnings of such paths, as clients of Azure and of Google's compatible route have them. */
export const spelled: readonly (readonly [other: string, path: string])[] = [
  ["/openai/v1/", "/v1/"],
  ["/v1beta/openai/", "/v1/"],
  ["/v1alpha/", "/v1beta/"],
  // Azure's dated API has these two beside its deployments.
  ["/openai/models", "/v1/models"],
  ["/openai/responses", "/v1/responses"],
];
