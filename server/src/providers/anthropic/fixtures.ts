/** Test fixtures, built from wire/anthropic-messages.md sections 2 to 10 and wire/errors-map.md section 2, by what they show. */
import type { Fixture } from "../fixture.ts";
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
