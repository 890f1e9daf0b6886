/** Test fixtures, built from wire/bedrock-azure-others.md sections 1.2 to 1.4, wire/anthropic-messages.md sections 5 to 7 and wire/errors-map.md section 2. */
import type { Fixture } from "../fixture.ts";
import { answerFixtures } from "./fixtures/answers.ts";
import { errorFixtures } from "./fixtures/errors.ts";
import { streamFixtures } from "./fixtures/streams.ts";

export const fixtures: readonly Fixture[] = [...answerFixtures, ...streamFixtures, ...errorFixtures];
