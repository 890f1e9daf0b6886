/**
 * Tells the gateway how to read legacy completions. The upstream must support them; they are not translated.
 * Usage and chunks with `"usage":null` are as in chat; their readers are parameters, because no protocol may
 * import another.
 */
import type { WireProtocol } from "../wire-protocol.ts";
import { CompletionStreamReader, contentBytes, readWhole, streamMarks } from "./read-answer.ts";

/** Readers shared by OpenAI's formats with output. */
export type SharedReaders = Pick<WireProtocol, "readUsage" | "withoutUsage">;

/** `echoedBytes`: bytes of the prompts that the answer repeats; they are not output. */
export const createOpenaiCompletions = (
  { readUsage, withoutUsage }: SharedReaders,
  echoedBytes = 0,
): WireProtocol => ({
  streamMarks,
  idPrefix: "cmpl-",
  readStream: () => new CompletionStreamReader(echoedBytes),
  readWhole,
  contentSize: (body, content) => ({ contentBytes: contentBytes(body, content, echoedBytes), images: 0 }),
  readUsage,
  withoutUsage,
  addressesOf: () => [],
});
