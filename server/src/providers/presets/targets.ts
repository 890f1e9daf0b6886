/**
 * What an operator can connect by name: every preset, and every provider without a preset. Pure; built from
 * `presets.ts` and `index.ts`.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { ClientKeys, Origin, ProviderDescriptor } from "../descriptor.ts";
import { providers } from "../index.ts";
import type { Ended, Preset } from "./preset.ts";
import { presets } from "./presets.ts";

/** A service or protocol that can be connected by name. */
export interface Target {
  /** Id of the preset or the provider. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly provider: ProviderDescriptor;
  readonly preset: Preset | undefined;
  /** The default base URL; undefined when only its operator knows it. */
  readonly baseUrl: string | undefined;
  /**
   * Forms of the address when an option or the operator supplies parts, like `https://{region}.example.com`;
   * the usual form first.
   */
  readonly baseUrlForms: readonly string[];
  /** Environment variables the vendor's tools read the key from, the usual one first. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /** Its keys, where they can be told by how they begin. */
  readonly clientKeys?: ClientKeys | undefined;
  /** Source of the address and the variables, with its date; undefined for a self-hosted server. */
  readonly origin: Origin | undefined;
  /** Set when the service ended or no longer has the API Plaza speaks. */
  readonly ended?: Ended | undefined;
  /** One sentence the operator should know before connecting it. */
  readonly note?: Message | undefined;
}

const ofProvider = (provider: ProviderDescriptor): Target => ({
  id: provider.id,
  name: provider.service?.name ?? provider.id,
  provider,
  preset: undefined,
  baseUrl: provider.baseUrl,
  baseUrlForms: provider.service?.baseUrlForms ?? [],
  keyVariables: provider.service?.keyVariables ?? [],
  // A self-hosted server may need no key; the named service does.
  needsKey: provider.needs.credentials || provider.service !== undefined,
  clientKeys: provider.service?.clientKeys,
  origin: provider.service?.origin,
  note: provider.service?.note,
});

function ofPreset(preset: Preset): Target[] {
  const provider = providers.find(({ id }) => id === preset.provider);
  if (provider === undefined) return [];
  const { source, date, baseUrl, baseUrlForms = [], ...rest } = preset;
  const { id, name, keyVariables, needsKey, clientKeys, ended, note } = rest;
  const keys = { keyVariables, needsKey, clientKeys };
  const origin = { source, date };
  return [{ id, name, provider, preset, baseUrl, baseUrlForms, ...keys, origin, ended, note }];
}

const fromPresets = presets.flatMap(ofPreset);

/** All targets: presets first, then providers. */
export const targets: readonly Target[] = [
  ...fromPresets,
  ...providers
    .filter(({ id, transport }) => transport === "http" && !fromPresets.some((target) => target.id === id))
    .map(ofProvider),
];

const originOf = (url: string): string => new URL(url).origin.replace("//localhost", "//127.0.0.1");

/** The target at exactly this origin, whose key may be sent there; undefined if there is none. */
export function targetAt(baseUrl: string): Target | undefined {
  const origin = originOf(baseUrl);
  return targets.find((target) => {
    const urls = [target.baseUrl, ...(target.preset?.otherBaseUrls ?? [])];
    return urls.some((url) => url !== undefined && originOf(url) === origin);
  });
}

/** A form as a regular expression. Each `{…}` matches one label of a host or one segment of a path. */
function expressionOf(form: string): RegExp {
  const parts = form.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[A-Za-z0-9_-]+")}$`);
}

const forms = targets.flatMap((target) =>
  target.baseUrlForms.map((form) => ({ target, expression: expressionOf(form) })),
);

/**
 * The target with addresses of this form. Any server can have such an address, so its key is never sent
 * without asking.
 */
export function targetOfForm(baseUrl: string): Target | undefined {
  return forms.find(({ expression }) => expression.test(baseUrl.replace(/\/+$/, "")))?.target;
}

/** A self-hosted server with the protocol of a provider. It may or may not need a key. */
export function anyServer(providerId: string): Target | undefined {
  const provider = providers.find(({ id, transport }) => id === providerId && transport === "http");
  if (provider === undefined) return undefined;
  const needsKey = provider.needs.credentials;
  return { ...ofProvider(provider), name: "the upstream", baseUrl: undefined, keyVariables: [], needsKey };
}
