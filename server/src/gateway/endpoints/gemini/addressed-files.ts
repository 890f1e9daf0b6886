/**
 * Files of a Gemini request whose bytes are not in it: how many tokens those at an address may have, and
 * whether one is named that is stored at an upstream. One credential serves many accounts, and none of them
 * stored anything through Plaza, so that each of those is refused as unknown.
 */
import { itemsOf, type MemberSpan, type ValueSpan } from "../../../lib/json/spans.ts";
import { storedFile } from "../shared-fields.ts";
import { membersNamed } from "./spelling.ts";

const publicAddress = /^https?:\/\//i;
/** Google's hosts of stored files, with those that ask for a certificate or are of one region. */
const isStoring = (host: string): boolean =>
  /(?:^|\.)storage\.cloud\.google\.com$/.test(host) ||
  (host.endsWith(".googleapis.com") && /generativelanguage|storage/.test(host));

/**
 * True for an address that the upstream fetches without the operator's credential. The host is compared as a
 * reader of addresses understands it: without user, port, escapes and the dot of the root.
 */
function isPublic(address: string): boolean {
  const { hostname } = (publicAddress.test(address) && URL.parse(address)) || { hostname: "" };
  return hostname !== "" && !isStoring(hostname.replace(/\.$/, ""));
}

/** Longer addresses are not read, but refused. */
const addressBytesMax = 16 * 1024;

/** Most tokens of a picture or a document. */
const pageTokens = 65_536;
/** Most tokens of a sound or a film: an hour has about a million, and no model reads more at once. */
const filmTokens = 1_048_576;
const isPages = /^(?:image|text)\/|^application\/(?:pdf|json)\b/;

/**
 * The most tokens of all files that the contents name by an address. A single content is no list. Throws
 * `not_found` for a file that is stored at an upstream.
 */
export function readAddressedFiles(body: Buffer, contents: ValueSpan, path: string): number {
  const isList = body[contents.start] === 0x5b;
  let tokens = 0;
  for (const [index, content] of (isList ? itemsOf(body, contents.start) : [contents]).entries())
    tokens += tokensInParts(body, content, isList ? `${path}[${index}]` : path);
  return tokens;
}

/** The same for one content. `isResult`: it is a function's result, which holds no results itself. */
function tokensInParts(body: Buffer, content: ValueSpan, path: string, isResult = false): number {
  let tokens = 0;
  for (const parts of membersNamed(body, content, "parts")) {
    for (const [index, part] of listAt(body, parts).entries()) {
      const at = `${path}.parts[${index}]`;
      for (const file of membersNamed(body, part, "fileData")) tokens += tokensOf(body, file, at);
      if (isResult) continue;
      for (const result of membersNamed(body, part, "functionResponse"))
        tokens += tokensInParts(body, result, `${at}.functionResponse`, true);
    }
  }
  return tokens;
}

function tokensOf(body: Buffer, file: ValueSpan, path: string): number {
  for (const uri of membersNamed(body, file, "fileUri")) {
    const text = textAt(body, uri, addressBytesMax).trim();
    if (!isPublic(text)) throw storedFile(`${path}.fileData.fileUri`);
  }
  const types = membersNamed(body, file, "mimeType").map((type) => textAt(body, type, 256).toLowerCase());
  return types.length === 1 && isPages.test(types[0] ?? "") ? pageTokens : filmTokens;
}

/** A text's value; empty for longer texts and other values. */
function textAt(body: Buffer, { start, end }: MemberSpan, bytesMax: number): string {
  const isText = body[start] === 0x22 && end - start <= bytesMax;
  return isText ? (JSON.parse(body.toString("utf8", start, end)) as string) : "";
}

const listAt = (body: Buffer, span: ValueSpan): readonly ValueSpan[] =>
  body[span.start] === 0x5b ? itemsOf(body, span.start) : [span];
