/** Test fixtures, built from wire/chat-completions.md and wire/bedrock-azure-others.md section 3: all of the provider's. */
import type { Fixture } from "../fixture.ts";
import { openaiAnswers } from "./fixtures/answers.ts";
import { presetAnswers } from "./fixtures/preset-answers.ts";
import { presetModels } from "./fixtures/preset-models.ts";
import { presetRequests } from "./fixtures/preset-requests.ts";
import { presetUsage } from "./fixtures/preset-usage.ts";

export const fixtures: readonly Fixture[] = [
  ...openaiAnswers,
  ...presetAnswers,
  ...presetUsage,
  ...presetRequests,
  ...presetModels,
];
