/**
 * What the gateway reads of a generateContent request: the model and the method's manner from the path, all
 * else from the one scan of its bytes. Values that change routing or billing are checked here; everything
 * else is the upstream's to judge.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { foldCase } from "../../../lib/json/scan-names.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, type MemberSpan } from "../../../lib/json/spans.ts";
import { numberIn } from "../../../protocols/gemini/request/spelling.ts";
import { chargedApart } from "../../../providers/charged-apart.ts";
import type { CallTarget, RequestFields } from "../endpoint.ts";
import type { PromptFields } from "../generation/prompt-tokens.ts";
import { promptBytesAmong } from "../generation/prompt-tokens.ts";
import { type AskedNumber, isHarmless, readMembers, type Spending } from "../generation/spending.ts";
import type { GenerationFields } from "../generation/worst-case.ts";
import { invalid, readPathModel, storedFile } from "../shared-fields.ts";
import { readAddressedFiles } from "./addressed-files.ts";
import { readHosted } from "./hosted-tools.ts";
import { fieldOf, foldedName, spellingsOf } from "./spelling.ts";

/** What is read of a generateContent request. */
export interface GeminiFields extends RequestFields, GenerationFields, PromptFields {
  /** True for a stream of events; false for a JSON array. */
  readonly isEvents: boolean;
}

/** What surely is prompt, and what surely is none however long it is. */
const promptNames = ["contents", "systemInstruction", "tools", "toolConfig"] as const;
const settingNames = ["labels", "safetySettings"] as const;
const otherNames = ["model", "generationConfig", "cachedContent"] as const;

const fileNames = spellingsOf(["fileUri"]);

/** What the scan of a body looks for. */
export const scanned = {
  names: [
    ...new Set([
      ...spellingsOf([...promptNames, ...settingNames, ...otherNames]),
      ...Object.keys(chargedApart),
    ]),
  ],
  counted: fileNames,
} as const;

/** Google's name of the bound of the output, as refusals and the worst case name it. */
export const outputBound = "generationConfig.maxOutputTokens";

/** Reads the fields of a complete body. Throws `invalid_request` naming the field, or `not_found`. */
export function readGemini(
  scan: JsonScan,
  body: Buffer,
  { tail, query }: CallTarget,
  isStream: boolean,
): GeminiFields {
  const contents = fieldOf(scan, "contents");
  if (contents?.kind !== "array" || itemsOf(body, contents.start).length === 0)
    throw invalid(message("wire.geminiContents"), "contents");
  const config = readConfig(scan, body);
  const addressedTokens = addressedTokensOf(scan, body, contents);
  const hosted = readHosted(body, fieldOf(scan, "tools"));
  const apart = [...apartIn(scan, body), ...hosted.demanded, ...config.spending.apart];
  return {
    model: modelIn(tail),
    otherModels: undefined,
    isStream,
    isEvents: new URLSearchParams(query).get("alt") === "sse",
    // Each object says it.
    showsUsage: false,
    apart,
    offers: hosted.offers,
    spans: {
      model: fieldOf(scan, "model"),
      generationConfig: config.field,
      maxOutputTokens: config.bound,
      outputs: config.spending.tokens,
    },
    messages: contents,
    promptBytes: promptBytesOf(scan, body),
    predictionTokens: 0,
    addressedTokens,
    hasEscapedLetter: scan.hasEscapedLetter,
    spending: { ...config.spending, apart },
  };
}

/** Collections that clients put before a name which has one already. */
const collections = /^(?:publishers\/[\w-]{1,60}\/)?models\//;

/** The model in the path, with or without its collection. */
export const modelIn = (tail: string): string => readPathModel(tail.replace(collections, ""));

interface Config {
  readonly field: JsonField | undefined;
  /** Where the bound is; nulls included. */
  readonly bound: MemberSpan | undefined;
  readonly spending: Spending;
}

/** Settings that choose another model. */
const routingNames = ["routingConfig", "modelSelectionConfig", "modelConfig"] as const;
const bounded = ["maxOutputTokens", "candidateCount"] as const;
const configNames: ReadonlyMap<string, string> = new Map(
  spellingsOf([...bounded, ...routingNames]).map((name) => [foldCase(name), name]),
);

function readConfig(scan: JsonScan, body: Buffer): Config {
  const none: Spending = { tokens: [], choices: [], thinking: [], isThinkingOff: false, apart: [] };
  const field = fieldOf(scan, "generationConfig");
  if (field === undefined) return { field, bound: undefined, spending: none };
  if (field.kind !== "object")
    throw invalid(message("wire.notObject", { param: "generationConfig" }), "generationConfig");
  const { start, end } = field;
  const members = readMembers(body, { path: "generationConfig", start, end }, configNames);
  const member = (name: string): MemberSpan | undefined => {
    const found = members.filter((one) => foldedName(one.name) === foldedName(name));
    const path = `generationConfig.${name}`;
    if (found.length > 1) throw invalid(message("body.fieldTwice", { name: path }), path);
    return found[0];
  };
  const [bound, count] = [member("maxOutputTokens"), member("candidateCount")];
  const isGiven = (one: MemberSpan | undefined): one is MemberSpan =>
    one !== undefined && body[one.start] !== 0x6e;
  const routing = routingNames.filter((name) => isGiven(member(name)));
  return {
    field,
    bound,
    spending: {
      ...none,
      tokens: isGiven(bound) ? [numberAt(body, bound, outputBound)] : [],
      // Under chat's name, which every upstream's table of names has.
      choices: isGiven(count) ? [countAt(body, count, "generationConfig.candidateCount")] : [],
      apart: routing.map((name) => `generationConfig.${name}`),
    },
  };
}

/** Larger values mean "no bound". */
const numberMax = 1_000_000_000;
/** The same as for chat's `n`. */
const candidatesMax = 128;

/** A positive whole number, which may be written as a text, as proto3's JSON has it. */
function numberAt(body: Buffer, { start, end }: MemberSpan, path: string): AskedNumber {
  const isShort = end - start <= 64;
  const value = isShort ? numberIn(JSON.parse(body.toString("utf8", start, end))) : Number.NaN;
  if (value === undefined || Number.isNaN(value)) throw invalid(message("body.notNumber", { path }), path);
  if (!Number.isInteger(value) || value < 0)
    throw invalid(message("wire.positiveWhole", { param: path }), path);
  // Proto3 has no other word for "not set" than 0.
  return { path, start, end, value: value === 0 || value > numberMax ? Number.POSITIVE_INFINITY : value };
}

function countAt(body: Buffer, member: MemberSpan, path: string): AskedNumber {
  const { value, ...place } = numberAt(body, member, path);
  const count = value === Number.POSITIVE_INFINITY && isZero(body, member) ? 1 : value;
  if (count > candidatesMax)
    throw invalid(message("body.tooLargeNumber", { path, max: candidatesMax }), path);
  return { ...place, path: "n", value: count };
}

const isZero = (body: Buffer, { start, end }: MemberSpan): boolean =>
  Number(body.toString("latin1", start, end).replaceAll('"', "")) === 0;

/**
 * The most tokens of files that are named by an address. Throws `not_found` for files that are
 * stored at an upstream.
 */
function addressedTokensOf(scan: JsonScan, body: Buffer, contents: JsonField): number {
  if (fieldOf(scan, "cachedContent") !== undefined) throw storedFile("cachedContent");
  if (!fileNames.some((name) => scan.counts.has(name))) return 0;
  const system = fieldOf(scan, "systemInstruction");
  const inSystem = system === undefined ? 0 : readAddressedFiles(body, system, "systemInstruction");
  return inSystem + readAddressedFiles(body, contents, "contents");
}

/** Paths of the fields that make the call cost more than its tokens. */
function apartIn(scan: JsonScan, body: Buffer): string[] {
  const apart: string[] = [];
  for (const { name, kind, start, end } of scan.fields) {
    const isCharged = kind !== "null" && Object.hasOwn(chargedApart, name);
    if (isCharged && !isHarmless(body, { path: name, start, end })) apart.push(name);
  }
  return apart;
}

const lengthOf = (field: JsonField | undefined): number =>
  field === undefined ? 0 : field.end - field.start;

function promptBytesOf(scan: JsonScan, body: Buffer): number {
  const bytes = promptNames.reduce((sum, name) => sum + lengthOf(fieldOf(scan, name)), 0);
  const settings = settingNames.reduce((sum, name) => sum + lengthOf(fieldOf(scan, name)), 0);
  const schemas = lengthOf(fieldOf(scan, "generationConfig"));
  return bytes + promptBytesAmong(body.length - bytes - settings - schemas) + promptBytesAmong(schemas);
}
