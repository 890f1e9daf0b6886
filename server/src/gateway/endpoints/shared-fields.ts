/**
 * Reads the fields that endpoints share (models, streaming) and checks field types. Only values that affect
 * routing or billing are checked; the upstream checks the rest.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../lib/json/scan.ts";
import type { JsonField, JsonKind, JsonScan } from "../../lib/json/scan-shapes.ts";

const modelLengthMax = 256;
/** Maximum number of models a caller may list. */
const modelsMax = 8;

export const invalid = (made: Message, param?: string): GatewayError =>
  new GatewayError("invalid_request", { message: made, param });

/**
 * The refusal of a file that lies at an upstream, named by an id at `param`: one credential serves many
 * accounts, and none of them stored a file through Plaza.
 */
export const storedFile = (param: string): GatewayError =>
  new GatewayError("not_found", { message: message("call.fileUnknown", { param }), param });

/**
 * Returns a field of one of these kinds; undefined when absent. Throws for other kinds. `shown`: the name of
 * the allowed kinds in `body.otherKind`.
 */
export function typed(
  scan: JsonScan,
  name: string,
  kinds: readonly JsonKind[],
  shown: string,
): JsonField | undefined {
  const field = findField(scan, name);
  if (field !== undefined && !kinds.includes(field.kind)) {
    throw invalid(message("body.otherKind", { name, shown, kind: field.kind }), name);
  }
  return field;
}

/** Returns a required field of one kind. Throws when it is absent, null or of another kind. */
export function required(scan: JsonScan, name: string, kind: JsonKind, shown: string): JsonField {
  const field = findField(scan, name);
  if (field === undefined || field.kind === "null") {
    throw invalid(message("body.fieldMissing", { name }), name);
  }
  if (field.kind !== kind) throw invalid(message("body.otherKind", { name, shown, kind: field.kind }), name);
  return field;
}

/** True when the answer should be streamed. */
export function readStream(scan: JsonScan): boolean {
  return typed(scan, "stream", ["true", "false", "null"], "boolean")?.kind === "true";
}

/** For endpoints whose answers always come whole. Throws `unsupported_parameter`. */
export function refuseStream(scan: JsonScan): void {
  if (!readStream(scan)) return;
  throw new GatewayError("unsupported_parameter", { message: message("input.noStream"), param: "stream" });
}

function readModel(scan: JsonScan, body: Buffer): string {
  const field = required(scan, "model", "string", "string");
  if (field.end - field.start > modelLengthMax * 6) throw invalid(message("call.modelTooLong"), "model");
  return readPathModel(parseSpan(body, field) as string);
}

/** A model's id, wherever it stood. Throws where it cannot be one. */
export function readPathModel(id: string): string {
  if (id.length === 0) throw invalid(message("call.modelEmpty"), "model");
  if (id.length > modelLengthMax) throw invalid(message("call.modelTooLong"), "model");
  return id;
}

/**
 * Returns the models the caller accepts, best first: `model`, then `models`. One of the two fields is enough.
 * `named`: what the path names, in place of `model`.
 */
export function readModels(
  scan: JsonScan,
  body: Buffer,
  named?: string,
): { id: string; others: readonly string[] | undefined } {
  const listed = typed(scan, "models", ["array", "null"], "modelIds");
  const list = listed?.kind === "array" ? readModelList(body, listed) : undefined;
  const [first] = list ?? [];
  const inPath = named === undefined ? undefined : readPathModel(named);
  if (list === undefined || first === undefined)
    return { id: inPath ?? readModel(scan, body), others: undefined };
  const isNamed = (findField(scan, "model")?.kind ?? "null") !== "null";
  const id = inPath ?? (isNamed ? readModel(scan, body) : first);
  const others = [...new Set(list)].filter((other) => other !== id);
  return { id, others: others.length === 0 ? undefined : others };
}

function readModelList(body: Buffer, field: JsonField): readonly string[] {
  // Checked before parsing: an id has at most six bytes per character, plus quotes and separators.
  const isHuge = field.end - field.start > modelsMax * (modelLengthMax * 6 + 64);
  const list = isHuge ? undefined : (parseSpan(body, field) as unknown[]);
  if (list === undefined || list.length > modelsMax) {
    throw invalid(message("call.modelsTooMany", { max: modelsMax }), "models");
  }
  return list.map((id, index) => {
    if (typeof id !== "string" || id.length === 0 || id.length > modelLengthMax) {
      throw invalid(message("call.modelsNotIds", { index, max: modelLengthMax }), "models");
    }
    return id;
  });
}

/** Parses one value that is already known to be well-formed. */
function parseSpan(body: Buffer, field: JsonField): unknown {
  return JSON.parse(body.toString("utf8", field.start, field.end));
}
