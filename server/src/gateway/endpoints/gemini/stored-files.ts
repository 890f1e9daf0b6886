/**
 * Things of a Gemini request that are stored at an upstream: cached contents, files and stores of them. One
 * credential serves many accounts, and none of them stored anything through Plaza, so that each is refused as
 * unknown.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { itemsOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { membersNamed } from "./spelling.ts";

export const storedFile = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("call.fileUnknown", { param }), param });

/** Addresses that anybody may read: whoever serves the call fetches them without the operator's account. */
const publicAddress = /^https?:\/\//i;
/** Google's own places of stored files, and those of its buckets by address. */
const googleStored =
  /^https?:\/\/(?:[\w-]+\.)*(?:generativelanguage\.googleapis\.com|storage\.(?:cloud\.google|googleapis)\.com)(?:[:/]|$)/i;
/** Longer addresses are not read, but refused. */
const addressBytesMax = 16 * 1024;

/**
 * Throws `not_found` for a file in the contents that is stored at an upstream. A single content is no list.
 */
export function refuseStoredFiles(body: Buffer, contents: ValueSpan, path: string): void {
  const isList = body[contents.start] === 0x5b;
  for (const [index, content] of (isList ? itemsOf(body, contents.start) : [contents]).entries())
    refuseInParts(body, content, isList ? `${path}[${index}]` : path);
}

/** The same for one content. `isResult`: it is a function's result, which holds no results itself. */
function refuseInParts(body: Buffer, content: ValueSpan, path: string, isResult = false): void {
  for (const parts of membersNamed(body, content, "parts")) {
    for (const [index, part] of listAt(body, parts).entries()) {
      const at = `${path}.parts[${index}]`;
      for (const file of membersNamed(body, part, "fileData")) refuseStored(body, file, at);
      if (isResult) continue;
      for (const result of membersNamed(body, part, "functionResponse"))
        refuseInParts(body, result, `${at}.functionResponse`, true);
    }
  }
}

function refuseStored(body: Buffer, file: ValueSpan, path: string): void {
  for (const uri of membersNamed(body, file, "fileUri")) {
    const isText = body[uri.start] === 0x22 && uri.end - uri.start <= addressBytesMax;
    const text = isText ? (JSON.parse(body.toString("utf8", uri.start, uri.end)) as string).trim() : "";
    if (!publicAddress.test(text) || googleStored.test(text)) throw storedFile(`${path}.fileData.fileUri`);
  }
}

const listAt = (body: Buffer, span: ValueSpan): readonly ValueSpan[] =>
  body[span.start] === 0x5b ? itemsOf(body, span.start) : [span];
