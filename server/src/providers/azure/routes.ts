/**
 * Where Azure's two surfaces have their endpoints, and what older versions of the classic one lack
 * (docs/wire/azure-openai.md section 2).
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type CompiledRules, compileRules } from "../openai/adapt-request.ts";

const defaultVersion = "2024-10-21";

/** The first version that takes `stream_options`; before it a stream's usage is never told. */
const streamOptionsSince = "2024-09-01";

const isV1 = (pathname: string): boolean => pathname.endsWith("/openai/v1");

/** Up to and including `/openai/v1`, or in front of `/deployments`. */
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

/** Of an endpoint, like `chat/completions`. `deployment`: the model's name at the upstream. */
export function pathOf(upstream: Upstream, deployment: string, end: string): string {
  const route = routeOf(upstream);
  const before = route.isV1 ? route.path : `${route.path}/deployments/${encodeURIComponent(deployment)}`;
  return `${before}/${end}${queryOf(route.version)}`;
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

/** What tokens are asked for, where the upstream does not say. */
export const scopeOf = (upstream: Upstream): string =>
  upstream.options?.["scope"] ??
  (routeOf(upstream).isV1 ? "https://ai.azure.com/.default" : "https://cognitiveservices.azure.com/.default");
