/** How Bedrock handles each chat parameter, by the vendor of the model. */
import { all, type ParameterColumn, translatedCommonly } from "../../testing/parameters.ts";

const outcomes: ParameterColumn["outcomes"] = {
  ...translatedCommonly,
  seed: "dropped",
  service_tier: "translated",
};

export const bedrockParameters: readonly ParameterColumn[] = [
  {
    id: "bedrock, Claude",
    title: "`bedrock`, Claude",
    provider: "bedrock",
    model: "us.anthropic.claude-sonnet-4-6",
    otherwise: "refused",
    outcomes: { ...outcomes, parallel_tool_calls: "translated" },
  },
  {
    id: "bedrock, Nova 2",
    title: "Nova 2",
    provider: "bedrock",
    model: "us.amazon.nova-2-lite-v1:0",
    otherwise: "refused",
    outcomes,
  },
  {
    id: "bedrock, GPT",
    title: "GPT",
    provider: "bedrock",
    model: "openai.gpt-5.1",
    otherwise: "refused",
    outcomes: { ...outcomes, ...all("dropped", "temperature", "top_p"), stop: "refused" },
  },
];
