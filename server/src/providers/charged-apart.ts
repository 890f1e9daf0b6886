/**
 * Request fields for which upstreams charge extra, or charge tokens at a rate the catalog does not have:
 * hosted tools such as search, service tiers, other models. Data and pure rules; no upstream is named here.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { recordOf } from "../lib/record.ts";
import type { OptionRule } from "./provider.ts";

/** True when this value of the field adds no extra charge. */
type IsHarmless = (value: unknown) => boolean;

const isOff: IsHarmless = (value) =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);
const isNull: IsHarmless = (value) => value === null;
const oneOf =
  (...words: readonly string[]): IsHarmless =>
  (value) =>
    value === null || (typeof value === "string" && words.includes(value));

/** Field names, at the top of a request or in an object inside it, and their harmless values. */
export const chargedApart: Readonly<Record<string, IsHarmless>> = {
  // Values that clients send by default; each means the usual price.
  service_tier: oneOf("auto", "default", "standard", "standard_only", "on_demand"),
  serviceTier: oneOf("standard", "STANDARD", "unspecified", "SERVICE_TIER_UNSPECIFIED"),
  speed: oneOf("standard"),
  inference_geo: oneOf("global"),
  web_search_options: isNull,
  web_search: isOff,
  enable_search: isOff,
  search_parameters: (value) => value === null || recordOf(value)["mode"] === "off",
  enable_code_interpreter: isOff,
  google_search: isOff,
  googleSearch: isOff,
  google_search_retrieval: isOff,
  googleSearchRetrieval: isOff,
  google_maps: isOff,
  googleMaps: isOff,
  url_context: isOff,
  urlContext: isOff,
  code_execution: isOff,
  codeExecution: isOff,
  compound_custom: isNull,
  mcp_servers: isOff,
  plugins: isOff,
  // Machines and skills of the upstream's, by the hour.
  container: isOff,
  user_profile_id: isNull,
  // Who is billed, and a token of an earlier refusal that changes the rates.
  billing_policy: (value) => value === null || recordOf(value)["bill_to"] === "self",
  fallback_credit_token: isNull,
  // At routers: which vendor serves the request, and at what price.
  provider: isNull,
  fallbacks: isOff,
};

/** Set by the gateway at the top of a request. Inside an object they could select another model. */
export const modelNames: readonly string[] = ["model", "models"];

/** The upstream option that permits some of these fields. */
export const allowOption = "allowUnpriced";

/** Values the operator may list in the option. `tools`: tools that run at the upstream. */
const allowable: readonly string[] = [...Object.keys(chargedApart), ...modelNames, "tools"];

const allowed = `(?:${allowable.join("|")})`;

/** The rule of that option. Every provider that uses the network has it. */
export const allowRule: OptionRule = {
  help: message("provider.chargedApart"),
  pattern: new RegExp(`^${allowed}(?:,${allowed})*$`),
};

/**
 * True when the operator permits this field. `path`: its path in the request, like `extra_body.plugins` or
 * `tools[2]`.
 */
export function isLetThrough(path: string, options: Readonly<Record<string, string>> | undefined): boolean {
  const listed = options?.[allowOption]?.split(",");
  if (listed === undefined) return false;
  const name = path.slice(path.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "");
  const isTool = path.startsWith("tools[") || path.endsWith(".tool.definition");
  return listed.includes(name) || (isTool && listed.includes("tools"));
}

/**
 * Members of a tool object that mark a tool hosted by the upstream; lower case, without underscores and
 * hyphens.
 */
const hostedMembers: ReadonlySet<string> = new Set([
  "googlesearch",
  "googlesearchretrieval",
  "googlemaps",
  "enterprisewebsearch",
  "urlcontext",
  "codeexecution",
  "codeinterpreter",
  "websearch",
  "websearchpreview",
  "filesearch",
  "retrieval",
  "computeruse",
  "imagegeneration",
  "mcp",
]);

/** Members of most tools of callers, which need no look at their spelling. */
const ownMembers = new Set(["type", "name", "function", "description", "parameters", "strict", "format"]);

/**
 * True for a function or custom tool that the caller runs. Any other tool might run at the upstream. `names`:
 * the tool's members; `type`: its `type`, undefined when absent.
 */
export function isOwnTool(names: readonly string[], type: unknown): boolean {
  for (const name of names) {
    if (ownMembers.has(name)) continue;
    const folded = name.toUpperCase().toLowerCase();
    if (folded === "type") return false;
    if (hostedMembers.has(folded.replace(/[_-]/g, ""))) return false;
  }
  if (type === undefined || type === null) return names.includes("function") || names.includes("name");
  return type === "function" || type === "custom";
}
