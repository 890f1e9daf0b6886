/**
 * Encodes the requested thinking (`reasoning_effort`, `reasoning` or Google's own `thinking_config`) as
 * `thinkingConfig` (docs/wire/gemini.md section 5). Uses the facts in `models.ts`, never model names.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { isRecord, type JsonRecord } from "../../lib/record.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid } from "../untranslatable.ts";
import type { ModelFacts, Thinking, ThinkingLevel } from "./models.ts";
import type { ThinkingConfig } from "./wire.ts";

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof efforts)[number];

const isEffort = (value: string): value is Effort => (efforts as readonly string[]).includes(value);

/** Levels for an effort, best match first. Every model has one of the last two. */
const preferredLevels: Readonly<Record<Effort, readonly ThinkingLevel[]>> = {
  none: ["MINIMAL", "LOW"],
  minimal: ["MINIMAL", "LOW"],
  low: ["LOW"],
  medium: ["MEDIUM", "HIGH"],
  high: ["HIGH"],
  xhigh: ["XHIGH", "HIGH"],
  max: ["XHIGH", "HIGH"],
};

function ofEffort(thinking: Thinking, effort: Effort): ThinkingConfig {
  if (thinking.kind === "levels") {
    const level = preferredLevels[effort].find((one) => thinking.levels.includes(one)) ?? "HIGH";
    return { thinkingLevel: level };
  }
  if (effort === "none") return { thinkingBudget: thinking.none };
  if (effort === "minimal" || effort === "low") return { thinkingBudget: thinking.low };
  return { thinkingBudget: effort === "medium" ? thinking.medium : thinking.high };
}

/** Converts a budget for models with levels: the first level whose usual budget is not smaller. */
function ofBudget(thinking: Thinking, budget: number): ThinkingConfig {
  if (thinking.kind === "budgets") return { thinkingBudget: Math.min(budget, thinking.max) };
  if (budget <= 0) return ofEffort(thinking, "none");
  return ofEffort(thinking, budget <= 1_024 ? "low" : budget <= 8_192 ? "medium" : "high");
}

/** A budget that every model takes which takes budgets, in tokens. */
const budgetEverywhere = 512;

/**
 * The budget below an output limit that was lowered, which thoughts count against; never less than the model
 * takes, which is 0 where thinking can be turned off. `budget`: in tokens; −1 and 0 stay.
 */
export function loweredBudget(
  { thinking }: Pick<ModelFacts, "thinking">,
  budget: number,
  outputTokensMax: number,
): number {
  if (budget < outputTokensMax) return budget;
  const below = outputTokensMax - 1;
  if (thinking?.kind !== "budgets") return Math.min(budget, Math.max(below, budgetEverywhere));
  return below >= thinking.least ? below : thinking.none;
}

/** Lowers the budget with the output, and asks for no thoughts where none are left. */
function withinOutput(
  config: ThinkingConfig,
  facts: ModelFacts,
  loweredTo: number | undefined,
  onOff: () => void,
): ThinkingConfig {
  const { thinkingBudget: budget } = config;
  if (budget === undefined || budget <= 0 || loweredTo === undefined) return config;
  const thinkingBudget = loweredBudget(facts, budget, loweredTo);
  if (thinkingBudget > 0) return { ...config, thinkingBudget };
  onOff();
  return { thinkingBudget };
}

const ownBudgetPath = "google.thinking_config.thinking_budget";

function budgetOf(value: unknown, at: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= -1) return value;
  throw invalid(at, message("wire.wholeTokens", { param: at }));
}

/** `google.thinking_config`, in either spelling. */
function ownConfig(google: JsonRecord): ThinkingConfig | undefined {
  const given = google["thinking_config"] ?? google["thinkingConfig"];
  if (!isRecord(given)) return undefined;
  const thoughts = given["include_thoughts"] ?? given["includeThoughts"];
  const level = given["thinking_level"] ?? given["thinkingLevel"];
  const thinkingBudget = budgetOf(given["thinking_budget"] ?? given["thinkingBudget"], ownBudgetPath);
  return {
    ...(typeof thoughts === "boolean" ? { includeThoughts: thoughts } : {}),
    ...(thinkingBudget === undefined ? {} : { thinkingBudget }),
    ...(typeof level === "string" ? { thinkingLevel: level.toUpperCase() } : {}),
  };
}

/** The requested amount, regardless of whether thoughts are shown. */
function amountOf({ reasoning, names }: Conversation, thinking: Thinking): ThinkingConfig {
  const { effort } = reasoning;
  if (effort !== undefined) {
    if (isEffort(effort)) return ofEffort(thinking, effort);
    throw invalid(
      names.effort,
      message("wire.effortOneOf", { param: names.effort, efforts: efforts.join(", ") }),
    );
  }
  const budget = budgetOf(reasoning.budget, names.reasoningBudget);
  if (budget !== undefined) return ofBudget(thinking, budget);
  return reasoning.isOn === false ? ofEffort(thinking, "none") : {};
}

/**
 * The `thinkingConfig`, or undefined for none. Thoughts are requested as text whenever the model thinks,
 * unless the caller asked not to see them. Google's own setting takes precedence. `loweredTo`: the output
 * limit, where it is less than the caller asked for; a budget is lowered with it.
 */
export function thinkingOf(
  conversation: Conversation,
  google: JsonRecord,
  facts: ModelFacts,
  { leftovers, loweredTo }: { readonly leftovers: Leftovers; readonly loweredTo: number | undefined },
): ThinkingConfig | undefined {
  const within = (config: ThinkingConfig, param: string): ThinkingConfig =>
    withinOutput(config, facts, loweredTo, () => leftovers.note(param));
  const own = ownConfig(google);
  if (own !== undefined) return within(own, ownBudgetPath);
  const { names } = conversation;
  const { thinking } = facts;
  const { effort, isHidden, isOptional } = conversation.reasoning;
  if (thinking === undefined) {
    if (effort !== undefined && effort !== "none") leftovers.leaveOutOr(isOptional, names.effort);
    return undefined;
  }
  const amount = amountOf(conversation, thinking);
  const isGiven = amount.thinkingBudget !== undefined || amount.thinkingLevel !== undefined;
  const thinks = isGiven ? amount.thinkingBudget !== 0 : facts.thinksByItself;
  const isShown = thinks && !isHidden;
  if (!isGiven && !isShown) return undefined;
  const config = { ...(isShown ? { includeThoughts: true } : {}), ...amount };
  return within(config, effort === undefined ? names.reasoningBudget : names.effort);
}
