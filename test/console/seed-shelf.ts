/** Many models for the seeded installation: those of the shipped catalog, on the seeded upstream. */
import { readdirSync, readFileSync } from "node:fs";
import { type Capability, capabilityNames, type Model, type Price } from "@plaza/contract/catalog.ts";
import { parseUsd } from "@plaza/contract/money.ts";
import { rootFolder } from "../rigs/harness/processes/processes.ts";

/** A model of the catalog's files, as far as it is read here. */
interface ShelfModel {
  readonly id: string;
  readonly name?: string;
  readonly family?: string;
  readonly context?: number;
  readonly maxOutput?: number;
  readonly modalities?: { readonly input: string[]; readonly output: string[] };
  readonly capabilities?: Readonly<Partial<Record<Capability, boolean>>>;
  readonly price?: Readonly<Record<string, unknown>>;
}

function priceOf(price: ShelfModel["price"]): { readonly price?: Price } {
  const { input, output } = price ?? {};
  if (typeof input !== "string" || typeof output !== "string") return {};
  return { price: { input: parseUsd(input), output: parseUsd(output) } };
}

/** The first models of the catalog, each id once. */
export function shelfModels(count: number): readonly Model[] {
  const folder = `${rootFolder}catalog/models/`;
  const models = new Map<string, Model>();
  for (const file of readdirSync(folder).sort()) {
    const { models: listed } = JSON.parse(readFileSync(folder + file, "utf8")) as { models: ShelfModel[] };
    for (const { id, name = id, family, context, maxOutput, modalities, capabilities, price } of listed) {
      if (models.size >= count) break;
      if (models.has(id) || !/^[\w./:@-]+$/.test(id)) continue;
      models.set(id, {
        id,
        name,
        ...(family === undefined ? {} : { family }),
        ...(context === undefined ? {} : { context }),
        ...(maxOutput === undefined ? {} : { maxOutput }),
        ...(modalities === undefined ? {} : { modalities }),
        ...(capabilities === undefined
          ? {}
          : { capabilities: capabilityNames.filter((one) => capabilities[one] === true) }),
        ...priceOf(price),
        deployments: [{ upstream: "main", model: id, priority: 1, weight: 1 }],
      });
    }
  }
  return [...models.values()];
}
