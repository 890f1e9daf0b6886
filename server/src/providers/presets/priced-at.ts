/**
 * Finds the shipped catalog's prices for an upstream. Pure. The address decides, not the protocol: any server
 * can speak a provider's protocol, and some providers have other prices at other addresses. The addresses are
 * in the descriptors and preset rows.
 */
import type { PricedAt } from "../descriptor.ts";
import { providers } from "../index.ts";
import { findPreset, presets } from "./presets.ts";

interface Row extends PricedAt {
  /** Id of the provider or preset with this address. */
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
 * The catalog provider for an upstream at this address. Undefined for unknown hosts, including proxies in
 * front of known ones. `preset` is used only when the address is unknown, as for Ollama, which runs anywhere.
 */
export const catalogProviderOf = (baseUrl: string, preset?: string): string | undefined =>
  rowOf(baseUrl)?.catalog ?? findPreset(preset)?.pricedAnywhere;

/** Id of the provider or preset that has prices for this address. */
export const ownerOfAddress = (baseUrl: string): string | undefined => rowOf(baseUrl)?.owner;
