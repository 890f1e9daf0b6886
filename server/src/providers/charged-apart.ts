/**
 * What of a request makes upstreams charge beside tokens, or tokens at another rate than the catalog has:
 * searches and other tools that run at the upstream, tiers of service, other models. Data and pure rules;
 * nothing here knows of a single upstream.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { recordOf } from "../lib/record.ts";
import type { OptionRule } from "./provider.ts";

/** Does this value ask for nothing that is charged apart? */
type IsHarmless = (value: unknown) => boolean;

const isOff: IsHarmless = (value) =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);
const isNull: IsHarmless = (value) => value === null;
const oneOf =
  (...words: readonly string[]): IsHarmless =>
  (value) =>
    value === null || (typeof value === "string" && words.includes(value));

/** By name, at the top of a request or in an object it holds. */
export const chargedApart: Readonly<Record<string, IsHarmless>> = {
  // What clients send by themselves; each means the usual price.
  service_tier: oneOf("auto", "default", "standard", "standard_only", "on_demand"),
  speed: oneOf("standard"),
  inference_geo: isNull,
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
  // Who serves, and at what price, at routers.
  provider: isNull,
  fallbacks: isOff,
};

/**
 * Names that are the gateway's at the top of a request, and would choose another model from inside an object.
 */
export const modelNames: readonly string[] = ["model", "models"];

/** The option of an upstream that lets some of them through. */
export const allowOption = "allowUnpriced";

/** What an operator may name in it. `tools`: tools that run at the upstream. */
const allowable: readonly string[] = [...Object.keys(chargedApart), ...modelNames, "tools"];

const allowed = `(?:${allowable.join("|")})`;

/** The option itself: every provider with a network has it. */
export const allowRule: OptionRule = {
  help: message("provider.chargedApart"),
  pattern: new RegExp(`^${allowed}(?:,${allowed})*$`),
};

/**
 * Whether the operator lets this one through. `path`: as found in a request,
 * like `extra_body.plugins` or `tools[2]`.
 */
export function isLetThrough(path: string, options: Readonly<Record<string, string>> | undefined): boolean {
  const name = path.slice(path.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "");
  return options?.[allowOption]?.split(",").includes(name) === true;
}

/** Tools that run at upstreams, as members of a tool's object, without case, underscores and hyphens. */
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

/**
 * Is this a tool of the caller's own, a function to call or a custom one? Whatever else an upstream might run
 * by itself. `names`: of the tool's members; `type`: the value of `type`, undefined where there is none.
 */
export function isOwnTool(names: readonly string[], type: unknown): boolean {
  for (const name of names) {
    const folded = name.toUpperCase().toLowerCase();
    if (folded === "type" && name !== "type") return false;
    if (hostedMembers.has(folded.replace(/[_-]/g, ""))) return false;
  }
  if (type === undefined || type === null) return names.includes("function") || names.includes("name");
  return type === "function" || type === "custom";
}
