/**
 * Encodes the requested thinking (`reasoning_effort`, `reasoning` and Anthropic's own `thinking`) as Claude's
 * settings (docs/wire/anthropic-messages.md section 6).
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { recordOf } from "../../lib/record.ts";
import type { Leftovers } from "../leftovers.ts";
import { invalid } from "../untranslatable.ts";
import type { Effort, ModelFacts } from "./models.ts";

/** The setting as it is sent. */
export type Thinking =
  | { type: "enabled"; budget_tokens: number }
  | { type: "adaptive"; display?: "summarized" | "omitted" }
  | { type: "disabled" }
  | { type: "between_tools" };

export interface ThinkingPlan {
  readonly thinking: Thinking | undefined;
  readonly effort: Effort | undefined;
  /** True when the model will think. It then gets its thoughts back and takes no sampling parameters. */
  readonly isOn: boolean;
}

/** The caller's request. */
type ThinkingRequest =
  | { readonly kind: "nothing said" }
  | { readonly kind: "none" }
  | {
      readonly kind: "effort";
      readonly effort: Effort;
      readonly budget: number | undefined;
      readonly param: string;
      /** True when the text of thoughts must be left out. */
      readonly isOmitted?: boolean;
    };

const efforts: ReadonlyMap<string, Effort> = new Map([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "max"],
]);

/** Percent of the output that may be thoughts, by effort. */
const shares: Readonly<Record<Effort, number>> = { low: 0, medium: 30, high: 60, xhigh: 90, max: 95 };

/** The protocol's minimum budget in tokens. */
const budgetMin = 1_024;

const ofBudget = (budget: unknown, param: string, said?: Effort): ThinkingRequest & { kind: "effort" } => {
  if (typeof budget !== "number" || !Number.isInteger(budget) || budget < 1) {
    throw invalid(param, message("wire.positiveWhole", { param }));
  }
  const effort = said ?? (budget <= 2_048 ? "low" : budget <= 16_384 ? "medium" : "high");
  return { kind: "effort", effort, budget, param };
};

/** Reads Anthropic's own field as its clients write it. */
function ownRequest(thinking: unknown, effort: Effort | undefined): ThinkingRequest {
  const { type, display, budget_tokens: budget } = recordOf(thinking);
  const isOmitted = display === "omitted";
  if (type === "disabled" || type === "between_tools") return { kind: "none" };
  if (type === "adaptive")
    return { kind: "effort", effort: effort ?? "high", budget: undefined, param: "thinking", isOmitted };
  if (type === "enabled") return { ...ofBudget(budget, "thinking.budget_tokens", effort), isOmitted };
  throw invalid("thinking.type", message("wire.thinkingType"));
}

function requestOf(conversation: Conversation): ThinkingRequest {
  const { names } = conversation;
  const { effort: said, budget, isOn } = conversation.reasoning;
  const effort = said === undefined ? undefined : efforts.get(said);
  if (said !== undefined && said !== "none" && effort === undefined) {
    throw invalid(
      names.effort,
      message("wire.effortOrNone", { param: names.effort, efforts: [...efforts.keys()].join(", ") }),
    );
  }
  // Callers of Messages have this field in their format; for callers of chat it is an unknown parameter.
  const own = conversation.parameters.find(({ name }) => name === "thinking")?.value;
  if (own !== undefined) return ownRequest(own, effort);
  if (said === "none" || isOn === false) return { kind: "none" };
  if (effort !== undefined) return { kind: "effort", effort, budget: undefined, param: names.effort };
  if (budget !== undefined) return ofBudget(budget, names.reasoningBudget);
  if (isOn === true) return { kind: "effort", effort: "medium", budget: undefined, param: names.reasoning };
  return { kind: "nothing said" };
}

/** The model's effort for a requested one: the next lower one it supports. */
function nearest(effort: Effort, { efforts: known }: ModelFacts): Effort {
  if (known.includes(effort)) return effort;
  return effort === "max" || effort === "xhigh" ? "high" : effort;
}

function switchedOff({ off }: ModelFacts): ThinkingPlan {
  switch (off) {
    case "disabled":
      return { thinking: { type: "disabled" }, effort: undefined, isOn: false };
    case "between_tools":
      return { thinking: { type: "between_tools" }, effort: undefined, isOn: true };
    case "effort":
      return { thinking: undefined, effort: "low", isOn: true };
    default:
      return { thinking: undefined, effort: undefined, isOn: false };
  }
}

/** What in the rest of the request affects thinking. */
export interface ThinkingCircumstances {
  readonly maxTokens: number;
  /** True when a tool must be called. A model that thinks by a budget cannot be forced. */
  readonly isForced: boolean;
  /** False when a tool loop lacks its first thoughts. A model that thinks by a budget refuses such a loop. */
  readonly hasThoughts: boolean;
  /** True when the caller's own budget is for a whole turn, and so may exceed `maxTokens`. */
  readonly isBudgetOfTurn: boolean;
}

/**
 * The settings for the caller's request. Effort is a preference: if something stricter rules it out, it is
 * reported as dropped, not refused.
 */
export function planThinking(
  conversation: Conversation,
  facts: ModelFacts,
  { maxTokens, isForced, hasThoughts, isBudgetOfTurn }: ThinkingCircumstances,
  leftovers: Leftovers,
): ThinkingPlan {
  const requested = requestOf(conversation);
  const unasked: ThinkingPlan = { thinking: undefined, effort: undefined, isOn: facts.thinksUnasked };
  if (requested.kind === "nothing said") return unasked;
  if (requested.kind === "none") return facts.thinking === "none" ? unasked : switchedOff(facts);
  const { effort, param } = requested;
  if (facts.thinking === "none") {
    leftovers.leaveOutOr(conversation.reasoning.isOptional, param, message("wire.noReasoning"));
    return unasked;
  }
  // "Adaptive thinking … supports forced tool use" (platform.claude.com, thinking with tool use, 2026-08).
  if (facts.thinking === "adaptive") {
    const thinking: Thinking = {
      type: "adaptive",
      ...(facts.hidesThoughts ? { display: requested.isOmitted === true ? "omitted" : "summarized" } : {}),
    };
    return { thinking, effort: nearest(effort, facts), isOn: true };
  }
  const ofTurn = isBudgetOfTurn ? requested.budget : undefined;
  if (isForced || !hasThoughts || (maxTokens <= budgetMin && ofTurn === undefined)) {
    leftovers.note(param);
    return switchedOff(facts);
  }
  const share = requested.budget ?? Math.floor((maxTokens * shares[effort]) / 100);
  const budget = Math.max(ofTurn ?? Math.min(share, maxTokens - 1), budgetMin);
  return { thinking: { type: "enabled", budget_tokens: budget }, effort: undefined, isOn: true };
}
