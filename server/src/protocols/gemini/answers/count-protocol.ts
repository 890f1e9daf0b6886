/**
 * Tells the gateway how the answer of `:countTokens` is read and written (docs/wire/gemini.md section 14). A
 * count has no content and no usage.
 */
import { noUsage } from "@plaza/contract/usage.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { gemini } from "./answers.ts";
import { countBody, readCount } from "./others.ts";

function never(): never {
  throw new Error("a count is no answer of a model");
}

export const geminiCount: WireProtocol = {
  ...gemini,
  streamMarks: [],
  writeCount: countBody,
  readStream: never,
  readWhole: (body) =>
    readCount(body) === undefined ? undefined : { usage: {}, content: { start: 0, end: 0 } },
  contentBytes: () => 0,
  readUsage: () => noUsage,
};
