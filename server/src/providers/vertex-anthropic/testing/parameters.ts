/** How Claude on Vertex AI handles each chat parameter: as at Anthropic. */
import { claudeOutcomes } from "../../anthropic/testing/parameters.ts";
import { all, type ParameterColumn } from "../../testing/parameters.ts";

export const vertexAnthropicParameters: readonly ParameterColumn[] = [
  {
    id: "vertex-anthropic",
    title: "`vertex-anthropic`, from 4.7",
    provider: "vertex-anthropic",
    model: "claude-opus-5",
    upstream: {
      baseUrl: "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic",
    },
    otherwise: "refused",
    outcomes: { ...claudeOutcomes, ...all("dropped", "temperature", "top_p") },
  },
];
