/**
 * What an operator can connect by name: every preset, and every provider that has no preset of its own. Pure;
 * the tables are `presets.ts` and `index.ts`.
 */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { Origin, ProviderDescriptor } from "../descriptor.ts";
import { providers } from "../index.ts";
import type { Ended, Preset } from "./preset.ts";
import { presets } from "./presets.ts";

/** A service or protocol with a name. */
export interface Target {
  /** Id of the preset or the provider. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: ProviderDescriptor;
  readonly preset: Preset | undefined;
  /** Where it is when nobody says; undefined where only its operator knows. */
  readonly baseUrl: string | undefined;
  /**
   * How its address looks where an option or its operator tells it, like
   * `https://{region}.example.com`; the usual form first.
   */
  readonly baseUrlForms: readonly string[];
  /** Environment variables its own tools read the key from, the usual one first. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /**
   * Where the address and the variables are from, and the day that source is of;
   * undefined for a server of one's own.
   */
  readonly origin: Origin | undefined;
  /** The service is no more, or no more what Plaza speaks. */
  readonly ended?: Ended | undefined;
  /** A sentence to know before connecting it. */
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
  // A server of one's own may do without; the service of that name does not.
  needsKey: provider.needs.credentials || provider.service !== undefined,
  origin: provider.service?.origin,
  note: provider.service?.note,
});

function ofPreset(preset: Preset): Target[] {
  const provider = providers.find(({ id }) => id === preset.provider);
  if (provider === undefined) return [];
  const { source, date, baseUrl, baseUrlForms = [], ...rest } = preset;
  const { id, name, keyVariables, needsKey, ended, note } = rest;
  const origin = { source, date };
  return [{ id, name, provider, preset, baseUrl, baseUrlForms, keyVariables, needsKey, origin, ended, note }];
}

const fromPresets = presets.flatMap(ofPreset);

/** All of them: presets first, then providers. */
export const targets: readonly Target[] = [
  ...fromPresets,
  ...providers
    .filter(({ id, transport }) => transport === "http" && !fromPresets.some((target) => target.id === id))
    .map(ofProvider),
];

const originOf = (url: string): string => new URL(url).origin.replace("//localhost", "//127.0.0.1");

/** The target that is at this very origin, so that its key may be shown there; undefined where none is. */
export function targetAt(baseUrl: string): Target | undefined {
  const origin = originOf(baseUrl);
  return targets.find((target) => {
    const urls = [target.baseUrl, ...(target.preset?.otherBaseUrls ?? [])];
    return urls.some((url) => url !== undefined && originOf(url) === origin);
  });
}

/** A form as an expression: what stands in braces is one label of a host or one segment of a path. */
function expressionOf(form: string): RegExp {
  const parts = form.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[A-Za-z0-9_-]+")}$`);
}

const forms = targets.flatMap((target) =>
  target.baseUrlForms.map((form) => ({ target, expression: expressionOf(form) })),
);

/**
 * The target whose addresses look like this one. Anybody may have such an
 * address, so no key is shown there unasked.
 */
export function targetOfForm(baseUrl: string): Target | undefined {
  return forms.find(({ expression }) => expression.test(baseUrl.replace(/\/+$/, "")))?.target;
}

/** A server of one's own that speaks the protocol of a provider; it may want a key or not. */
export function anyServer(providerId: string): Target | undefined {
  const provider = providers.find(({ id, transport }) => id === providerId && transport === "http");
  if (provider === undefined) return undefined;
  const needsKey = provider.needs.credentials;
  return { ...ofProvider(provider), name: "the upstream", baseUrl: undefined, keyVariables: [], needsKey };
}
