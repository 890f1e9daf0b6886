/**
 * Tools of OpenAI's own types that the caller runs, as functions for models that know no such types
 * (docs/wire/openai-responses.md section 4): their schemas, and their calls and results in this format.
 */
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";

export type CallerToolType = "local_shell" | "shell" | "apply_patch";

/** One of these tools. The function's name is the tool's type. */
export interface CallerTool {
  readonly type: CallerToolType;
  readonly description: string;
  readonly parameters: JsonRecord;
  /** Prefix of the ids of its items. */
  readonly idPrefix: string;
  /** The call's own members for these arguments; undefined when they do not fit the tool. */
  readonly membersOf: (args: JsonRecord) => JsonRecord | undefined;
  /** The arguments of a call, as the model wrote or would have written them. */
  readonly argumentsOf: (item: JsonRecord) => JsonRecord;
}

const objectOf = (properties: JsonRecord, ...required: string[]): JsonRecord => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = (description: string): JsonRecord => ({ type: "string", description });
const texts = (description: string): JsonRecord => ({
  type: "array",
  items: { type: "string" },
  description,
});
const timeout = { type: "integer", description: "Most milliseconds it may take." };

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
const countIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

const localShell: CallerTool = {
  type: "local_shell",
  description: "Runs a command on the user's machine and returns its output.",
  parameters: objectOf(
    {
      command: texts("The program and its arguments."),
      working_directory: text("Where it runs."),
      env: { type: "object", additionalProperties: { type: "string" }, description: "Its environment." },
      timeout_ms: timeout,
    },
    "command",
  ),
  idPrefix: "lsh",
  membersOf({ command, working_directory: directory, env, timeout_ms: ms }) {
    if (!areTexts(command)) return undefined;
    const isEnv = isRecord(env) && Object.values(env).every((value) => typeof value === "string");
    const action = {
      type: "exec",
      command,
      env: isEnv ? env : {},
      timeout_ms: countIn(ms),
      working_directory: textIn(directory) ?? null,
    };
    return { action };
  },
  argumentsOf: ({ action }) => without(recordOf(action), "type"),
};

const shell: CallerTool = {
  type: "shell",
  description: "Runs shell commands on the user's machine and returns their output.",
  parameters: objectOf(
    {
      commands: texts("The commands. They may run at the same time."),
      timeout_ms: timeout,
      max_output_length: { type: "integer", description: "Most characters of output to return." },
    },
    "commands",
  ),
  idPrefix: "sh",
  membersOf({ commands, timeout_ms: ms, max_output_length: most }) {
    if (!areTexts(commands)) return undefined;
    const action = { commands, timeout_ms: countIn(ms), max_output_length: countIn(most) };
    return { action, environment: { type: "local" } };
  },
  argumentsOf: ({ action }) => recordOf(action),
};

const applyPatch: CallerTool = {
  type: "apply_patch",
  description: "Creates, changes or deletes one file of the user's.",
  parameters: objectOf(
    {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: text("The file."),
      diff: text(
        "The change, without file headers and line numbers. create_file: every line of the file, each after a +. update_file: hunks that begin with a line @@ (it may name the enclosing class or function); in them, each line that stays begins with a space, each removed one with -, each added one with +. Nothing for delete_file.",
      ),
    },
    "type",
    "path",
  ),
  idPrefix: "apc",
  membersOf({ type, path, diff }) {
    if (typeof path !== "string" || path === "") return undefined;
    if (type === "delete_file") return { operation: { type, path } };
    if ((type !== "create_file" && type !== "update_file") || typeof diff !== "string") return undefined;
    return { operation: { type, path, diff } };
  },
  argumentsOf: ({ operation }) => recordOf(operation),
};

const byType: ReadonlyMap<unknown, CallerTool> = new Map(
  [localShell, shell, applyPatch].map((tool) => [tool.type, tool]),
);

const without = (record: JsonRecord, name: string): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([member, value]) => member !== name && value !== null));

/** The tool of this declaration; undefined where it is another one, or runs at the upstream. */
export function callerToolOf({ type, environment }: JsonRecord): CallerTool | undefined {
  return type === "shell" && recordOf(environment)["type"] !== "local" ? undefined : byType.get(type);
}

const callEnding = "_call";
const resultEnding = "_call_output";

/** The tool that an item calls. */
export const callerToolCalled = (type: string): CallerTool | undefined =>
  type.endsWith(callEnding) ? byType.get(type.slice(0, -callEnding.length)) : undefined;

/** The tool whose result an item is. */
export const callerToolAnswered = (type: string): CallerTool | undefined =>
  type.endsWith(resultEnding) ? byType.get(type.slice(0, -resultEnding.length)) : undefined;

/** What a result says, as text. A patch may say no more than its status. */
export function resultText({ output, status }: JsonRecord): string {
  if (typeof output === "string" && output !== "") return output;
  if (output === undefined || output === null || output === "") return textIn(status) ?? "";
  return JSON.stringify(output);
}

/** Type of the item of a call. */
export const callTypeOf = ({ type }: CallerTool): string => `${type}${callEnding}`;
