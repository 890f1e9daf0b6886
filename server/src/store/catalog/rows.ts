/**
 * Converts items of the catalog to rows and back (prices and costs: `price-rows.ts`). Pure. Credentials occur
 * only as sealed text.
 */

import type {
  Capability,
  Catalog,
  CatalogSource,
  Deployment,
  Hedge,
  Limits,
  Model,
  Timeouts,
  Upstream,
} from "@plaza/contract/catalog.ts";
import type { FormatId } from "@plaza/contract/formats.ts";
import type { Operation } from "@plaza/contract/operations.ts";
import type { Insertable, Selectable } from "kysely";
import type { CatalogLimitsTable, DeploymentsTable, ModelsTable, UpstreamsTable } from "../sql/schema.ts";
import { priceJson, priceOfJson } from "./price-rows.ts";

/** Missing values are absent, never undefined, so that applied and loaded catalogs compare as equal. */
const present = <Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } =>
  value === null ? {} : ({ [name]: value } as { [Key in Name]?: Value });

interface LimitColumns {
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  concurrency: number | null;
}

/** Null when no limit is set. */
function limitsOrNull(row: LimitColumns): Limits | null {
  const limits: Limits = {
    ...present("requestsPerMinute", row.requests_per_minute),
    ...present("tokensPerMinute", row.tokens_per_minute),
    ...present("concurrency", row.concurrency),
  };
  return Object.keys(limits).length === 0 ? null : limits;
}

const limitColumns = (limits: Limits | undefined): LimitColumns => ({
  requests_per_minute: limits?.requestsPerMinute ?? null,
  tokens_per_minute: limits?.tokensPerMinute ?? null,
  concurrency: limits?.concurrency ?? null,
});

const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

export function toUpstream(
  row: Selectable<UpstreamsTable>,
  credentials: readonly string[],
  headers: Upstream["headers"],
): Upstream {
  return {
    id: row.id,
    provider: row.provider,
    baseUrl: row.base_url,
    credentials,
    ...present("headers", headers ?? null),
    timeouts: {
      connectMs: row.connect_ms,
      ...present("firstByteMs", row.first_byte_ms),
      firstTokenMs: row.first_token_ms,
      idleMs: row.idle_ms,
      totalMs: row.total_ms,
    },
    ...(row.on_disconnect === "finish" ? { onDisconnect: "finish" } : {}),
    ...present("concurrency", row.concurrency),
    ...present("queue", row.queue),
    ...(row.affinity === "none" ? { affinity: "none" } : {}),
    ...present("preset", row.preset),
    ...present("options", row.options === null ? null : (JSON.parse(row.options) as Record<string, string>)),
    source: row.source,
    revision: row.revision,
  };
}

/** A row without the columns that the writer sets: position, source and revision. */
type Own<Row> = Omit<Row, "position" | "source" | "revision" | "created_at">;

export const upstreamRow = (upstream: Upstream): Own<Insertable<UpstreamsTable>> => ({
  id: upstream.id,
  provider: upstream.provider,
  base_url: upstream.baseUrl,
  connect_ms: upstream.timeouts.connectMs,
  first_byte_ms: upstream.timeouts.firstByteMs ?? null,
  first_token_ms: upstream.timeouts.firstTokenMs,
  idle_ms: upstream.timeouts.idleMs,
  total_ms: upstream.timeouts.totalMs,
  on_disconnect: upstream.onDisconnect ?? "stop",
  concurrency: upstream.concurrency ?? null,
  queue: upstream.queue ?? null,
  affinity: upstream.affinity ?? "key",
  preset: upstream.preset ?? null,
  options: jsonOrNull(upstream.options),
});

export const toDeployment = (row: Selectable<DeploymentsTable>): Deployment => ({
  upstream: row.upstream_id,
  model: row.upstream_model,
  priority: row.priority,
  weight: row.weight,
  ...present("cost", row.cost === null ? null : priceOfJson(row.cost)),
  ...ownOf(row.timeouts),
});

/** What a deployment has of its own, in one column, which was first made for its timers. */
interface OwnColumn extends Partial<Timeouts> {
  readonly formats?: readonly FormatId[];
}

function ownOf(column: string | null): Pick<Deployment, "timeouts" | "formats"> {
  if (column === null) return {};
  const { formats, ...timeouts } = JSON.parse(column) as OwnColumn;
  return {
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
    ...(formats === undefined ? {} : { formats }),
  };
}

function ownColumn({ timeouts, formats }: Deployment): string | null {
  if (formats === undefined) return jsonOrNull(timeouts);
  return jsonOrNull({ ...timeouts, formats });
}

export const deploymentRows = (model: Model): DeploymentsTable[] =>
  model.deployments.map((deployment, position) => ({
    model_id: model.id,
    position,
    upstream_id: deployment.upstream,
    upstream_model: deployment.model,
    priority: deployment.priority,
    weight: deployment.weight,
    cost: deployment.cost === undefined ? null : priceJson(deployment.cost),
    timeouts: ownColumn(deployment),
  }));

export function toModel(
  row: Selectable<ModelsTable>,
  prices: Pick<Model, "price" | "scheduledPrices" | "priceRows">,
  deployments: readonly Deployment[],
): Model {
  const modalities =
    row.input_modalities === null || row.output_modalities === null
      ? null
      : {
          input: JSON.parse(row.input_modalities) as string[],
          output: JSON.parse(row.output_modalities) as string[],
        };
  return {
    id: row.id,
    name: row.name,
    ...present("description", row.description),
    ...present("operations", row.operations === null ? null : (JSON.parse(row.operations) as Operation[])),
    ...present("context", row.context),
    ...present("maxOutput", row.max_output),
    ...present("family", row.family),
    ...present("modalities", modalities),
    ...present(
      "capabilities",
      row.capabilities === null ? null : (JSON.parse(row.capabilities) as Capability[]),
    ),
    ...present("deprecatedAt", row.deprecated_at),
    ...(row.is_disabled === 1 ? { isDisabled: true } : {}),
    ...prices,
    deployments,
    ...present("limits", limitsOrNull(row)),
    ...present("fallbacks", row.fallbacks === null ? null : (JSON.parse(row.fallbacks) as string[])),
    ...present("hedge", row.hedge === null ? null : (JSON.parse(row.hedge) as Hedge)),
    ...present("createdAt", row.created_at),
    source: row.source,
    revision: row.revision,
  };
}

export const modelRow = (model: Model): Own<Insertable<ModelsTable>> => ({
  id: model.id,
  name: model.name,
  description: model.description ?? null,
  operations: jsonOrNull(model.operations),
  context: model.context ?? null,
  max_output: model.maxOutput ?? null,
  input_modalities: model.modalities === undefined ? null : JSON.stringify(model.modalities.input),
  output_modalities: model.modalities === undefined ? null : JSON.stringify(model.modalities.output),
  family: model.family ?? null,
  capabilities: jsonOrNull(model.capabilities),
  deprecated_at: model.deprecatedAt ?? null,
  is_disabled: model.isDisabled === true ? 1 : 0,
  ...limitColumns(model.limits),
  fallbacks: jsonOrNull(model.fallbacks),
  hedge: jsonOrNull(model.hedge),
});

/** True when any limit is set. A file without limits leaves them to the console. */
export const hasLimits = ({ limits, installation }: Pick<Catalog, "limits" | "installation">): boolean =>
  [limits, installation ?? {}].some((some) => Object.values(some).some((limit) => limit !== undefined));

/** The default limits of accounts, and the limits of the whole installation. */
export function toCatalogLimits(
  row: Selectable<CatalogLimitsTable>,
): Pick<Catalog, "limits" | "installation" | "keptLimits"> {
  const limits: Pick<Catalog, "limits" | "installation"> = {
    limits: limitsOrNull(row) ?? {},
    ...present(
      "installation",
      limitsOrNull({
        requests_per_minute: row.installation_requests_per_minute,
        tokens_per_minute: row.installation_tokens_per_minute,
        concurrency: row.installation_concurrency,
      }),
    ),
  };
  const source = row.source === "file" && hasLimits(limits) ? "file" : "console";
  return { ...limits, keptLimits: { source, revision: row.revision } };
}

export const limitsRow = (
  { limits, installation }: Pick<Catalog, "limits" | "installation">,
  { source, revision }: { readonly source: CatalogSource; readonly revision: number },
): Insertable<CatalogLimitsTable> => ({
  id: 1,
  ...limitColumns(limits),
  installation_requests_per_minute: installation?.requestsPerMinute ?? null,
  installation_tokens_per_minute: installation?.tokensPerMinute ?? null,
  installation_concurrency: installation?.concurrency ?? null,
  source,
  revision,
});
