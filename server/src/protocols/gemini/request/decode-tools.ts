/** Decodes the functions of a Gemini request and the choice among them. */
import { message } from "@plaza/contract/messages/message.ts";
import type { Tool, ToolChoice, ToolUse } from "../../../conversation/tools.ts";
import { isRecord, type JsonRecord, textIn } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { schemaOf } from "./decode-schema.ts";
import { names as settingNames } from "./names.ts";
import { membersOf } from "./spelling.ts";

const toolsMax = 1_024;

function parametersOf(declared: JsonRecord, path: string): JsonRecord | undefined {
  const { parameters, parametersJsonSchema: given } = declared;
  const [param, other] = [`${path}.parameters`, `${path}.parametersJsonSchema`];
  if (parameters !== undefined && given !== undefined)
    throw invalid(other, message("wire.geminiSchemas", { param, other }));
  const schema = given ?? schemaOf(parameters);
  if (schema === undefined) return undefined;
  if (!isRecord(schema)) throw invalid(given === undefined ? param : other, message("wire.schemaMissing"));
  return schema;
}

function readFunction(value: unknown, path: string): Tool {
  const declared = membersOf(value);
  const name = textIn(declared["name"]);
  if (name === undefined) throw invalid(`${path}.name`, message("wire.toolWithoutName"));
  return {
    name,
    description: textIn(declared["description"]),
    parameters: parametersOf(declared, path),
    isStrict: false,
    isCustom: false,
    grammar: undefined,
    cache: undefined,
    path,
    declarationPath: path,
    extras: undefined,
  };
}

function listOf(value: unknown, param: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw invalid(param, message("wire.notList", { param }));
  return value;
}

function choiceOf(raw: JsonRecord, tools: readonly Tool[]): ToolChoice | undefined {
  const config = membersOf(membersOf(raw["toolConfig"])["functionCallingConfig"]);
  const at = settingNames.toolChoice;
  const mode = config["mode"] ?? "MODE_UNSPECIFIED";
  const wanted = listOf(config["allowedFunctionNames"], `${at}.allowedFunctionNames`).map(String);
  for (const name of wanted) {
    if (!tools.some((tool) => tool.name === name))
      throw invalid(`${at}.allowedFunctionNames`, message("wire.toolUnknown", { name: name.slice(0, 100) }));
  }
  const [only] = wanted;
  switch (String(mode).toUpperCase()) {
    case "MODE_UNSPECIFIED":
      return undefined;
    case "AUTO":
      return { kind: "auto" };
    case "NONE":
      return { kind: "none" };
    case "VALIDATED":
      return wanted.length === 0 ? { kind: "auto" } : { kind: "allowed", names: wanted, mustCall: false };
    case "ANY":
      if (tools.length === 0) throw invalid(at, message("wire.toolsNone", { param: at }));
      if (only === undefined) return { kind: "required" };
      return wanted.length === 1
        ? { kind: "named", name: only }
        : { kind: "allowed", names: wanted, mustCall: true };
    default:
      throw invalid(`${at}.mode`, message("wire.geminiMode", { param: `${at}.mode` }));
  }
}

/** Throws when the choice names a missing function or a name occurs twice. */
export function decodeTools(raw: JsonRecord): ToolUse {
  const tools = listOf(raw["tools"], "tools").flatMap((value, index) => {
    const path = `tools[${index}].functionDeclarations`;
    const declared = listOf(membersOf(value)["functionDeclarations"], path);
    return declared.map((one, place) => readFunction(one, `${path}[${place}]`));
  });
  if (tools.length > toolsMax)
    throw invalid("tools", message("wire.toolsTooMany", { param: "tools", max: toolsMax }));
  const seen = new Set<string>();
  for (const { name, path } of tools) {
    if (seen.has(name)) throw invalid(path, message("wire.toolsTwice", { name: name.slice(0, 100) }));
    seen.add(name);
  }
  return { tools, choice: choiceOf(raw, tools), isParallel: undefined, hasRoomForOne: false };
}
