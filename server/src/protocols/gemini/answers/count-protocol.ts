/**
 * Tells the gateway how the answer of `:countTokens` is read and written (docs/wire/gemini.md section 14). A
 * count has no content and no usage.
 */
import { countAnswers } from "../../counting.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { gemini } from "./answers.ts";
import { countBody, readCount } from "./others.ts";

export const geminiCount: WireProtocol = {
  ...gemini,
  ...countAnswers(readCount),
  withoutUsage: gemini.withoutUsage,
  addressesOf: gemini.addressesOf,
  writeCount: countBody,
};
