/**
 * Answers of Responses upstreams that leave out what OpenAI always sends, for callers of Responses: mended
 * where they lack something, else the same bytes.
 */
import { isRecord, parseJson } from "../../../lib/record.ts";
import type { AnswerContext, AnswerTranslation } from "../../protocol.ts";
import { ObjectView } from "./members.ts";
import { RepairedStream } from "./repair-stream.ts";
import { wholeResponse } from "./whole-response.ts";

const headOf = ({ id, createdSeconds, model }: AnswerContext) => ({ id, createdSeconds, model });

/** A whole answer; the same bytes where it lacks nothing, or is no answer at all. */
function mended(body: Buffer, context: AnswerContext): Buffer {
  const response = new ObjectView(body);
  const { reason } = recordOfText(response.raw("incomplete_details"));
  const status = reason === undefined ? "completed" : "incomplete";
  // What is no answer is judged as it is.
  if (!response.isArray("output") || response.object("error") !== undefined) return body;
  const head = headOf(context);
  return wholeResponse(response, { ...head, id: response.text("id") ?? head.id }, { status });
}

function recordOfText(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = text === undefined ? undefined : parseJson(text);
  return isRecord(value) ? value : {};
}

export const responsesRepair: AnswerTranslation = {
  streamType: "text/event-stream",
  readsNoRequest: true,
  stream: (context) => new RepairedStream(headOf(context)),
  whole: (body, context) => mended(body, context),
};
