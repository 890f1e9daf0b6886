/** How Google handles each chat parameter, for both APIs. */
import { all, type ParameterColumn, translatedCommonly } from "../../testing/parameters.ts";

const outcomes: ParameterColumn["outcomes"] = {
  ...translatedCommonly,
  ...all("translated", "frequency_penalty", "presence_penalty", "n", "seed", "web_search_options"),
  parallel_tool_calls: "plaza",
};

export const googleParameters: readonly ParameterColumn[] = [
  {
    id: "google, Gemini API",
    title: "`google`, Gemini API",
    provider: "google",
    model: "gemini-3.1-pro-preview",
    otherwise: "refused",
    outcomes: { ...outcomes, service_tier: "translated" },
  },
  {
    id: "google, Vertex",
    title: "Vertex AI",
    provider: "google",
    model: "gemini-3.1-pro-preview",
    upstream: {
      baseUrl:
        "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google",
    },
    otherwise: "refused",
    outcomes: { ...outcomes, ...all("translated", "logprobs", "top_logprobs") },
  },
];
