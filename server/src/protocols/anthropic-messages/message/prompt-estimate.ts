/**
 * How many tokens a conversation probably has, for the start of a stream: clients show it until the end says
 * what it was (docs/wire/anthropic-messages.md section 13). Nothing is charged by it.
 */
import type { AssistantBlock } from "../../../conversation/blocks.ts";
import type { Conversation } from "../../../conversation/conversation.ts";
import { estimateInput } from "../../../domain/money/estimate.ts";

/** Of an image or a page, about. */
const fileTokens = 1_600;

/** Characters of a file that stand in the request; undefined: it is none. */
function fileLength(block: AssistantBlock): number | undefined {
  switch (block.kind) {
    case "image":
    case "file":
      return block.source.kind === "inline" ? block.source.base64.length : 0;
    case "audio":
      return block.base64.length;
    case "made image":
      return block.url.length;
    default:
      return undefined;
  }
}

/** `bodyBytes`: of the request. At least 1. */
export function estimatePrompt({ turns }: Conversation, bodyBytes: number): number {
  let text = bodyBytes;
  let files = 0;
  const take = (blocks: readonly AssistantBlock[]): void => {
    for (const block of blocks) {
      const length = fileLength(block);
      if (length === undefined) continue;
      text -= length;
      files += 1;
    }
  };
  for (const turn of turns) {
    if (turn.role === "tool") for (const { content } of turn.blocks) take(content);
    else take(turn.blocks);
  }
  return Math.max(1, estimateInput(Math.max(0, text)) + files * fileTokens);
}
