/**
 * How much a model is to think: `reasoning_effort`, `reasoning` and Anthropic's own `thinking` → its settings
 * (docs/wire/anthropic-messages.md section 6).
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
  /** Will it think? Then thoughts are sent back to it, and it takes no sampling parameters. */
  readonly isOn: boolean;
}

/** What the caller wants. */
type ThinkingRequest =
  | { readonly kind: "nothing said" }
  | { readonly kind: "none" }
  | {
      readonly kind: "effort";
      readonly effort: Effort;
      readonly budget: number | undefined;
      readonly param: string;
      /** Are the thoughts not to be told in words? */
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

/** Shares of the output that may be thoughts, in percent. */
const shares: Readonly<Record<Effort, number>> = { low: 0, medium: 30, high: 60, xhigh: 90, max: 95 };

/** The protocol's least. */
const budgetMin = 1_024;

const ofBudget = (budget: unknown, param: string, said?: Effort): ThinkingRequest & { kind: "effort" } => {
  if (typeof budget !== "number" || !Number.isInteger(budget) || budget < 1) {
    throw invalid(param, message("wire.positiveWhole", { param }));
  }
  const effort = said ?? (budget <= 2_048 ? "low" : budget <= 16_384 ? "medium" : "high");
  return { kind: "effort", effort, budget, param };
};

/** Anthropic's own field, as its other clients write it. */
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
  // To a caller of Messages it is a word of its own format, to a caller of chat one that chat does not know.
  const own = conversation.parameters.find(({ name }) => name === "thinking")?.value;
  if (own !== undefined) return ownRequest(own, effort);
  if (said === "none" || isOn === false) return { kind: "none" };
  if (effort !== undefined) return { kind: "effort", effort, budget: undefined, param: names.effort };
  if (budget !== undefined) return ofBudget(budget, names.reasoningBudget);
  if (isOn === true) return { kind: "effort", effort: "medium", budget: undefined, param: names.reasoning };
  return { kind: "nothing said" };
}

/** What the model can take of an effort: the next lower one it knows. */
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

/** How the rest of the request bears on thinking. */
export interface ThinkingCircumstances {
  readonly maxTokens: number;
  /** A tool must be called; a model that thinks by a budget cannot be made to. */
  readonly isForced: boolean;
  /** A model told to think by a budget refuses a tool loop whose first thoughts are not there. */
  readonly hasThoughts: boolean;
}

/**
 * The settings for what the caller wants. What cannot be had beside something harder is
 * noted, not refused: effort is a preference.
 */
export function planThinking(
  conversation: Conversation,
  facts: ModelFacts,
  { maxTokens, isForced, hasThoughts }: ThinkingCircumstances,
  leftovers: Leftovers,
): ThinkingPlan {
  const requested = requestOf(conversation);
  const unasked: ThinkingPlan = { thinking: undefined, effort: undefined, isOn: facts.thinksUnasked };
  if (requested.kind === "nothing said") return unasked;
  if (requested.kind === "none") return facts.thinking === "none" ? unasked : switchedOff(facts);
  const { effort, param } = requested;
  if (facts.thinking === "none") {
    leftovers.leaveOut(param, message("wire.noReasoning"));
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
  if (isForced || !hasThoughts || maxTokens <= budgetMin) {
    leftovers.note(param);
    return switchedOff(facts);
  }
  const share = requested.budget ?? Math.floor((maxTokens * shares[effort]) / 100);
  const budget = Math.min(Math.max(share, budgetMin), maxTokens - 1);
  return { thinking: { type: "enabled", budget_tokens: budget }, effort: undefined, isOn: true };
}
