/**
 * What the gateway reads of a chat request, from the one scan of its bytes: which fields, of which type, and where. Values
 * that change routing or billing are checked here; everything else in the body is the upstream's to judge.
 */
import { type ErrorDetail, GatewayError } from "@plaza/contract/errors.ts";
import { estimateInput } from "../../../domain/money/estimate.ts";
import { createJsonScannerFactory, findField } from "../../../lib/json/json-scan.ts";
import type {
  JsonField,
  JsonKind,
  JsonScan,
  JsonScanFault,
  JsonScanner,
} from "../../../lib/json/json-scan-shapes.ts";
import type { ChatSpans } from "../../../protocols/protocol.ts";
import type { GatewaySettings } from "../../settings.ts";
import { misspelt, readMembers, readSpending, type Spending, spendingNames } from "./spending.ts";

const read = [
  "model",
  "models",
  "messages",
  "stream",
  "stream_options",
  "prompt_cache_key",
  "user",
  "functions",
  "response_format",
  "prediction",
  "logit_bias",
  "metadata",
] as const;
type Wanted = (typeof read)[number] | "max_tokens" | "max_completion_tokens" | "n" | "tools";

const modelLengthMax = 256;
/** Models a caller may list. */
const modelsMax = 8;
const inStreamOptions: ReadonlyMap<string, string> = new Map([["include_usage", "include_usage"]]);

/** What the next steps need of the body. */
export interface ChatFields {
  readonly model: string;
  /** Further models the caller takes, in this order, none twice; undefined when it named none. */
  readonly otherModels: readonly string[] | undefined;
  readonly isStream: boolean;
  /** Did the caller ask for usage in its stream? */
  readonly showsUsage: boolean;
  readonly spans: ChatSpans;
  readonly messages: JsonField;
  /** Bytes of all that is prompt, for estimates. */
  readonly promptBytes: number;
  /** Of a guess at the answer, whose rejected part is billed as output; 0 = none. */
  readonly predictionTokens: number;
  /** Most tokens of files that only have an address in the request. */
  readonly addressedTokens: number;
  /** Letters are written as escapes, so that words may stand there which the bytes do not show. */
  readonly hasEscapedLetter: boolean;
  /** What decides how much it may cost. */
  readonly spending: Spending;
}

/** Scans one body as it arrives; `push` gives the refusal as soon as there is one. */
export interface ChatScanner {
  push(chunk: Buffer): GatewayError | undefined;
  /** The complete body's scan; throws `invalid_request` when it is not well-formed. */
  end(body: Buffer): JsonScan;
}

export interface ChatScanners {
  create(): ChatScanner;
}

const invalid = (message: string, param?: string): GatewayError => {
  const detail: ErrorDetail = { message, param };
  return new GatewayError("invalid_request", detail);
};

/** Prepares the scanner once per process. */
export function createChatScanners(settings: GatewaySettings): ChatScanners {
  const limits = { depthMax: settings.jsonDepthMax, valuesMax: settings.jsonValuesMax };
  const createScanner = createJsonScannerFactory([...read, ...spendingNames], limits, [
    ...addressTokens.keys(),
  ]);
  return {
    create() {
      const scanner: JsonScanner = createScanner();
      return {
        push(chunk) {
          const fault = scanner.push(chunk);
          return fault === undefined ? undefined : refusal(fault, settings);
        },
        end(body) {
          const scan = scanner.end();
          if (scan.reason === undefined) return scan;
          if (body.length === 0) throw invalid("The body is empty; it must be a JSON object.");
          throw refusal(scan, settings);
        },
      };
    },
  };
}

function refusal(fault: JsonScanFault, settings: GatewaySettings): GatewayError {
  if (fault.reason === "syntax") {
    return invalid(`The body is not valid JSON: unexpected character or end at byte ${fault.at}.`);
  }
  const what =
    fault.reason === "depth"
      ? `nested deeper than ${settings.jsonDepthMax} levels`
      : `made of more than ${settings.jsonValuesMax} values`;
  return new GatewayError("request_too_large", {
    message: `The body is ${what} (at byte ${fault.at}); this installation does not accept that.`,
  });
}

/** Reads the fields of a complete body. Throws `invalid_request` naming the field. */
export function readChatFields(scanner: ChatScanner, body: Buffer): ChatFields {
  const scan = scanner.end(body);
  if (scan.root !== "object") throw invalid("The body must be a JSON object.");
  if (scan.duplicate !== undefined) {
    throw invalid(`The field '${scan.duplicate}' occurs twice; send it once.`, scan.duplicate);
  }
  if (scan.misspelt !== undefined) throw misspelt(scan.misspelt);
  const isStream = readStream(scan);
  const messages = required(scan, "messages", "array", "an array of messages");
  if (isEmptyArray(body, messages)) throw invalid("'messages' must hold at least one message.", "messages");
  typed(scan, "max_tokens", ["number", "null"], "a number");
  typed(scan, "max_completion_tokens", ["number", "null"], "a number");
  typed(scan, "n", ["number", "null"], "a number");
  const options = typed(scan, "stream_options", ["object", "null"], "an object");
  if (options?.kind === "object" && !isStream) {
    throw invalid("'stream_options' is only allowed when 'stream' is true.", "stream_options");
  }
  const model = readModels(scan, body);
  const spending = readSpending(scan, body);
  return {
    model: model.id,
    otherModels: model.others,
    isStream,
    showsUsage: options?.kind === "object" && asksForUsage(body, options),
    spans: {
      model: findField(scan, "model"),
      models: findField(scan, "models"),
      stream_options: options,
      max_tokens: findField(scan, "max_tokens"),
      max_completion_tokens: findField(scan, "max_completion_tokens"),
      prompt_cache_key: findField(scan, "prompt_cache_key"),
      user: findField(scan, "user"),
      outputs: spending.tokens,
    },
    messages,
    promptBytes: promptBytesOf(scan, body),
    predictionTokens: predictionTokensOf(findField(scan, "prediction")),
    addressedTokens: addressedTokensOf(scan),
    hasEscapedLetter: scan.hasEscapedLetter,
    spending,
  };
}

/** What surely is prompt, and what surely is none however long it is. */
const promptNames: readonly Wanted[] = ["messages", "tools", "functions", "response_format"];
const settingNames: readonly Wanted[] = ["logit_bias", "metadata"];
/** All that stands beside them is settings up to this size together; of more, some template may make a prompt. */
const settingBytesMax = 1_024;

function promptBytesOf(scan: JsonScan, body: Buffer): number {
  let bytes = 0;
  let rest = body.length;
  for (const name of promptNames) {
    const field = findField(scan, name);
    if (field === undefined || field.kind === "null") continue;
    bytes += field.end - field.start;
  }
  for (const name of settingNames) {
    const field = findField(scan, name);
    if (field !== undefined) rest -= field.end - field.start;
  }
  rest -= bytes;
  return rest > settingBytesMax ? bytes + rest : bytes;
}

/** Most tokens of one file that a part names by its address, by the key it stands under: whatever it is, its bytes are not here. */
const addressTokens: ReadonlyMap<string, number> = new Map([
  ["image_url", 1_600],
  ...["video_url", "audio_url", "file_url", "file_uri", "fileuri", "file_id"].map(
    (name): [string, number] => [name, 65_536],
  ),
]);

function addressedTokensOf({ counts }: JsonScan): number {
  let tokens = 0;
  for (const [name, count] of counts) tokens += count * (addressTokens.get(name) ?? 0);
  return tokens;
}

const predictionTokensOf = (field: JsonField | undefined): number =>
  field === undefined || field.kind === "null" ? 0 : estimateInput(field.end - field.start);

function typed(
  scan: JsonScan,
  name: Wanted,
  kinds: readonly JsonKind[],
  shown: string,
): JsonField | undefined {
  const field = findField(scan, name);
  if (field !== undefined && !kinds.includes(field.kind)) {
    throw invalid(`'${name}' must be ${shown}, not ${field.kind}.`, name);
  }
  return field;
}

function required(scan: JsonScan, name: Wanted, kind: JsonKind, shown: string): JsonField {
  const field = findField(scan, name);
  if (field === undefined || field.kind === "null") {
    throw invalid(`The required field '${name}' is missing.`, name);
  }
  if (field.kind !== kind) throw invalid(`'${name}' must be ${shown}, not ${field.kind}.`, name);
  return field;
}

function readStream(scan: JsonScan): boolean {
  return typed(scan, "stream", ["true", "false", "null"], "true or false")?.kind === "true";
}

function readModel(scan: JsonScan, body: Buffer): string {
  const field = required(scan, "model", "string", "a string");
  if (field.end - field.start > modelLengthMax * 6) throw invalid("'model' is too long.", "model");
  const id = parseSpan(body, field) as string;
  if (id.length === 0) throw invalid("'model' must not be empty.", "model");
  if (id.length > modelLengthMax) throw invalid("'model' is too long.", "model");
  return id;
}

/** The models the caller takes, best first: `model`, then those of `models`. One of the two is enough. */
function readModels(scan: JsonScan, body: Buffer): { id: string; others: readonly string[] | undefined } {
  const listed = typed(scan, "models", ["array", "null"], "an array of model ids");
  const list = listed?.kind === "array" ? readModelList(body, listed) : undefined;
  const [first] = list ?? [];
  if (list === undefined || first === undefined) return { id: readModel(scan, body), others: undefined };
  const isNamed = (findField(scan, "model")?.kind ?? "null") !== "null";
  const id = isNamed ? readModel(scan, body) : first;
  const others = [...new Set(list)].filter((other) => other !== id);
  return { id, others: others.length === 0 ? undefined : others };
}

function readModelList(body: Buffer, field: JsonField): readonly string[] {
  // Looked at before it is parsed: an id has at most six bytes a character, and an element something around it.
  const isHuge = field.end - field.start > modelsMax * (modelLengthMax * 6 + 64);
  const list = isHuge ? undefined : (parseSpan(body, field) as unknown[]);
  if (list === undefined || list.length > modelsMax) {
    throw invalid(`'models' must hold at most ${modelsMax} model ids.`, "models");
  }
  return list.map((id, index) => {
    if (typeof id !== "string" || id.length === 0 || id.length > modelLengthMax) {
      throw invalid(
        `'models[${index}]' must be a model id: a string of 1 to ${modelLengthMax} characters.`,
        "models",
      );
    }
    return id;
  });
}

/** JSON.parse of one value's bytes, already known to be well-formed. */
function parseSpan(body: Buffer, field: JsonField): unknown {
  return JSON.parse(body.toString("utf8", field.start, field.end));
}

function isEmptyArray(body: Buffer, field: JsonField): boolean {
  for (let at = field.start + 1; at < field.end - 1; at += 1) {
    if ((body[at] ?? 0) > 0x20) return false;
  }
  return true;
}

function asksForUsage(body: Buffer, field: JsonField): boolean {
  const { name: path, start, end } = field;
  const [member] = readMembers(body, { path, start, end }, inStreamOptions);
  return member !== undefined && body[member.start] === 0x74;
}

/** The fields of an upstream's whole answer that the gateway looks at. */
export function createAnswerScanners(): () => JsonScanner {
  return createJsonScannerFactory(["choices", "usage", "error"], { depthMax: 1_000, valuesMax: 50_000_000 });
}
