/** Puts files that were fetched for an upstream into a request in place of their addresses. Knows no protocol. */

import type { ContentPart } from "../openai-chat/content.ts";
import type { ChatRequest } from "../openai-chat/request.ts";
import type { MediaFile } from "../protocol.ts";

type Media = ReadonlyMap<string, MediaFile>;

function inlined(part: ContentPart, media: Media): ContentPart {
  if ((part.kind !== "image" && part.kind !== "file") || part.source.kind !== "url") return part;
  const file = media.get(part.source.url);
  if (file === undefined) return part;
  const source = {
    kind: "inline",
    mediaType: file.mediaType,
    base64: file.bytes.toString("base64"),
  } as const;
  return { ...part, source };
}

/** The same request where nothing was fetched. */
export function withInlined(chat: ChatRequest, media: Media | undefined): ChatRequest {
  if (media === undefined || media.size === 0) return chat;
  const messages = chat.messages.map((message) => ({
    ...message,
    content: message.content.map((part) => inlined(part, media)),
  }));
  return { ...chat, messages };
}
