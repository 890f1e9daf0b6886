/**
 * Reads `POST /v1/embeddings` (docs/wire/openai-embeddings.md sections 1 and 2): the fields the gateway
 * needs, from a scan of the bytes, and the request that other formats are encoded from. Refusals use OpenAI's
 * messages.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../lib/json/scan.ts";
import type { JsonField, JsonScan } from "../../lib/json/scan-shapes.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";
import type { EmbeddingsHints, EmbeddingsRequest, VectorForm } from "../embeddings/request.ts";
import { type Inputs, readInputs, refused } from "../inputs.ts";
import { unsupported } from "../untranslatable.ts";

/** Top-level names to scan for, besides those of every endpoint. */
export const scannedNames = ["input", "encoding_format", "dimensions", "user"] as const;

/**
 * JSON values a body may contain: 300,000 token numbers, the most per request, and what surrounds them. They
 * are counted and not parsed, so the general limit for parsed bodies would be too low.
 */
export const valuesMin = 310_000;

/** OpenAI's limit of inputs per request. */
const inputsMax = 2_048;
/** Longest vector accepted; no model has longer ones. */
const dimensionsMax = 65_536;
const rules = { param: "input", countMax: inputsMax, allowsEmptyText: false } as const;

/** What the gateway needs of the body. */
export interface EmbeddingsFields {
  readonly inputs: Inputs;
  /** The requested form of the vectors. */
  readonly form: VectorForm;
  readonly dimensions: number | undefined;
  /** Beside the body, which has no fields for them. Absent: none. */
  readonly hints?: EmbeddingsHints | undefined;
}

/** Reads a complete body's scan. Throws `invalid_request` with the field's name and OpenAI's code. */
export function readEmbeddingsFields(scan: JsonScan, body: Buffer): EmbeddingsFields {
  const input = findField(scan, "input");
  if (input === undefined) {
    throw refused("input", "missing_required_parameter", message("input.missing", { param: "input" }));
  }
  return {
    inputs: readInputs(body, input.start, rules),
    form: readForm(findField(scan, "encoding_format"), body),
    dimensions: readDimensions(findField(scan, "dimensions"), body),
  };
}

/** Longest valid value, with escapes; of a longer one only this much is shown. */
const formBytesMax = 60;

function readForm(field: JsonField | undefined, body: Buffer): VectorForm {
  if (field === undefined || field.kind === "null") return "float";
  const isText = field.kind === "string" && field.end - field.start <= formBytesMax;
  const value: unknown = isText ? JSON.parse(body.toString("utf8", field.start, field.end)) : undefined;
  if (value === "float" || value === "base64") return value;
  const shown = typeof value === "string" ? `'${value}'` : `a ${field.kind}`;
  throw refused("encoding_format", "invalid_value", message("input.encodingFormat", { given: shown }));
}

function readDimensions(field: JsonField | undefined, body: Buffer): number | undefined {
  if (field === undefined || field.kind === "null") return undefined;
  const value =
    field.kind === "number" ? Number(body.toString("latin1", field.start, field.end)) : Number.NaN;
  if (!Number.isInteger(value)) {
    throw refused(
      "dimensions",
      "invalid_type",
      message("input.notInteger", { param: "dimensions", given: field.kind }),
    );
  }
  if (value < 1) {
    throw refused(
      "dimensions",
      "integer_below_min_value",
      message("input.below", { param: "dimensions", min: 1, given: value }),
    );
  }
  if (value > dimensionsMax) {
    throw refused(
      "dimensions",
      "integer_above_max_value",
      message("input.above", { param: "dimensions", max: dimensionsMax, given: value }),
    );
  }
  return value;
}

/** Fields that every format encodes in its own way, or that are for Plaza only. */
const ownNames: ReadonlySet<string> = new Set([
  "model",
  "models",
  "input",
  "encoding_format",
  "dimensions",
  "input_type",
  "task_type",
]);

/**
 * The request for formats other than OpenAI's. Throws `Untranslatable` for token numbers, which only their
 * own model can read. `body` must be well-formed, and `fields` read from it.
 */
export function decodeRequest(
  body: Buffer,
  { inputs, dimensions, hints }: EmbeddingsFields,
  dropsParams: boolean,
): EmbeddingsRequest {
  if (inputs.kind === "tokens") {
    throw unsupported("input", message("input.tokensNotTaken"));
  }
  const raw = recordOf(JSON.parse(body.toString("utf8")));
  const { input } = raw;
  const texts = Array.isArray(input) ? (input as string[]) : [input as string];
  const others = Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => value !== null && !ownNames.has(name)),
  );
  return { texts, dimensions, purpose: hints?.taskType ?? purposeOf(raw), hints, dropsParams, others };
}

/**
 * The purpose under Cohere's and NVIDIA's name or under Google's, as their OpenAI-compatible services and
 * other gateways read it.
 */
function purposeOf(raw: JsonRecord): string | undefined {
  const inputType = raw["input_type"] ?? raw["task_type"];
  if (inputType === undefined || inputType === null) return undefined;
  if (typeof inputType === "string" && inputType.length <= 100) return inputType;
  const param = raw["input_type"] === inputType ? "input_type" : "task_type";
  throw refused(param, "invalid_type", message("input.expectedText", { param }));
}
