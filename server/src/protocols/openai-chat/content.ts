/** What stands in a message: text, images, sounds, files; as a plain text or in parts. Decides nothing about what a provider takes. */
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";

/** Where a file's bytes are: inline (base64, as sent) or at an address. */
export type Source =
  | { readonly kind: "inline"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

/** `raw`: the part as sent, for extensions such as cache marks; undefined where the content was a plain text. */
export type ContentPart = { readonly path: string; readonly raw: JsonRecord | undefined } & (
  | { readonly kind: "text"; readonly text: string }
  /** What an assistant said in refusing. */
  | { readonly kind: "refusal"; readonly text: string }
  | { readonly kind: "image"; readonly source: Source; readonly detail: string | undefined }
  /** `format`: wav, mp3 … */
  | { readonly kind: "audio"; readonly format: string; readonly base64: string }
  | { readonly kind: "file"; readonly source: Source; readonly filename: string | undefined }
  /** A file the caller stored somewhere: only its id is known. */
  | { readonly kind: "stored"; readonly fileId: string }
);

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,/i;

/** Reads `data:` and `http(s):` addresses. Base64 itself is the upstream's to judge. Throws for anything else. */
export function readSource(url: unknown, path: string, fallbackType = "application/octet-stream"): Source {
  if (typeof url !== "string" || url === "") throw invalid(path, `'${path}' must be an address.`);
  if (/^https?:\/\//i.test(url)) return { kind: "url", url };
  const found = dataUrl.exec(url.slice(0, 1_000));
  if (found === null) throw invalid(path, `'${path}' must be an https: or a data: address.`);
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
    throw invalid(path, `'${path}' is not a well-formed data: address.`);
  }
}

function readFile(file: JsonRecord, path: string, raw: JsonRecord): ContentPart {
  const { file_id: id, file_data: given, file_url: url, filename } = file;
  if (typeof id === "string" && id !== "") return { kind: "stored", fileId: id, path, raw };
  const name = typeof filename === "string" && filename !== "" ? filename : undefined;
  const at = given === undefined && url !== undefined ? `${path}.file.file_url` : `${path}.file.file_data`;
  const text = given ?? url;
  // The SDKs send an address; some callers send the bare base64 of a PDF.
  const isBare = typeof text === "string" && !/^(?:data:|https?:)/i.test(text) && /^[\w+/=-]+$/.test(text);
  const source: Source = isBare
    ? { kind: "inline", mediaType: "application/pdf", base64: text }
    : readSource(text, at, "application/pdf");
  return { kind: "file", source, filename: name, path, raw };
}

function readPart(value: unknown, path: string): ContentPart {
  if (!isRecord(value)) throw invalid(path, `'${path}' must be an object.`);
  const raw = value;
  const isText = raw["type"] === "text" || raw["type"] === "input_text" || raw["type"] === "output_text";
  if (isText) {
    if (typeof raw["text"] !== "string") throw invalid(`${path}.text`, `'${path}.text' must be a text.`);
    return { kind: "text", text: raw["text"], path, raw };
  }
  switch (raw["type"]) {
    case "refusal": {
      const text = raw["refusal"];
      return { kind: "refusal", text: typeof text === "string" ? text : "", path, raw };
    }
    case "image_url": {
      const image = raw["image_url"];
      const url = typeof image === "string" ? image : recordOf(image)["url"];
      const detail = recordOf(image)["detail"];
      return {
        kind: "image",
        source: readSource(url, `${path}.image_url.url`, "image/png"),
        detail: typeof detail === "string" ? detail : undefined,
        path,
        raw,
      };
    }
    case "input_audio": {
      const { data, format } = recordOf(raw["input_audio"]);
      if (typeof data !== "string")
        throw invalid(`${path}.input_audio.data`, "Audio needs its data in base64.");
      return { kind: "audio", base64: data, format: typeof format === "string" ? format : "wav", path, raw };
    }
    case "file":
      return readFile(recordOf(raw["file"]), path, raw);
    default:
      throw invalid(`${path}.type`, `'${path}.type' must be text, image_url, input_audio, file or refusal.`);
  }
}

/** The parts of a message's content; none for null. A plain text is one part. `path`: the message's. */
export function readContent(content: unknown, path: string): ContentPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string")
    return [{ kind: "text", text: content, path: `${path}.content`, raw: undefined }];
  if (!Array.isArray(content))
    throw invalid(`${path}.content`, `'${path}.content' must be a text or a list of parts.`);
  return content.map((part, index) => readPart(part, `${path}.content[${index}]`));
}

/** The text of parts, in order, without separators; what is no text is left out. */
export function textOf(parts: readonly ContentPart[]): string {
  let text = "";
  for (const part of parts) if (part.kind === "text" || part.kind === "refusal") text += part.text;
  return text;
}
