/**
 * Which settings a protocol can express. Everything a caller sends is used, or left out and told, or
 * refused by name (left out and told, too, where the caller allowed that). Nothing is left out without a
 * word; what a table does not name is refused.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation, Parameter, Sampling, SettingName } from "../conversation/conversation.ts";
import { isNothing, type Leftovers } from "./leftovers.ts";
import { invalid } from "./untranslatable.ts";

/**
 * `used`: the encoder reads it, and tells what of it it could not say. `told`: it asks for a manner
 * and not for a result, so that it is left out and told, unless it asks for nothing; `usual`:
 * further values that ask for nothing. A function: is this value expressible? (Values equal to the
 * protocol's own default usually are.)
 */
export type SettingRule =
  | "used"
  | "told"
  | { readonly usual: readonly unknown[] }
  | ((value: unknown) => boolean);

export interface SettingRules {
  readonly settings: Readonly<Partial<Record<SettingName, SettingRule>>>;
  /** Fields the model has no word for, which this protocol knows under the caller's name. */
  readonly extras: Readonly<Record<string, SettingRule>>;
}

/** What every protocol says, and what is about bookkeeping at OpenAI. */
export const commonSettings = {
  model: "used",
  fallbackModels: "used",
  turns: "used",
  isStream: "used",
  streamOptions: "used",
  choices: "used",
  outputTokens: "used",
  stop: "used",
  tools: "used",
  toolChoice: "used",
  parallelCalls: "used",
  format: "used",
  reasoning: "used",
  user: "told",
  safetyIdentifier: "told",
  promptCacheKey: "told",
  promptCacheRetention: "told",
  promptCacheOptions: "told",
  store: "told",
  metadata: "told",
  manner: "told",
  serviceTier: { usual: ["auto", "default"] },
  verbosity: { usual: ["medium"] },
  frequencyPenalty: isNothing,
  presencePenalty: isNothing,
  logitBias: isNothing,
  logprobs: isNothing,
  logprobAlternatives: isNothing,
  modalities: (value: unknown): boolean =>
    Array.isArray(value) && value.every((modality) => modality === "text"),
} as const satisfies SettingRules["settings"];

function ruleOf({ settings, extras }: SettingRules, { name, setting }: Parameter): SettingRule | undefined {
  if (setting !== undefined) return settings[setting];
  return Object.hasOwn(extras, name) ? extras[name] : undefined;
}

/** Holds everything the caller set against the rules. */
export function checkSettings({ parameters }: Conversation, rules: SettingRules, leftovers: Leftovers): void {
  for (const parameter of parameters) {
    const { name, value } = parameter;
    const rule = ruleOf(rules, parameter);
    if (rule === "used") continue;
    if (rule === "told" || typeof rule === "object") {
      if (!asksForNothing(value, rule === "told" ? [] : rule.usual)) leftovers.note(name);
    } else if (rule?.(value) !== true) leftovers.leaveOut(name.slice(0, 100));
  }
}

/** 0 is a seed like any other. */
const asksForNothing = (value: unknown, usual: readonly unknown[]): boolean =>
  (isNothing(value) && value !== 0) || usual.includes(value);

/**
 * A number that is said, undefined where none is. Throws where the caller sent something that is no number.
 */
export function numberOf(value: number | undefined, name: string): number | undefined {
  if (Number.isNaN(value)) throw invalid(name, message("body.notNumber", { path: name }));
  return value;
}

/** As `numberOf`, of the conversation's sampling. */
export const sampled = ({ sampling, names }: Conversation, name: keyof Sampling): number | undefined =>
  numberOf(sampling[name], names[name]);
