/**
 * Finds which of a client's declared tools does a piece of work, and fills in its arguments by the names
 * and types in its schema. Where a client has no tool for files, its shell does it.
 */
import type { Work } from "./task.ts";
import { type Fields, fieldsOf, isFields, textOf } from "./values.ts";

/** A tool as a client declared it, whatever the wire. */
export interface Offer {
  readonly name: string;
  /** JSON Schema of its arguments; absent for a tool that takes free text. */
  readonly schema?: Fields;
}

/** A call to make: arguments as an object, or free text for a tool without a schema. */
export interface Call {
  readonly name: string;
  readonly args: Fields | string;
}

const namesFor: Readonly<Record<Work["kind"], RegExp>> = {
  write: /^(write|write_file|write_to_file|editor)$/i,
  edit: /^(edit|edit_file|replace|editor)$/i,
  run: /^(bash|shell|shell_command|exec_command|run_shell_command|run_commands)$/i,
};

/** Names that clients give to the same argument. */
const argumentNames = {
  file: ["file_path", "filePath", "path"],
  text: ["content", "new_text"],
  before: ["old_string", "oldString", "old_text"],
  after: ["new_string", "newString", "new_text"],
  command: ["command", "commands", "cmd"],
} as const;

/** True when a client declares tools that can do the task. */
export const canWork = (offers: readonly Offer[]): boolean =>
  offers.some(({ name }) => namesFor.run.test(name));

/** The call that does this work; files lie in `folder` (absolute). Throws where no tool does it. */
export function callFor(work: Work, offers: readonly Offer[], folder: string): Call {
  const patch = offers.find(({ name, schema }) => name === "apply_patch" && schema === undefined);
  if (patch !== undefined && work.kind !== "run") return { name: patch.name, args: patchFor(work) };
  const own = offers.find(({ name, schema }) => namesFor[work.kind].test(name) && schema !== undefined);
  if (own !== undefined) return { name: own.name, args: argumentsFor(work, own, folder) };
  const shell = offers.find(({ name }) => namesFor.run.test(name));
  if (shell === undefined || work.kind === "run") throw new Error(`no tool for "${work.kind}"`);
  const command = shellFor(work);
  return { name: shell.name, args: argumentsFor({ kind: "run", command, prints: "" }, shell, folder) };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function shellFor(work: Exclude<Work, { kind: "run" }>): string {
  return work.kind === "write"
    ? `printf '%s' ${quoted(work.text)} > ${work.file}`
    : `sed -i ${quoted(`s/${work.before}/${work.after}/`)} ${work.file}`;
}

/** The patch format of Codex's free-text tool. Edits replace the first line, which is all the task needs. */
function patchFor(work: Exclude<Work, { kind: "run" }>): string {
  const lines =
    work.kind === "write"
      ? [
          `*** Add File: ${work.file}`,
          ...work.text
            .trimEnd()
            .split("\n")
            .map((line) => `+${line}`),
        ]
      : [
          `*** Update File: ${work.file}`,
          "@@",
          `-Hello, ${work.before} 你好 🌍`,
          `+Hello, ${work.after} 你好 🌍`,
        ];
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

function argumentsFor(work: Work, offer: Offer, folder: string): Fields {
  const properties = fieldsOf(offer.schema?.["properties"]);
  const wanted = new Map<string, unknown>();
  const put = (names: readonly string[], value: string): void => {
    const name = names.find((one) => one in properties);
    if (name === undefined) throw new Error(`${offer.name} has none of ${names.join(", ")}`);
    const isList = typeOf(properties[name]) === "array";
    wanted.set(name, isList ? (name === "command" ? ["bash", "-c", value] : [value]) : value);
  };
  if (work.kind === "run") put(argumentNames.command, work.command);
  else {
    put(argumentNames.file, `${folder}/${work.file}`);
    if (work.kind === "write") put(argumentNames.text, work.text);
    else {
      put(argumentNames.before, work.before);
      put(argumentNames.after, work.after);
    }
  }
  // Claude Code sends a call back with the defaults of its schema filled in.
  for (const [name, one] of Object.entries(properties))
    if (!wanted.has(name) && "default" in fieldsOf(one)) wanted.set(name, fieldsOf(one)["default"]);
  const required = offer.schema?.["required"];
  for (const name of Array.isArray(required) ? required.map(textOf) : [])
    if (!wanted.has(name)) wanted.set(name, anyValue(fieldsOf(properties[name])));
  return Object.fromEntries(wanted);
}

const typeOf = (schema: unknown): string => textOf(fieldsOf(schema)["type"]).toLowerCase();

/** The plainest value a schema allows: for required arguments of no matter, and structured answers. */
export function anyValue(schema: Fields): unknown {
  const options = schema["enum"];
  if (Array.isArray(options)) return options[0];
  if ("const" in schema) return schema["const"];
  const least = schema["minimum"];
  switch (typeOf(schema)) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return typeof least === "number" ? least : 1;
    case "array":
      return [];
    case "object":
      return Object.fromEntries(
        Object.entries(fieldsOf(schema["properties"])).map(([name, one]) => [name, anyValue(fieldsOf(one))]),
      );
    default:
      return isFields(schema) ? "part of the task" : "";
  }
}
