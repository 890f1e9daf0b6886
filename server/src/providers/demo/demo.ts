/**
 * The built-in demo model. It is not a language model: it derives its answer from the prompt, streams
 * deterministically, and can be told to fail (docs/start/demo.md). Needs no key and no network. Answers are
 * in OpenAI's format.
 */

import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import type { LocalProvider } from "../provider.ts";
import { playRequest } from "./play.ts";
import { demoCounter, translatedDemo } from "./translated.ts";

export const demo = {
  id: "demo",
  transport: "local",
  scripts: { chat: playRequest },
  translated: translatedDemo,
  counter: demoCounter,
  fault: faultOfAnswer,
} as const satisfies LocalProvider;
