/** For tests: chunks of an answer as a client may hand them on. */
import type { AnswerController, AnswerHandler } from "../http-client.ts";

/** The memory of the chunk is used for something else as soon as the handler returns. */
export function passChunk(
  handler: Pick<AnswerHandler, "onResponseData">,
  controller: AnswerController,
  bytes: Uint8Array,
): void {
  const chunk = Buffer.from(bytes);
  handler.onResponseData(controller, chunk);
  chunk.fill(0x2a);
}
