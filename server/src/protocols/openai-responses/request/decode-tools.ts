/**
 * Decodes the tools of a Responses request and the choice among them (docs/wire/openai-responses.md section
 * 1): functions and custom tools, alone or in namespaces, and those of OpenAI's own types that become
 * functions. All others are kept as settings, which an upstream's format can express or refuses by name.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Parameter } from "../../../conversation/conversation.ts";
import type { Tool, ToolChoice, ToolUse } from "../../../conversation/tools.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { type CallerTool, callerToolOf } from "./caller-tools.ts";
import { othersOf } from "./decode-content.ts";
import { ToolNames } from "./tool-names.ts";

const toolsMax = 1_024;

/** The request's tools. `apart`: what other formats cannot express of them, by path. */
export interface DecodedTools {
  readonly toolUse: ToolUse;
  readonly names: ToolNames;
  readonly apart: readonly Parameter[];
}

const fields: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "parameters",
  "strict",
  "format",
  "cache_control",
]);

/** True for a tool that the caller runs. */
const isOwnTool = (type: unknown): boolean => type === "function" || type === "custom";

const searches: ReadonlySet<string> = new Set(["web_search", "web_search_preview"]);

/**
 * Tools that the caller runs, or that only choose among tools, which no other format can express. Beside
 * other tools they are a manner: models do without.
 */
const ofManner: ReadonlySet<unknown> = new Set([
  "computer",
  "computer_use",
  "computer_use_preview",
  "tool_search",
]);

/**
 * A custom tool's input grammar. Other formats have none, and clients like Codex always send one, so it is
 * added to the description and reported; this format gets back the original.
 */
interface Grammar {
  readonly description: string;
  readonly extras: JsonRecord;
}

function grammarOf({ type, format, description }: JsonRecord): Grammar | undefined {
  if (type !== "custom" || !isRecord(format) || (format["type"] ?? "text") === "text") return undefined;
  const { syntax, definition } = format;
  const grammar = typeof definition === "string" ? definition : JSON.stringify(format);
  const kind = typeof syntax === "string" ? syntax.slice(0, 100) : "given";
  const before = textIn(description) === undefined ? "" : `${description}\n\n`;
  const said = `${before}The input must match this ${kind} grammar:\n${grammar}`;
  return { description: said, extras: { format, description: description ?? null } };
}

/** An omitted `strict` means strict if the schema allows it; no other format has that. */
function extrasOf(raw: JsonRecord, more: JsonRecord | undefined): JsonRecord | undefined {
  const others = othersOf(raw, fields);
  const isUnsaid = raw["type"] === "function" && typeof raw["strict"] !== "boolean";
  if (others === undefined && !isUnsaid && more === undefined) return undefined;
  return { ...others, ...(isUnsaid ? { strict: null } : {}), ...more };
}

interface Entry {
  readonly raw: JsonRecord;
  readonly path: string;
  readonly name: string;
  readonly namespace?: JsonRecord;
}

function toolOf({ raw, path, name, namespace }: Entry): Tool {
  const { description, parameters, cache_control: given } = raw;
  if (parameters !== undefined && parameters !== null && !isRecord(parameters))
    throw invalid(`${path}.parameters`, message("wire.toolParameters", { param: path }));
  const isCustom = raw["type"] === "custom";
  const grammar = grammarOf(raw);
  const more = grammar === undefined ? namespace : { ...namespace, ...grammar.extras };
  return {
    name,
    description: grammar?.description ?? textIn(description),
    parameters: isRecord(parameters) ? parameters : undefined,
    isStrict: raw["strict"] === true,
    isCustom,
    grammar: undefined,
    cache: given === undefined || given === null ? undefined : { given, path: `${path}.cache_control` },
    path,
    declarationPath: path,
    extras: extrasOf(raw, more),
  };
}

/** The function that stands for a tool of OpenAI's own type. */
const functionOf = ({ type: name, description, parameters }: CallerTool, path: string): Tool => ({
  name,
  description,
  parameters,
  isStrict: false,
  isCustom: false,
  grammar: undefined,
  cache: undefined,
  path,
  declarationPath: path,
  extras: undefined,
});

const nameOf = (raw: JsonRecord, path: string): string => {
  const name = textIn(raw["name"]);
  if (name === undefined) throw invalid(`${path}.name`, message("wire.toolWithoutName"));
  return name;
};

const twice = (name: string, path: string) =>
  invalid(path, message("wire.toolsTwice", { name: name.slice(0, 100) }));

function readNamespace(raw: JsonRecord, path: string, names: ToolNames): Tool[] {
  const namespace = nameOf(raw, path);
  const { tools } = raw;
  if (!Array.isArray(tools))
    throw invalid(`${path}.tools`, message("wire.notList", { param: `${path}.tools` }));
  return tools.map((value, index) => {
    const at = `${path}.tools[${index}]`;
    const tool = recordOf(value);
    if (!isOwnTool(tool["type"])) throw invalid(`${at}.type`, message("wire.toolType", { param: at }));
    const name = nameOf(tool, at);
    const flat = names.addIn(namespace, name);
    if (flat === undefined) throw twice(name, at);
    return toolOf({ raw: tool, path: at, name: flat, namespace: { namespace } });
  });
}

/** The choice; "hosted" for a tool that OpenAI runs. */
function choiceOf(value: unknown, names: ToolNames): ToolChoice | "hosted" | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "auto" || value === "none" || value === "required") return { kind: value };
  const raw = recordOf(value);
  const flat = (one: JsonRecord): string => names.flatOf(String(one["name"]), textIn(one["namespace"]));
  const nameIn = (one: JsonRecord): string | undefined =>
    isOwnTool(one["type"]) ? flat(one) : names.callerToolNamed(one["type"]);
  if (raw["type"] === "allowed_tools") {
    const list = (Array.isArray(raw["tools"]) ? raw["tools"] : []).map(recordOf).map(nameIn);
    const known = list.filter((name) => name !== undefined);
    if (known.length < list.length) return "hosted";
    return { kind: "allowed", names: known, mustCall: raw["mode"] === "required" };
  }
  const called = names.callerToolNamed(raw["type"]);
  if (called !== undefined) return { kind: "named", name: called };
  if (isOwnTool(raw["type"]) && textIn(raw["name"]) !== undefined) return { kind: "named", name: flat(raw) };
  if (typeof raw["type"] === "string" && !isOwnTool(raw["type"])) return "hosted";
  throw invalid("tool_choice", message("wire.toolChoice", { param: "tool_choice" }));
}

function listOf(raw: JsonRecord): readonly unknown[] {
  const list = raw["tools"] ?? [];
  if (!Array.isArray(list)) throw invalid("tools", message("wire.notList", { param: "tools" }));
  const count = list.reduce<number>((sum, tool) => {
    const { tools } = recordOf(tool);
    return sum + (Array.isArray(tools) ? Math.max(1, tools.length) : 1);
  }, 0);
  if (count > toolsMax)
    throw invalid("tools", message("wire.toolsTooMany", { param: "tools", max: toolsMax }));
  return list;
}

/**
 * Reads tools, choice and parallelism. Throws when the choice names a missing tool or a name occurs twice.
 */
export function decodeTools(raw: JsonRecord): DecodedTools {
  const list = listOf(raw).map(recordOf);
  const names = new ToolNames();
  const apart: Parameter[] = [];
  // Names without a namespace first, wherever they are, because they must not be changed.
  for (const [index, tool] of list.entries()) {
    if (!isOwnTool(tool["type"])) continue;
    const path = `tools[${index}]`;
    if (!names.add(nameOf(tool, path))) throw twice(String(tool["name"]), path);
  }
  const tools = list.flatMap((tool, index): Tool[] => {
    const path = `tools[${index}]`;
    const { type } = tool;
    if (isOwnTool(type)) return [toolOf({ raw: tool, path, name: String(tool["name"]) })];
    if (type === "namespace") return readNamespace(tool, path, names);
    if (typeof type !== "string") throw invalid(`${path}.type`, message("wire.toolType", { param: path }));
    const callers = callerToolOf(tool);
    if (callers !== undefined && names.addCallerTool(callers)) return [functionOf(callers, path)];
    apart.push({ name: path, setting: searches.has(type) ? "webSearch" : undefined, value: tool });
    return [];
  });
  for (const { path, extras } of tools)
    if (extras?.["format"] !== undefined)
      apart.push({ name: `${path}.format`, setting: "manner", value: extras["format"] });
  const choice = choiceOf(raw["tool_choice"], names);
  if (choice === "hosted") apart.push({ name: "tool_choice", setting: undefined, value: raw["tool_choice"] });
  else
    checkChoice(
      choice,
      tools,
      list.some(({ type }) => !isOwnTool(type)),
    );
  const isFree = tools.length > 0 && choice !== "hosted" && choice?.kind !== "required";
  const parallel = raw["parallel_tool_calls"];
  const toolUse: ToolUse = {
    tools,
    choice: choice === "hosted" ? undefined : choice,
    isParallel: typeof parallel === "boolean" ? parallel : undefined,
    hasRoomForOne: false,
  };
  return { toolUse, names, apart: isFree ? apart.map(asManner) : apart };
}

const asManner = (parameter: Parameter): Parameter =>
  ofManner.has(recordOf(parameter.value)["type"]) ? { ...parameter, setting: "manner" } : parameter;

function checkChoice(choice: ToolChoice | undefined, tools: readonly Tool[], hasHosted: boolean): void {
  const known = new Set(tools.map(({ name }) => name));
  const wanted = choice?.kind === "named" ? [choice.name] : choice?.kind === "allowed" ? choice.names : [];
  for (const name of wanted) {
    if (!known.has(name))
      throw invalid("tool_choice", message("wire.toolUnknown", { name: name.slice(0, 100) }));
  }
  if (choice?.kind === "required" && tools.length === 0 && !hasHosted)
    throw invalid("tool_choice", message("wire.toolsNone", { param: "tool_choice" }));
}
