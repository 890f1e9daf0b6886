/**
 * OpenAI's legacy completions as callers get them. An upstream must speak them itself: there is no
 * translation. Usage is chat's object, and so are chunks that say `"usage":null`; what reads these is given,
 * because no format knows another's folder.
 */
import type { WireProtocol } from "../wire-protocol.ts";
import { CompletionStreamReader, contentBytes, readWhole, streamMarks } from "./read-answer.ts";

/** What OpenAI's formats with output have in common. */
export type SharedReaders = Pick<WireProtocol, "readUsage" | "withoutUsage">;

export const createOpenaiCompletions = ({ readUsage, withoutUsage }: SharedReaders): WireProtocol => ({
  streamMarks,
  idPrefix: "cmpl-",
  readStream: () => new CompletionStreamReader(),
  readWhole,
  contentBytes: (body, content) => contentBytes(body, content),
  readUsage,
  withoutUsage,
  addressesOf: () => [],
});
