/**
 * Which settings a protocol supports. Everything a caller sends is used, dropped and reported, or refused by
 * name (dropped and reported if the caller allowed that). Nothing is dropped silently, and settings missing
 * in a table are refused.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation, Parameter, Sampling, SettingName } from "../conversation/conversation.ts";
import { isNothing, type Leftovers } from "./leftovers.ts";
import { invalid } from "./untranslatable.ts";

/**
 * `used`: the encoder reads it, and reports what it cannot express. `dropped`: it affects style only, so it
 * is left out and reported unless it asks for nothing; `usual`: further values that ask for nothing. A
 * function: true when the value can be expressed (usually when it equals the protocol's default).
 */
export type SettingRule =
  | "used"
  | "dropped"
  | { readonly usual: readonly unknown[] }
  | ((value: unknown) => boolean);

export interface SettingRules {
  readonly settings: Readonly<Partial<Record<SettingName, SettingRule>>>;
  /** Fields that a conversation has no setting for and this protocol knows under the caller's name. */
  readonly extras: Readonly<Record<string, SettingRule>>;
}

/** Settings that every protocol supports, and OpenAI's bookkeeping. */
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
  user: "dropped",
  safetyIdentifier: "dropped",
  promptCacheKey: "dropped",
  promptCacheRetention: "dropped",
  promptCacheOptions: "dropped",
  store: "dropped",
  metadata: "dropped",
  manner: "dropped",
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

/** Checks everything the caller set against the rules. */
export function checkSettings({ parameters }: Conversation, rules: SettingRules, leftovers: Leftovers): void {
  for (const parameter of parameters) {
    const { name, value } = parameter;
    const rule = ruleOf(rules, parameter);
    if (rule === "used") continue;
    if (rule === "dropped" || typeof rule === "object") {
      if (!asksForNothing(value, rule === "dropped" ? [] : rule.usual)) leftovers.note(name);
    } else if (rule?.(value) !== true) leftovers.leaveOut(name.slice(0, 100));
  }
}

/** Seed 0 is a normal seed. */
const asksForNothing = (value: unknown, usual: readonly unknown[]): boolean =>
  (isNothing(value) && value !== 0) || usual.includes(value);

/** The number, or undefined when it is absent. Throws when the caller sent something that is not a number. */
export function numberOf(value: number | undefined, name: string): number | undefined {
  if (Number.isNaN(value)) throw invalid(name, message("body.notNumber", { path: name }));
  return value;
}

/** Like `numberOf`, for the conversation's sampling settings. */
export const sampled = ({ sampling, names }: Conversation, name: keyof Sampling): number | undefined =>
  numberOf(sampling[name], names[name]);
