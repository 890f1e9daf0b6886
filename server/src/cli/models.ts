/** `plaza models`: the models as callers see them, with the same facts as `GET /v1/models`. */
import type { Catalog, Limits, Model } from "@plaza/contract/catalog.ts";
import type { Command } from "commander";
import { least, type ModelObject, modelList, modelObject } from "../domain/catalog/model-facts.ts";
import { type Measured, mergeReports } from "../domain/catalog/model-status.ts";
import { oldAfterDays, oldPrices } from "../domain/money/old-prices.ts";
import { catalogProviderOf } from "../providers/presets/priced-at.ts";
import type { CommandIo } from "./command-io.ts";
import { counted, formatTable, writeJson } from "./output.ts";
import { addStoreSettings, withStore } from "./with-store.ts";

interface Shown {
  readonly isDisabled: boolean;
  /** As shown to a caller without limits of its own. */
  readonly model: ModelObject;
}

function shown(model: Model, defaults: Limits, nowMs: number, measured: Measured): Shown {
  const limitOf = (kind: keyof Limits) => least([defaults[kind], model.limits?.[kind]]);
  return { isDisabled: model.isDisabled === true, model: modelObject(model, limitOf, nowMs, measured) };
}

const unknown = "?";
const headings = [
  "model",
  "name",
  "context",
  "max output",
  "modalities",
  "input $/M",
  "output $/M",
  "status",
  "operations",
];

function rowOf({ isDisabled, model }: Shown): string[] {
  const { modalities, pricing } = model;
  return [
    model.id,
    model.name,
    String(model.context_length ?? unknown),
    String(model.max_output_tokens ?? unknown),
    modalities === null ? unknown : `${modalities.input.join(",")} > ${modalities.output.join(",")}`,
    pricing?.input ?? unknown,
    pricing?.output ?? unknown,
    isDisabled ? "disabled" : model.status,
    model.operations.join(","),
  ];
}

const namedMax = 10;

/** Returns "2 prices are the shipped catalog's and older than 60 days …", or "" when none is. */
async function oldPricesText(catalog: Catalog, nowMs: number): Promise<string> {
  const { openModelCatalog } = await import("../start/model-catalog-files.ts");
  const shipped = { shipped: openModelCatalog(), shelfOf: catalogProviderOf };
  const old = oldPrices(catalog, shipped, new Date(nowMs));
  if (old.length === 0) return "";
  const named = old.slice(0, namedMax).map(({ id, date }) => `${id} (${date})`);
  const more = old.length > namedMax ? ` and ${old.length - namedMax} more` : "";
  const are = `${counted(old.length, "price is", "prices are")} the shipped catalog's and older than ${oldAfterDays} days`;
  return `${are}; compare with the vendors' pages: ${named.join(", ")}${more}.\n`;
}

async function show(io: CommandIo, options: { json?: boolean }): Promise<void> {
  const [catalog, reports] = await withStore(io, options, (store) =>
    Promise.all([store.loadCatalog(), store.listModelReports()]),
  );
  const nowMs = io.clock.wallMs();
  const measured = mergeReports(reports.map(({ models: report }) => report));
  const all = (catalog?.models ?? []).map((model) =>
    shown(model, catalog?.limits ?? {}, nowMs, measured.get(model.id)),
  );
  const models = all.flatMap(({ isDisabled, model }) => (isDisabled ? [] : [model]));
  if (options.json === true) {
    writeJson(io, modelList(models));
    return;
  }
  if (all.length === 0) {
    io.out(
      "No models yet. Connect an upstream with `npx plaza connect`, or apply a catalog with `npx plaza apply FILE`.\n",
    );
    return;
  }
  io.out(formatTable(headings, all.map(rowOf), ["context", "max output", "input $/M", "output $/M"]));
  const unpriced = models.filter(({ status }) => status === "unpriced").length;
  const unserved = models.filter(({ status }) => status === "unserved").length;
  const without = unpriced === 0 ? "" : `; ${unpriced} without a price, not callable`;
  const waiting = unserved === 0 ? "" : `; ${unserved} whose endpoint is not served yet`;
  const off = all.length === models.length ? "" : `; ${all.length - models.length} disabled`;
  io.out(`${counted(all.length, "model", "models")}${off}${without}${waiting}.\n`);
  if (catalog !== undefined) io.out(await oldPricesText(catalog, nowMs));
}

const more = `
Facts that no source states are unknown (?). With --json the answer is that of GET /v1/models for a key without limits of its own,
which leaves disabled models out.

Examples:
  $ npx plaza models
  $ npx plaza models --json
`;

export function addModels(program: Command, io: CommandIo): void {
  const command = program
    .command("models")
    .description("List the models, with their facts, prices and statuses.")
    .option("--json", "print JSON, like GET /v1/models")
    .addHelpText("after", more);
  addStoreSettings(command).action((options: { json?: boolean }) => show(io, options));
}
