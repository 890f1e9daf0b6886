/**
 * The shipped catalog on disk: `catalog/models/PROVIDER.json`, each read when it is first asked for. Knows
 * the files' place and outer form; what names mean is said in `domain/catalog/model-catalog.ts`.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type CatalogRow,
  type FindRow,
  indexRows,
  type ModelCatalog,
} from "../domain/catalog/model-catalog.ts";

const shippedFolder = fileURLToPath(new URL("../../../catalog/models/", import.meta.url));

/** Only such names are looked for on disk. */
const providerForm = /^[a-z][a-z0-9-]{0,63}$/;

interface Shelf {
  readonly rows: readonly CatalogRow[];
  readonly find: FindRow;
}

function readRows(folder: string, provider: string): readonly CatalogRow[] {
  if (!providerForm.test(provider)) return [];
  let text: string;
  try {
    text = readFileSync(`${folder}${provider}.json`, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return (JSON.parse(text) as { readonly models: readonly CatalogRow[] }).models;
}

/** Opens the catalog in a folder (with its trailing slash), that which is shipped when none is named. */
export function openModelCatalog(folder = shippedFolder): ModelCatalog {
  const shelves = new Map<string, Shelf>();
  const shelfOf = (provider: string): Shelf => {
    const known = shelves.get(provider);
    if (known !== undefined) return known;
    const rows = readRows(folder, provider);
    const shelf = { rows, find: indexRows(provider, rows) };
    // What is not there is not remembered: names of providers come from outside and have no end.
    if (rows.length > 0) shelves.set(provider, shelf);
    return shelf;
  };
  return {
    findModel: (provider, upstreamModelName) => shelfOf(provider).find(upstreamModelName),
    listModels: (provider) => shelfOf(provider).rows,
  };
}
