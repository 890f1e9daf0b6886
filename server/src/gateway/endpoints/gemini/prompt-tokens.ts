/**
 * Estimates the prompt tokens of a Gemini request whose upstream reported no usage: text by its length, files
 * by the provider's rules. Runs only for such requests; linear in the size of the body.
 */
import { estimateInput } from "../../../domain/money/estimate.ts";
import { itemsOf, type MemberSpan, type ValueSpan } from "../../../lib/json/spans.ts";
import { mediaTokens } from "../../../providers/media-tokens.ts";
import type { PromptFields } from "../generation/prompt-tokens.ts";
import { membersNamed } from "./spelling.ts";

/** Most characters of base64 that are decoded to find a file's size. */
const headBytesMax = 64 * 1024;
const typeBytesMax = 256;

/** `provider`: by whose rule files count. */
export function promptTokens(
  { messages, promptBytes }: PromptFields,
  body: Buffer,
  provider: string,
): number {
  let fileBytes = 0;
  let tokens = 0;
  for (const file of filesIn(body, messages)) {
    fileBytes += file.bytes;
    tokens += mediaTokens(provider, file.media);
  }
  return estimateInput(Math.max(0, promptBytes - fileBytes)) + tokens;
}

function* filesIn(body: Buffer, contents: ValueSpan) {
  for (const content of itemsOf(body, contents.start)) {
    for (const part of partsOf(body, content)) {
      yield* inPart(body, part);
      for (const result of membersNamed(body, part, "functionResponse"))
        for (const inner of partsOf(body, result)) yield* inPart(body, inner);
    }
  }
}

function* inPart(body: Buffer, part: ValueSpan) {
  for (const blob of membersNamed(body, part, "inlineData")) {
    const [data] = membersNamed(body, blob, "data");
    const [mimeType] = membersNamed(body, blob, "mimeType");
    if (data !== undefined && body[data.start] === 0x22) yield inlineFile(body, data, textOf(body, mimeType));
  }
  for (const file of membersNamed(body, part, "fileData")) {
    const [mimeType] = membersNamed(body, file, "mimeType");
    yield { bytes: 0, media: { mediaType: textOf(body, mimeType), head: Buffer.alloc(0), bytes: 0 } };
  }
}

const partsOf = (body: Buffer, content: ValueSpan): readonly ValueSpan[] =>
  membersNamed(body, content, "parts").flatMap(({ start }) =>
    body[start] === 0x5b ? itemsOf(body, start) : [],
  );

function inlineFile(body: Buffer, { start, end }: ValueSpan, mediaType: string) {
  const length = end - start - 2;
  const text = body.toString("latin1", start + 1, start + 1 + Math.min(length, headBytesMax));
  const head = Buffer.from(text.replaceAll("\\/", "/"), "base64");
  return { bytes: length, media: { mediaType, head, bytes: Math.floor((length * 3) / 4) } };
}

function textOf(body: Buffer, member: MemberSpan | undefined): string {
  if (member === undefined || body[member.start] !== 0x22 || member.end - member.start > typeBytesMax)
    return "";
  return (JSON.parse(body.toString("utf8", member.start, member.end)) as string).toLowerCase();
}
