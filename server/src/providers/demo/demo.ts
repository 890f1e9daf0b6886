/**
 * The built-in demo model, plainly not a language model: it answers from the prompt, streams
 * deterministically, can be told to fail (docs/start/demo.md), and needs no key and no network. Its answers
 * are what an OpenAI upstream would send.
 */

import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import type { LocalProvider } from "../provider.ts";
import { playRequest } from "./play.ts";

export const demo = {
  id: "demo",
  transport: "local",
  scripts: { chat: playRequest },
  fault: faultOfAnswer,
} as const satisfies LocalProvider;
