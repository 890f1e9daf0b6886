/**
 * What pages without sign-in show: models with their prices and statuses, as any visitor sees them, from the
 * same sources as the plaza. Made at most every few seconds however many ask.
 */
import type { PriceDocument } from "@plaza/contract/api/catalog.ts";
import type { ModelStatus } from "@plaza/contract/catalog.ts";
import { pricesNow } from "../../domain/catalog/model-facts.ts";
import { statusAt } from "../../domain/catalog/model-status.ts";
import { priceDocument } from "../catalog/show.ts";
import type { ControlContext } from "../context.ts";
import { catalogOf, kept } from "../handlers/plaza/kept.ts";
import { isServed, overallState } from "../handlers/plaza/statuses.ts";

const factsMs = 5_000;
/** An operator who closes the plaza closes its pages within a second. */
const settingsMs = 1_000;

export interface PublicModel {
  readonly id: string;
  readonly name: string;
  readonly family: string | undefined;
  readonly description: string | undefined;
  readonly context: number | undefined;
  readonly status: ModelStatus;
  readonly price: PriceDocument | undefined;
}

export interface PublicFacts {
  /** The installation's name. */
  readonly name: string;
  /** Origin of the configured public address; undefined: none, so pages have no absolute URLs. */
  readonly site: string | undefined;
  readonly models: readonly PublicModel[];
  readonly state: ReturnType<typeof overallState>;
}

const settingsOf = kept(settingsMs, ({ store }: Pick<ControlContext, "store">) => store.getSettings());

/** True where visitors may look. */
export const isOpen = async (context: ControlContext): Promise<boolean> =>
  (await settingsOf(context, context.clock.wallMs())).plazaIsPublic;

/**
 * The console's address, if the operator stated it. A Host header is not asked: its sender could otherwise
 * put any address into what others and search engines read.
 */
export function siteOf({ publicUrl, consoleListen }: ControlContext["config"]): string | undefined {
  return publicUrl === undefined || consoleListen !== undefined ? undefined : new URL(publicUrl).origin;
}

const read = kept(factsMs, async (context: ControlContext, nowMs: number): Promise<PublicFacts> => {
  const { store, config, measuredOf } = context;
  const [{ name }, catalog] = await Promise.all([settingsOf(context, nowMs), catalogOf(store, nowMs)]);
  const models = catalog.models.map((model): PublicModel => {
    const { price } = pricesNow(model, nowMs);
    return {
      id: model.id,
      name: model.name,
      family: model.family,
      description: model.description,
      context: model.context,
      status: statusAt(model, price, measuredOf(model.id)),
      price: price === undefined ? undefined : priceDocument(price),
    };
  });
  const state = overallState(models.filter(({ status }) => isServed(status)));
  return { name, site: siteOf(config), models, state };
});

export const factsOf = (context: ControlContext): Promise<PublicFacts> =>
  read(context, context.clock.wallMs());
