/**
 * Reads the parts of a delta or message other than calls and thoughts: text, images, citations, token
 * probabilities (docs/wire/openai-chat.md section 12). The input is untrusted; values of unexpected form are
 * ignored.
 */
import type { TokenLogprob } from "../../../conversation/answer.ts";
import type { Citation } from "../../../conversation/blocks.ts";
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

export const recordsIn = (value: unknown): JsonRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** A piece of content. */
export type ContentPiece =
  | { readonly kind: "text" | "refusal" | "thought"; readonly text: string }
  | { readonly kind: "image"; readonly url: string };

/** A text, or a list of texts as Mistral writes its thoughts. */
function joined(value: unknown): string {
  if (typeof value === "string") return value;
  return recordsIn(value).reduce((all, part) => all + textIn(part["text"]), "");
}

const urlIn = (image: unknown): string => textIn(image) || textIn(recordOf(image)["url"]);

function pieceOf(part: JsonRecord): ContentPiece {
  switch (part["type"]) {
    case "thinking":
    case "reasoning":
      return { kind: "thought", text: joined(part["thinking"] ?? part["reasoning"] ?? part["text"]) };
    case "refusal":
      return { kind: "refusal", text: textIn(part["refusal"]) };
    case "image_url":
      return { kind: "image", url: urlIn(part["image_url"]) };
    default:
      return { kind: "text", text: textIn(part["text"]) };
  }
}

/** The content of a message: a text, parts, or (at some small servers) a single part without a list. */
export function piecesOf(content: unknown): readonly ContentPiece[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (Array.isArray(content))
    return content.flatMap((part: unknown) => {
      if (typeof part === "string") return [{ kind: "text", text: part } as const];
      return isRecord(part) ? [pieceOf(part)] : [];
    });
  return isRecord(content) ? [pieceOf(content)] : [];
}

/** URLs of images beside a message's content. */
export const imagesIn = (images: unknown): string[] =>
  recordsIn(images).map((image) => urlIn(image["image_url"] ?? image["url"]));

/** An image's media type and base64; undefined when it is given by a remote URL. */
export function inlineImage(url: string): { mediaType: string; base64: string } | undefined {
  const found = /^data:(image\/[\w.+-]{1,60})(?:;[\w=.+-]{1,60}){0,4};base64,/i.exec(url.slice(0, 400));
  if (found === null) return undefined;
  return { mediaType: (found[1] as string).toLowerCase(), base64: url.slice(found[0].length) };
}

const offsetIn = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : 0;

/** Pages cited in a text. */
export function citationsIn(annotations: unknown): Citation[] {
  return recordsIn(annotations).flatMap((annotation) => {
    const { url, title, start_index: start, end_index: end } = recordOf(annotation["url_citation"]);
    if (typeof url !== "string" || url === "") return [];
    return [{ url, title: textIn(title), start: offsetIn(start), end: offsetIn(end) }];
  });
}

/** Pages listed for the whole answer, as URLs (Perplexity, xAI) or as search results. */
export function sourcesIn(piece: JsonRecord): { readonly url: string; readonly title: string }[] {
  const results = recordsIn(piece["search_results"]).map(({ url, title }) => ({
    url: textIn(url),
    title: textIn(title),
  }));
  const list = Array.isArray(piece["citations"]) ? piece["citations"] : [];
  const plain = list.map((url: unknown) => ({ url: textIn(url), title: "" }));
  return (results.length > 0 ? results : plain).filter(({ url }) => url !== "");
}

/** More alternatives than this cannot be requested. */
const alternativesMax = 20;

function tokenOf({ token, logprob, bytes, top_logprobs: top }: JsonRecord): TokenLogprob[] {
  if (typeof token !== "string" || typeof logprob !== "number") return [];
  const isBytes = Array.isArray(bytes) && bytes.every((byte) => typeof byte === "number");
  const alternatives = recordsIn(top).slice(0, alternativesMax).flatMap(tokenOf);
  return [
    {
      token,
      logprob,
      bytes: isBytes ? (bytes as number[]) : [...Buffer.from(token)],
      alternatives: alternatives.map(({ alternatives: _, ...alternative }) => alternative),
    },
  ];
}

/** The token probabilities of a choice's text. */
export const tokensIn = (logprobs: unknown): TokenLogprob[] =>
  recordsIn(recordOf(logprobs)["content"]).flatMap(tokenOf);
