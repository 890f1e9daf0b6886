/**
 * Reads the many error formats of OpenAI-compatible upstreams (docs/wire/openai-compatible.md section 1) into
 * one shape. Does not classify the error; `fault.ts` does.
 */
import { isRecord, type JsonRecord, parseJson } from "../../lib/record.ts";

/** An error as received, not scrubbed. Absent texts are empty. */
export interface ErrorShape {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  /** A status written inside the body, 400 to 599. */
  readonly status: number | undefined;
  readonly param: string | undefined;
  /** Further text to search for causes (a nested upstream's message, details). Never shown to anyone. */
  readonly hidden: string;
  /** OpenRouter's `metadata`. */
  readonly metadata: JsonRecord | undefined;
}

const textMax = 16_000;

function text(value: unknown): string {
  if (typeof value === "string") return value.slice(0, textMax);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return "";
  try {
    return JSON.stringify(value).slice(0, textMax);
  } catch {
    // Nested too deeply to serialize.
    return "";
  }
}

/** A short identifier such as a code or type; empty for longer texts. */
const label = (value: unknown): string => {
  const read = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return read.length <= 100 ? read : "";
};

function statusIn(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599)
      return status;
  }
  return undefined;
}

/** FastAPI's list: `{"detail":[{"loc":["body","messages",0],"msg":"…","type":"…"}]}`. */
function detailList(list: readonly unknown[]): { message: string; param: string | undefined } {
  const lines: string[] = [];
  let param: string | undefined;
  for (const item of list.slice(0, 3)) {
    if (!isRecord(item)) continue;
    const loc = Array.isArray(item["loc"]) ? item["loc"].filter((step) => step !== "body").map(text) : [];
    const path = loc.join(".");
    param ??= path === "" ? undefined : path;
    lines.push(path === "" ? text(item["msg"]) : `${path}: ${text(item["msg"])}`);
  }
  return { message: lines.join("; "), param };
}

/** The fields of an error object or of a flat body. `outer`: the object around it. */
function fromRecord(error: JsonRecord, outer: JsonRecord): ErrorShape {
  const list = Array.isArray(error["detail"]) ? detailList(error["detail"]) : undefined;
  const metadata = isRecord(error["metadata"]) ? error["metadata"] : undefined;
  const param = typeof error["param"] === "string" && error["param"] !== "" ? error["param"] : list?.param;
  const inner = isRecord(error["innererror"]) ? error["innererror"] : undefined;
  return {
    message: list?.message ?? text(error["message"] ?? error["msg"] ?? error["detail"] ?? ""),
    type: label(error["type"]) || label(error["status"]),
    code: label(error["code"]) || label(inner?.["code"]) || label(error["error_code"]),
    status: statusIn(
      error["status"],
      error["code"],
      error["statusCode"],
      error["status_code"],
      outer["status"],
    ),
    param,
    hidden: `${text(metadata?.["raw"])} ${text(inner)} ${text(error["details"])}`.trim(),
    metadata,
  };
}

/**
 * The error in parsed JSON; undefined when there is none. Reads `{error:{…}}`, `{error:"text"}` with `code`
 * beside it, `[{error:{…}}]`, flat `{object:"error",…}`, `{message}`, `{detail}`, `{code,message,data}` and a
 * bare string.
 */
export function readErrorValue(value: unknown): ErrorShape | undefined {
  if (typeof value === "string" && value !== "") return fromRecord({ message: value }, {});
  if (Array.isArray(value)) return isRecord(value[0]) ? readErrorValue(value[0]) : undefined;
  if (!isRecord(value)) return undefined;
  const error = value["error"];
  if (isRecord(error)) return fromRecord(error, value);
  if (Array.isArray(error) && isRecord(error[0])) return fromRecord(error[0], value);
  if (typeof error === "string" && error !== "") {
    return fromRecord({ ...value, message: error, detail: undefined }, value);
  }
  const isFlat = ["message", "msg", "detail"].some((key) => typeof value[key] === "string");
  if (isFlat || Array.isArray(value["detail"]) || value["object"] === "error")
    return fromRecord(value, value);
  return undefined;
}

/** The error in any body. Plain text and HTML become an error with only a message. */
export function readErrorBody(body: string): ErrorShape {
  const parsed = readErrorValue(parseJson(body));
  if (parsed !== undefined) return parsed;
  const title = /<title[^>]{0,200}>([^<]{0,300})/i.exec(body)?.[1];
  const isHtml = title !== undefined || /^\s{0,100}</.test(body);
  const message = isHtml ? `HTML page: ${(title ?? "no title").trim()}` : body.slice(0, textMax);
  return fromRecord({ message }, {});
}
