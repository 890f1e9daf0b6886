/**
 * Pure: whose prices the shipped catalog has for an upstream. Decided by the address, not by the protocol:
 * anybody may speak a provider's protocol, and some providers charge differently at another address. The
 * addresses are in the descriptors of providers and in the rows of presets.
 */
import type { PricedAt } from "../descriptor.ts";
import { providers } from "../index.ts";
import { findPreset, presets } from "./presets.ts";

interface Row extends PricedAt {
  /** Id of the provider or preset that says so. */
  readonly owner: string;
}

const rows: readonly Row[] = [...providers, ...presets].flatMap(({ id, pricedAt = [] }) =>
  pricedAt.map((row) => ({ ...row, owner: id })),
);

function rowOf(baseUrl: string): Row | undefined {
  const name = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  return rows.find(({ host, except }) => host.test(name) && except?.test(baseUrl) !== true);
}

/**
 * The catalog's provider for an upstream at this address; undefined for a host whose
 * prices nobody knows, a proxy before a known one included. `preset` counts only where the
 * address says nothing: Ollama runs anywhere.
 */
export const catalogProviderOf = (baseUrl: string, preset?: string): string | undefined =>
  rowOf(baseUrl)?.catalog ?? findPreset(preset)?.pricedAnywhere;

/** Id of the provider or preset whose address this is, as far as prices tell. */
export const ownerOfAddress = (baseUrl: string): string | undefined => rowOf(baseUrl)?.owner;
