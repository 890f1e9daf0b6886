/**
 * Test fixtures, built from docs/wire/bedrock-converse.md sections 2 to 4, docs/wire/anthropic-messages.md
 * sections 5 to 7 and docs/wire/upstream-errors.md section 2.
 */
import type { Fixture } from "../testing/fixture.ts";
import { answerFixtures } from "./fixtures/answers.ts";
import { errorFixtures } from "./fixtures/errors.ts";
import { streamFixtures } from "./fixtures/streams.ts";

export const fixtures: readonly Fixture[] = [...answerFixtures, ...streamFixtures, ...errorFixtures];
