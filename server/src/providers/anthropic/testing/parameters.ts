/** How Anthropic handles each chat parameter. */
import { all, type ParameterColumn, translatedCommonly } from "../../testing/parameters.ts";

export const claudeOutcomes: ParameterColumn["outcomes"] = {
  ...translatedCommonly,
  ...all("kept", "max_tokens", "stream"),
  ...all("translated", "user", "safety_identifier", "parallel_tool_calls"),
  seed: "dropped",
};

export const anthropicParameters: readonly ParameterColumn[] = [
  {
    id: "anthropic, Claude up to 4.6",
    title: "`anthropic`, Claude up to 4.6",
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    otherwise: "refused",
    outcomes: claudeOutcomes,
  },
  {
    id: "anthropic, Claude from 4.7",
    title: "from 4.7",
    provider: "anthropic",
    model: "claude-opus-5",
    otherwise: "refused",
    outcomes: { ...claudeOutcomes, ...all("dropped", "temperature", "top_p") },
  },
];
