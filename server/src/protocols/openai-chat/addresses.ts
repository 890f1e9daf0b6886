/** The files a request names by address, for providers that need their bytes. */
import type { ProviderRequest } from "../protocol.ts";
import type { FileAddress } from "../wire-protocol.ts";
import { readChatRequest } from "./request.ts";

/** Each address once. Throws `Untranslatable` where the request is wrong anyway. */
export function addressesOf(request: ProviderRequest): FileAddress[] {
  const found = new Map<string, FileAddress>();
  for (const message of readChatRequest(request).messages) {
    for (const part of message.content) {
      if ((part.kind !== "image" && part.kind !== "file") || part.source.kind !== "url") continue;
      const { url } = part.source;
      const field = part.kind === "image" ? "image_url.url" : "file.file_data";
      if (!found.has(url)) found.set(url, { url, param: `${part.path}.${field}`, kind: part.kind });
    }
  }
  return [...found.values()];
}
