/**
 * Tables of the codes, types and statuses of OpenAI-compatible upstreams and the fault kinds they mean
 * (docs/wire/upstream-errors.md section 2). A vendor with a new code gets a row here.
 */
import type { FaultKind } from "../../domain/routing/fault.ts";

/** Lower-case codes and types → kind, whatever the status. */
const kinds: Readonly<Record<string, FaultKind>> = {
  // The prompt is too long: OpenAI, llama.cpp, Zhipu.
  context_length_exceeded: "context_length",
  exceed_context_size_error: "context_length",
  "1261": "context_length",
  // The prompt is not allowed: Azure and Moonshot, OpenAI, DashScope, Azure's inner error, Zhipu.
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  data_inspection_failed: "content_filter",
  datainspectionfailed: "content_filter",
  responsibleaipolicyviolation: "content_filter",
  "1301": "content_filter",
  // The operator's credential.
  invalid_api_key: "upstream_auth",
  invalid_authentication_error: "upstream_auth",
  authentication_error: "upstream_auth",
  unsupported_country_region_territory: "upstream_auth",
  account_deactivated: "upstream_auth",
  api_key_invalid: "upstream_auth",
  // The model is missing (also as 400 or 403: retired, or not open to the operator's project).
  model_not_found: "model_unavailable",
  deploymentnotfound: "model_unavailable",
  // The operator's quota or balance: OpenAI, Moonshot, DashScope, Zhipu.
  insufficient_quota: "upstream_quota",
  credit_balance_exhausted: "upstream_quota",
  billing_hard_limit_reached: "upstream_quota",
  billing_not_active: "upstream_quota",
  exceeded_current_quota_error: "upstream_quota",
  insufficient_balance: "upstream_quota",
  arrearage: "upstream_quota",
  "1113": "upstream_quota",
  "1310": "upstream_quota",
  // The operator's rate limit: Moonshot, Anthropic's compatible endpoint, Azure, Zhipu.
  rate_limit_reached_error: "rate_limit",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  ratelimitreached: "rate_limit",
  resource_exhausted: "rate_limit",
  "1302": "rate_limit",
  "1303": "rate_limit",
  // The upstream's load: OpenAI, Anthropic, Moonshot, llama.cpp while loading, DeepSeek (as a finish reason),
  // Zhipu.
  server_is_overloaded: "overloaded",
  service_unavailable_error: "overloaded",
  overloaded_error: "overloaded",
  engine_overloaded_error: "overloaded",
  unavailable_error: "overloaded",
  insufficient_system_resource: "overloaded",
  "1305": "overloaded",
  // The model wrote a call that the upstream could not parse (Groq, as a 400). The caller can change prompt
  // and tools, and clients check for this code.
  tool_use_failed: "bad_request",
};

/** New spend-limit codes are still being added; their names have this pattern. */
const spendLimit = /^[a-z_]{0,40}spend[a-z_]{0,20}_limit[a-z_]{0,40}$/;

/** The kind a code or type means at this status; undefined when it is unknown. */
export function kindOfCode(code: string, status: number): FaultKind | undefined {
  const name = code.toLowerCase();
  // OpenAI's `slow_down` is a rate limit as 429 and overload as 503.
  if (name === "slow_down") return status === 503 ? "overloaded" : "rate_limit";
  if (name.startsWith("throttling")) return "rate_limit";
  if (spendLimit.test(name)) return "upstream_quota";
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Types and exception names with the status they correspond to, for errors inside a 200. */
const typeStatuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  badrequesterror: 400,
  invalid_argument: 400,
  permission_error: 403,
  permission_denied: 403,
  unauthenticated: 401,
  not_found_error: 404,
  notfounderror: 404,
  not_found: 404,
  request_too_large: 413,
  timeout_error: 504,
  deadline_exceeded: 504,
  unavailable: 503,
};

export function statusOfType(type: string): number | undefined {
  const name = type.toLowerCase();
  return Object.hasOwn(typeStatuses, name) ? typeStatuses[name] : undefined;
}

const kindsOfStatus: Readonly<Record<number, FaultKind>> = {
  400: "bad_request",
  401: "upstream_auth",
  402: "upstream_quota",
  403: "upstream_auth",
  404: "model_unavailable",
  408: "timeout",
  410: "model_unavailable",
  412: "upstream_auth",
  413: "too_large",
  422: "bad_request",
  429: "rate_limit",
  498: "overloaded",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/**
 * The kind of a status alone. Statuses that a caller cannot cause (405, 415, 431 …) are `server`: the
 * upstream's fault or Plaza's.
 */
export function kindOfStatus(status: number): FaultKind {
  return kindsOfStatus[status] ?? "server";
}
