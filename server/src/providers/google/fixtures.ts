/** Test fixtures, built from docs/wire/gemini.md sections 2 to 9: all fixtures of this provider. */
import type { Fixture } from "../testing/fixture.ts";
import { calls } from "./fixtures/calls.ts";
import { faults } from "./fixtures/faults.ts";
import { streams } from "./fixtures/streams.ts";
import { texts } from "./fixtures/texts.ts";

export const fixtures: readonly Fixture[] = [...texts, ...calls, ...streams, ...faults];
