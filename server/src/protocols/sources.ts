/** URLs of files as callers write them: `data:` with the bytes in it, or `https:`. */
import { message } from "@plaza/contract/messages/message.ts";
import type { Source } from "../conversation/blocks.ts";
import { invalid } from "./untranslatable.ts";

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/i;

/** Reads `data:` and `http(s):` URLs. Throws for anything else. The upstream checks the base64 itself. */
export function readSource(url: unknown, path: string, fallbackType = "application/octet-stream"): Source {
  if (typeof url !== "string" || url === "") throw invalid(path, message("wire.notAddress", { param: path }));
  if (/^https?:\/\//i.test(url)) return { kind: "url", url };
  const found = dataUrl.exec(url.slice(0, 1_000));
  if (found === null) throw invalid(path, message("wire.notHttpsOrData", { param: path }));
  const mediaType = (found[1] ?? "").toLowerCase() || fallbackType;
  const rest = url.slice(found[0].length);
  if (found[3] === undefined) {
    return { kind: "inline", mediaType, base64: Buffer.from(decoded(rest, path)).toString("base64") };
  }
  return { kind: "inline", mediaType, base64: rest };
}

function decoded(text: string, path: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(path, message("wire.dataAddress", { param: path }));
  }
}
