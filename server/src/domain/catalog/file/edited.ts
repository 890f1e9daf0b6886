/**
 * Reads upstreams and models as the console sends them, with the readers of the catalog file, so that there
 * is one set of rules. Faults are reported at the form's field. Pure; `${VARIABLE}` is not expanded.
 */
import type { ModelDocument, PriceDocument, UpstreamDocument } from "@plaza/contract/api/catalog.ts";
import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import type { FieldFault } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { mayReplace } from "@plaza/contract/operations.ts";
import { quote } from "../../../lib/quote.ts";
import { checkFallbacks, type FallbackLink } from "./fallbacks.ts";
import type { FormatFault } from "./formats.ts";
import { readModel } from "./models.ts";
import { type Plain, partOf } from "./plain.ts";
import { type Finding, fault, type Reading } from "./reading.ts";
import { type KnownUpstreams, readUpstream } from "./upstreams.ts";

/** The value read, or the faults of each field. */
export type Edited<Thing> =
  | { readonly ok: true; readonly value: Thing }
  | { readonly ok: false; readonly faults: readonly FieldFault[] };

const faultsMax = 100;

/** `deployments[0].timeouts.connect` → `deployments.0.timeouts.connectMs` */
function fieldOf(path: string): string {
  return path
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .replace(/(^|\.)timeouts\.(\w+)$/, "$1timeouts.$2Ms")
    .replace(/^hedge\.after$/, "hedge.afterMs");
}

/** A finding completes "the field …"; a form shows it as a separate sentence. */
const sentence = (found: Message): Message => message("form.sentence", { text: found });

function refuse(findings: readonly Finding[], rename: (path: string) => string): Edited<never> {
  const faults = findings
    .slice(0, faultsMax)
    .map(({ path, message: found }) => ({ path: fieldOf(rename(path)), message: sentence(found) }));
  return { ok: false, faults };
}

const newReading = (): Reading => ({ env: undefined, faults: [], warnings: [] });

type TimersDocument = Readonly<Record<string, number | null | undefined>>;

function timersOf(timeouts: TimersDocument | null): Plain {
  if (timeouts === null) return undefined;
  const timers = Object.entries(timeouts).flatMap(([name, ms]) =>
    ms === null || ms === undefined ? [] : [[name.replace(/Ms$/, ""), `${ms}ms`]],
  );
  return timers.length === 0 ? undefined : Object.fromEntries(timers);
}

/** An upstream with the secrets that were sent. */
export interface SentUpstream extends UpstreamDocument {
  /** Undefined: it keeps those it has. */
  readonly credentials?: readonly string[] | undefined;
  /** Values by name; null keeps the stored value. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
}

/**
 * An upstream as the console sent it. What it keeps, which only the store can read, is "kept" in the value.
 * `kept`: the number of its stored credentials.
 */
export function readEditedUpstream(
  document: SentUpstream,
  kept: number,
  known: KnownUpstreams,
): Edited<Upstream> {
  const reading = newReading();
  const { timeouts, credentials = Array.from({ length: kept }, () => "kept"), ...rest } = document;
  const headers = Object.entries(rest.headers ?? {}).map(([name, value]) => [name, value ?? "kept"]);
  const plain: Plain = {
    ...rest,
    options: Object.keys(rest.options).length === 0 ? undefined : rest.options,
    credentials: credentials.length === 0 ? undefined : credentials,
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    timeouts: timersOf(timeouts),
  };
  const upstream = readUpstream(reading, { part: partOf(plain), path: "" }, known);
  if (upstream === undefined || reading.faults.length > 0) return refuse(reading.faults, (path) => path);
  return { ok: true, value: upstream };
}

type ScheduledDocument = ModelDocument["scheduledPrices"][number];

/** A file has either one price or a list of prices. */
function pricesOf(price: PriceDocument | null, scheduled: readonly ScheduledDocument[]): Plain {
  if (scheduled.length === 0) return { price };
  return { prices: [...(price === null ? [] : [price]), ...scheduled] };
}

/** The form's field for a path in that list. */
function priceField(path: string, hasPrice: boolean): string {
  const [, number, rest = ""] = /^prices(?:\[(\d+)\](.*))?$/.exec(path) ?? [];
  if (number === undefined) return path === "prices" ? "price" : path;
  const place = Number(number) - (hasPrice ? 1 : 0);
  return place < 0 ? `price${rest}` : `scheduledPrices[${place}]${rest}`;
}

function modelPlain(document: ModelDocument): Plain {
  const { price, scheduledPrices, deployments, hedge, limits, fallbacks, disabled, ...facts } = document;
  return {
    ...facts,
    ...(disabled === undefined ? {} : { disabled }),
    ...(pricesOf(price, scheduledPrices) as Readonly<Record<string, Plain>>),
    deployments: deployments.map(({ formats, ...one }) => ({
      ...one,
      timeouts: timersOf(one.timeouts),
      ...(formats === null ? {} : { formats }),
    })),
    limits,
    fallbacks: fallbacks.length === 0 ? undefined : fallbacks,
    hedge: hedge === null ? undefined : hedge.afterMs === null ? true : { after: `${hedge.afterMs}ms` },
  };
}

/** The other models' fallbacks, to detect loops. A loop through them is reported at this model. */
function linksOf(models: readonly Model[]): FallbackLink[] {
  const spot = { part: partOf(""), path: "fallbacks" };
  return models.flatMap(({ id, fallbacks = [] }) => fallbacks.map((to) => ({ from: id, to, spot })));
}

/** A model that falls back to this one must share an operation with it. */
function checkReferences(reading: Reading, model: Model, others: readonly Model[]): void {
  const wronged = others.find((other) => other.fallbacks?.includes(model.id) && !mayReplace(model, other));
  if (wronged === undefined) return;
  const found = message("file.operationMissed", { model: quote(wronged.id) });
  fault(reading, { part: partOf(""), path: "operations" }, found);
}

/** What a model is checked against. */
export interface EditedAround {
  readonly upstreamIds: readonly string[];
  /** All models except this one. */
  readonly others: readonly Model[];
  /** The warning for a model with operations that its upstreams lack; absent: no warning. */
  readonly operationLacking?: (model: Model) => Message | undefined;
  /** Deployments with formats their upstreams cannot speak; absent: there are none. */
  readonly formatFaults?: (model: Model) => readonly FormatFault[];
}

/** Reads a model as the console sent it. */
export function readEditedModel(document: ModelDocument, there: EditedAround): Edited<Model> {
  const reading = newReading();
  const links: FallbackLink[] = [];
  const model = readModel(
    reading,
    { part: partOf(modelPlain(document)), path: "" },
    there.upstreamIds,
    links,
  );
  if (model !== undefined && links.length > 0)
    checkFallbacks(reading, links, [...there.others, model], linksOf(there.others));
  if (model !== undefined) checkReferences(reading, model, there.others);
  const lacking = model && there.operationLacking?.(model);
  if (lacking !== undefined) fault(reading, { part: partOf(""), path: "operations" }, lacking);
  const wrong = model === undefined ? [] : (there.formatFaults?.(model) ?? []);
  for (const { at, message } of wrong)
    fault(reading, { part: partOf(""), path: `deployments[${at}].formats` }, message);
  if (model === undefined || reading.faults.length > 0)
    return refuse(reading.faults, (path) => priceField(path, document.price !== null));
  return { ok: true, value: model };
}
