/** The clients that were run, as docs/call/clients.md lists them: from the descriptors the tests run. */
import { installedAs, registryDate } from "./packages.ts";
import type { Program, WireName } from "./program.ts";
import { programs } from "./programs/index.ts";

const wireWords: Readonly<Record<WireName, string>> = {
  chat: "Chat completions",
  messages: "Anthropic's Messages",
  gemini: "Gemini",
  responses: "Responses",
};

/** Placeholders as a reader fills them in. */
const spelled = (text: string): string =>
  text
    .replaceAll("{origin}", "https://plaza.example")
    .replaceAll("{key}", "sk-plaza-…")
    .replaceAll("{model}", "MODEL");

function linesOf({ settings }: Program): string {
  const { env = {}, file, setup, command, code } = settings;
  if (code !== undefined) return `\`\`\`ts\n${spelled(code)}\n\`\`\``;
  const variables = Object.entries(env).map(([name, text]) => `export ${name}=${text}`);
  const blocks = [
    ...(file === undefined ? [] : [`\`~/${file.path}\`:\n\n\`\`\`\n${spelled(file.text).trimEnd()}\n\`\`\``]),
    `\`\`\`sh\n${spelled([...variables, ...(setup === undefined ? [] : [setup]), command ?? ""].join("\n"))}\n\`\`\``,
  ];
  return blocks.join("\n\n");
}

function sectionOf(program: Program): string {
  const { name, wire, notes } = program;
  const head = `### ${name}\n\n${wireWords[wire]}; \`${installedAs(program.package)}\`.`;
  return [`${head}${notes === undefined ? "" : ` ${notes}`}`, linesOf(program)].join("\n\n");
}

/** The section of the page, with its heading. */
export function testedClients(): string {
  return `## Clients that were run

Each of these programs does a task with files, commands and parallel tool calls through Plaza,
unmodified, as its registry had it on ${registryDate}, with models of every protocol that Plaza calls
(\`test/clients/\`). What is set here is what the tests set; \`https://plaza.example\` stands for where
your Plaza is, \`MODEL\` for a model's id.

${programs.map(sectionOf).join("\n\n")}`;
}
