/**
 * Test fixtures, built from docs/wire/anthropic-messages.md sections 2 to 10 and docs/wire/upstream-errors.md
 * section 2, grouped by topic.
 */
import type { Fixture } from "../testing/fixture.ts";
import { answerFixtures } from "./fixtures/answers.ts";
import { errorFixtures } from "./fixtures/errors.ts";
import { requestFixtures } from "./fixtures/requests.ts";
import { streamFixtures } from "./fixtures/streams.ts";

export const fixtures: readonly Fixture[] = [
  ...answerFixtures,
  ...streamFixtures,
  ...requestFixtures,
  ...errorFixtures,
];
