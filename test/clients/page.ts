/**
 * The clients that are tested, as docs/call/clients.md lists them: written from the descriptors and versions
 * that the tests run with.
 */
import { installedAs, testedOn } from "./packages.ts";
import { type Program, type WireName, wireNames } from "./program.ts";
import { programs } from "./programs/index.ts";

/** Writes a table of Markdown. */
export type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const wireWords: Readonly<Record<WireName, string>> = {
  chat: "Chat completions",
  messages: "Messages",
  gemini: "Gemini",
  responses: "Responses",
};

/** Placeholders as a reader fills them in. */
const spelled = (text: string): string =>
  text
    .replaceAll("{origin}", "https://plaza.example")
    .replaceAll("{key}", "sk-plaza-…")
    .replaceAll("{model}", "MODEL");

/** As GitHub makes the address of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Programs that differ in format only share a section. */
const byClient = Map.groupBy(programs, ({ client }) => client);

const listed = (words: Iterable<string>): string => [...new Set(words)].join(", ");

function rowOf([client, all]: readonly [string, readonly Program[]]): string[] {
  return [
    `[${client}](#${anchorOf(client)})`,
    listed(all.map(({ package: name }) => `\`${installedAs(name)}\``)),
    listed(all.map(({ wire }) => wireWords[wire])),
    all.every(({ isQuick }) => isQuick === true) ? "each run" : "before a release",
    testedOn,
  ];
}

function linesOf({ settings }: Program): string {
  const { env = {}, file, setup, command, code, language = "sh" } = settings;
  const variables = Object.entries(env).map(([name, text]) => `export ${name}=${text}`);
  const lines = [...variables, ...(setup === undefined ? [] : [setup]), command ?? ""];
  const text = code ?? lines.join("\n");
  return [
    ...(file === undefined ? [] : [`\`~/${file.path}\`:\n\n\`\`\`\n${spelled(file.text).trimEnd()}\n\`\`\``]),
    `\`\`\`${language}\n${spelled(text)}\n\`\`\``,
  ].join("\n\n");
}

/** What tests of programs set besides. Scripts of SDKs get their values by variables of ours. */
function besidesOf(all: readonly Program[]): string {
  const own = all.filter(({ settings }) => settings.code === undefined);
  const variables = own.flatMap(({ test }) =>
    Object.entries(test.env ?? {}).map(([name, value]) => `\`${name}=${value}\``),
  );
  const files = own.flatMap(({ test }) =>
    Object.entries(test.files ?? {}).map(([path, text]) => `\`${text}\` in \`~/${path}\``),
  );
  const set = listed([...variables, ...files]);
  return set === "" ? "" : `The tests also set ${set}.`;
}

function sectionOf([client, all]: readonly [string, readonly Program[]]): string {
  const notes = listed(all.flatMap(({ notes }) => notes ?? []));
  const blocks = all.map((program) =>
    all.length === 1 ? linesOf(program) : `${wireWords[program.wire]}:\n\n${linesOf(program)}`,
  );
  const parts = [`### ${client}`, notes, ...new Set(blocks), besidesOf(all)];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The section of the page, with its heading. */
export function testedClients(table: Table): string {
  const clients = [...byClient];
  const upstreams = wireNames.map((name) => wireWords[name]);
  return `## Clients that were tested

Each of these programs does a task with files, commands and parallel tool calls through Plaza,
unmodified, as its registry has it, with a model behind each kind of upstream: ${upstreams.slice(0, -1).join(", ")}
and ${upstreams.at(-1)}. The tests hold that the task is done, that tokens (cached ones and reasoning too) and
charges are exact, and that the model's reasoning comes back to it unchanged (\`test/clients/\`).

${table(["client", "version", "speaks", "tested in", "last with all models"], clients.map(rowOf))}

Below is what a user sets. The tests set it too, and for programs what the end of a section names
besides: no questions, no updates, no reports to the maker. \`https://plaza.example\` stands for where
your Plaza is, \`MODEL\` for a model's id; any of Plaza's models may be named, whatever its upstream
speaks.

${clients.map(sectionOf).join("\n\n")}`;
}
