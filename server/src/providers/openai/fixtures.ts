/**
 * Test fixtures, built from docs/wire/openai-chat.md and docs/wire/openai-compatible.md section 1: all
 * fixtures of this provider.
 */
import type { Fixture } from "../testing/fixture.ts";
import { openaiAnswers } from "./fixtures/answers.ts";
import { presetAnswers } from "./fixtures/preset-answers.ts";
import { presetModels } from "./fixtures/preset-models.ts";
import { presetRequests } from "./fixtures/preset-requests.ts";
import { presetUsage } from "./fixtures/preset-usage.ts";
import { responsesFixtures } from "./fixtures/responses.ts";

export const fixtures: readonly Fixture[] = [
  ...openaiAnswers,
  ...presetAnswers,
  ...presetUsage,
  ...presetRequests,
  ...presetModels,
  ...responsesFixtures,
];
