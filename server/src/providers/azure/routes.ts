/**
 * Paths of the endpoints of both Azure APIs, and what older versions of the classic API lack
 * (docs/wire/azure-openai.md section 2).
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type CompiledRules, compileRules } from "../openai/adapt-request.ts";

const defaultVersion = "2024-10-21";

/** The first version that takes `stream_options`. Older versions never report a stream's usage. */
const streamOptionsSince = "2024-09-01";

const isV1 = (pathname: string): boolean => pathname.endsWith("/openai/v1");

/** The base path: up to and including `/openai/v1`, or up to `/deployments`. */
function routeOf({ baseUrl, options }: Upstream): {
  path: string;
  isV1: boolean;
  version: string | undefined;
} {
  const path = new URL(baseUrl).pathname.replace(/\/+$/, "");
  const version = options?.["apiVersion"];
  if (isV1(path)) return { path, isV1: true, version };
  return {
    path: path.endsWith("/openai") ? path : `${path}/openai`,
    isV1: false,
    version: version ?? defaultVersion,
  };
}

const queryOf = (version: string | undefined): string =>
  version === undefined ? "" : `?api-version=${encodeURIComponent(version)}`;

/** The path of an endpoint, like `chat/completions`. `deployment`: the model's name at the upstream. */
export function pathOf(upstream: Upstream, deployment: string, end: string): string {
  const route = routeOf(upstream);
  const before = route.isV1 ? route.path : `${route.path}/deployments/${encodeURIComponent(deployment)}`;
  return `${before}/${end}${queryOf(route.version)}`;
}

/** Of Responses, which the v1 surface alone has, at the same host. The deployment is named in the body. */
export function responsesPathOf(upstream: Upstream): string {
  const { path, isV1: isNew, version } = routeOf(upstream);
  return isNew ? `${path}/responses${queryOf(version)}` : `${path}/v1/responses`;
}

/** A list that costs nothing. */
export function probePathOf(upstream: Upstream): string {
  const { path, version } = routeOf(upstream);
  return `${path}/models${queryOf(version)}`;
}

const noRules = compileRules({});
const oldRules = compileRules({ sendsUsageUnasked: true });

export function rulesOf(upstream: Upstream): CompiledRules {
  const { isV1: isNew, version = "" } = routeOf(upstream);
  return isNew || version >= streamOptionsSince ? noRules : oldRules;
}

/** The scope of requested tokens, unless the upstream's options set one. */
export const scopeOf = (upstream: Upstream): string =>
  upstream.options?.["scope"] ??
  (routeOf(upstream).isV1 ? "https://ai.azure.com/.default" : "https://cognitiveservices.azure.com/.default");
