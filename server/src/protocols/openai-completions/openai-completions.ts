/**
 * OpenAI's legacy completions as callers get them. An upstream must speak them itself: there is no
 * translation. Usage is chat's object, and so are chunks that say `"usage":null`; what reads these is given,
 * because no format knows another's folder.
 */
import type { WireProtocol } from "../wire-protocol.ts";
import { CompletionStreamReader, contentBytes, readWhole, streamMarks } from "./read-answer.ts";

/** What OpenAI's formats with output have in common. */
export type SharedReaders = Pick<WireProtocol, "readUsage" | "withoutUsage">;

/** `echoedBytes`: text of the prompts that the answer repeats, which is no output. */
export const createOpenaiCompletions = (
  { readUsage, withoutUsage }: SharedReaders,
  echoedBytes = 0,
): WireProtocol => ({
  streamMarks,
  idPrefix: "cmpl-",
  readStream: () => new CompletionStreamReader(echoedBytes),
  readWhole,
  contentBytes: (body, content) => contentBytes(body, content, echoedBytes),
  readUsage,
  withoutUsage,
  addressesOf: () => [],
});
