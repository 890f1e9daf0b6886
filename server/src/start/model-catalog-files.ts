/**
 * Reads the shipped model catalog from `catalog/models/PROVIDER.json`, each file on first use.
 * `domain/catalog/model-catalog.ts` interprets the names.
 */
import { fileURLToPath } from "node:url";
import {
  type CatalogRow,
  type FindRow,
  indexRows,
  type ModelCatalog,
} from "../domain/catalog/model-catalog.ts";
import { openShippedFolder, type ShippedFolder } from "../lib/shipped-folder.ts";

const shippedFolder = fileURLToPath(new URL("../../../catalog/models/", import.meta.url));

/** Only names of this form are looked for on disk. */
const providerForm = /^[a-z][a-z0-9-]{0,63}$/;

interface Shelf {
  readonly rows: readonly CatalogRow[];
  readonly find: FindRow;
}

function readRows(files: ShippedFolder, provider: string): readonly CatalogRow[] {
  const text = providerForm.test(provider) ? files.read(`${provider}.json`)?.toString() : undefined;
  if (text === undefined) return [];
  return (JSON.parse(text) as { readonly models: readonly CatalogRow[] }).models;
}

/** Opens the catalog in a folder (with a trailing slash); default: the shipped one. */
export function openModelCatalog(folder = shippedFolder): ModelCatalog {
  const files = openShippedFolder(folder);
  const shelves = new Map<string, Shelf>();
  const shelfOf = (provider: string): Shelf => {
    const known = shelves.get(provider);
    if (known !== undefined) return known;
    const rows = readRows(files, provider);
    const shelf = { rows, find: indexRows(provider, rows) };
    // Missing providers are not cached: their names come from outside and are unlimited.
    if (rows.length > 0) shelves.set(provider, shelf);
    return shelf;
  };
  return {
    findModel: (provider, upstreamModelName) => shelfOf(provider).find(upstreamModelName),
    listModels: (provider) => shelfOf(provider).rows,
  };
}
