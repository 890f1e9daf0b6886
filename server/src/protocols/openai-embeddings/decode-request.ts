/**
 * `POST /v1/embeddings` as callers send it (docs/wire/openai-embeddings.md sections 1 and 2): what the
 * gateway reads of it, from the scan of its bytes, and the request that other formats are written
 * from. Refusals are in OpenAI's words.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../lib/json/scan.ts";
import type { JsonField, JsonScan } from "../../lib/json/scan-shapes.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";
import type { EmbeddingsRequest, VectorForm } from "../embeddings/request.ts";
import { type Inputs, readInputs, refused } from "../inputs.ts";
import { unsupported } from "../untranslatable.ts";

/** Names to look for at the top of the body, beside those every endpoint has. */
export const scannedNames = ["input", "encoding_format", "dimensions", "user"] as const;

/**
 * A body may hold so many JSON values: 300,000 token numbers, which is the most one request
 * may have, and what stands around them. They are counted, never parsed, so the bound for
 * bodies that are parsed does not fit.
 */
export const valuesMin = 310_000;

/** OpenAI's bound of a batch. */
const inputsMax = 2_048;
/** No model has longer vectors. */
const dimensionsMax = 65_536;
const rules = { param: "input", countMax: inputsMax, allowsEmptyText: false } as const;

/** What the gateway needs of the body. */
export interface EmbeddingsFields {
  readonly inputs: Inputs;
  /** How the answer is to be written. */
  readonly form: VectorForm;
  readonly dimensions: number | undefined;
}

/** Reads a complete body's scan. Throws `invalid_request` naming the field, with OpenAI's code. */
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

/** The longest value that can be right, with escapes; of a longer one no more is shown. */
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

/** What every format says in its own way, or what is for Plaza alone. */
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
 * The request for formats other than OpenAI's. Throws `Untranslatable` where token numbers
 * were sent: only the model they were made for can read them. `body` is known to be
 * well-formed, `fields` to be what was read of it.
 */
export function decodeRequest(
  body: Buffer,
  { inputs, dimensions }: EmbeddingsFields,
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
  return { texts, dimensions, purpose: purposeOf(raw), dropsParams, others };
}

/**
 * Cohere's and NVIDIA's name, or Google's, as their own OpenAI-shaped services and other gateways read them.
 */
function purposeOf(raw: JsonRecord): string | undefined {
  const inputType = raw["input_type"] ?? raw["task_type"];
  if (inputType === undefined || inputType === null) return undefined;
  if (typeof inputType === "string" && inputType.length <= 100) return inputType;
  const param = raw["input_type"] === inputType ? "input_type" : "task_type";
  throw refused(param, "invalid_type", message("input.expectedText", { param }));
}
