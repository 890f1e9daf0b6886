/**
 * Writes the generated pages of docs/: config.md from the settings table, errors.md from the error catalogue,
 * clients.md from the addresses that are not served, the clients that are tested and what SDKs make of
 * errors, providers/services.md from the table of services known by name, providers/parameters.md from the
 * tables of parameters, call/pairs.md from the table of pairs; and fills in the generated parts of pages that
 * are written by hand. Also the files of packaging/monitoring/, the schema of plaza.yaml and the types of
 * @plaza/client.
 * `node tools/launch.mjs --dev tools/docs.ts` writes them; with `--check` it only names those that are out of
 * date (exit 1).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  defaultMessage,
  type ErrorCode,
  errorCatalogue,
  upstreamRequestCodes,
} from "@plaza/contract/errors.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { clientSchema } from "../client/generate.ts";
import { environmentName, listSettings, type SettingName } from "../server/src/config/config.ts";
import type { Setting } from "../server/src/config/setting.ts";
import { otherCode, streamCodes } from "../server/src/protocols/openai-responses/errors.ts";
import { findListing } from "../server/src/providers/index.ts";
import { presets } from "../server/src/providers/presets/presets.ts";
import { type Target, targets } from "../server/src/providers/presets/targets.ts";
import { testedProviders } from "../server/src/providers/testing/all.ts";
import {
  type Outcome,
  type ParameterColumn,
  type ParameterName,
  parameters,
} from "../server/src/providers/testing/parameters.ts";
import { clientsPage } from "./clients-page.ts";
import { configSchemaFile } from "./config-schema.ts";
import { partPages, withParts } from "./docs-parts.ts";
import { code, codes, table, wrapProse } from "./markdown.ts";
import { alertsFile } from "./monitoring/alerts.ts";
import { dashboardFile } from "./monitoring/dashboard.ts";
import { pairsPage } from "./pairs-page.ts";

function settingRow([name, entry]: [SettingName, Setting]): string[] {
  const { flag, initial, initially, kind } = entry;
  const text = textOf(entry.text);
  const unset = initially === undefined ? "" : textOf(initially);
  const fallback = initial === undefined ? unset : `\`${initial.replace("{dataDir}", "DATA_DIR")}\``;
  return [
    `\`${environmentName(name)}\``,
    flag === undefined ? "" : `\`${flag.split(" ")[0]}\``,
    kind.unit,
    fallback,
    entry.isSecret === true ? `${text} Secret: never shown or logged.` : text,
  ];
}

/** The text of docs/operate/config.md. */
export function configPage(): string {
  return `# Settings

<!-- Generated from server/src/config/settings.ts by tools/docs.ts; change it there. -->

Set an environment variable, or give the flag to \`plaza serve\`; restart to change one. A flag beats
the environment variable, which beats the default; an empty variable counts as unset. Anything not
allowed stops the start with a list of all faults at once, and so does a \`PLAZA_\` variable that is
not listed here. (\`PLAZA_KEY\`, \`PLAZA_API_KEY\` and \`PLAZA_BASE_URL\` belong to callers' programs
and are ignored, as are those Kubernetes sets for a service named plaza.)

Durations are written \`500ms\`, \`5s\`, \`15m\`, \`2h\`, \`1d\`; a bare number counts milliseconds.
Bytes are written \`512B\`, \`64KiB\`, \`32MiB\`, \`1GiB\`; a bare number counts bytes.

${table(["environment", "flag of `plaza serve`", "value", "default", "meaning"], listSettings().map(settingRow))}

All other commands take \`--data\` and \`--database\` and work on the same database, also while a
server runs. Models, upstreams and prices are not settings: they are [the catalog](catalog.md).
`;
}

/** How each format of `path-families.ts` other than OpenAI's writes errors. */
const errorShapes: readonly (readonly string[])[] = [
  [
    "`/v1/responses…`",
    "OpenAI's, with `request_id`",
    "`error.code`",
    "events `error` and `response.failed`, [other codes](#codes-in-failed-streams-of-responses)",
  ],
  [
    "`/v1/messages…`, `/anthropic/…`",
    "Anthropic's: `type`, `error.type` (its families), `error.message`, `request_id`",
    "`error.code`",
    "event `error`; no `message_stop`",
  ],
  [
    "`/v1beta/…`",
    "Google's: `error.code` (the status), `error.status`, `error.message`, `error.details`",
    "`metadata.code` of the `ErrorInfo` in `error.details`",
    "the same object as data",
  ],
];

/** The text of docs/call/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).map(([name, { status, type, retryable, help }]) => [
    code(name),
    String(status),
    code(type),
    retryable ? "yes" : "no",
    `${textOf(defaultMessage(name as ErrorCode))} *${help}*`,
  ]);
  const renamed = [
    ...[...streamCodes].map(([own, standard]) => [code(own), code(standard)]),
    ["all others", code(otherCode)],
  ];
  const passed = [...upstreamRequestCodes].map((code) => `\`${code}\``).join(", ");
  return `# Errors

<!-- Generated from contract/errors.ts by tools/docs.ts; change it there. -->

Every error has the shape that the clients of its path know, also of an unknown path and in the middle
of a stream. OpenAI's, everywhere but below:

\`\`\`json
{ "error": { "message": "…", "type": "…", "param": null, "code": "…" } }
\`\`\`

Switch on \`code\`. \`message\` is for people and may say more than the text below. \`param\` names the
field of the request at fault, where there is one. In a stream that has begun, the same object is
the data of the last event, and no \`[DONE]\` follows.

${table(["paths", "shape", "the code is at", "a stream that fails ends with"], errorShapes)}

Errors of \`/api\`, the console's, also carry \`id\` and \`params\`: what \`message\` says, for other
languages. A request to \`/v1\` gets them with the header \`x-plaza-message-ids\`.

Every answer carries \`x-request-id\`; those of Messages also \`request-id\`, where Anthropic's SDKs look. \`x-should-retry\` says whether the same call may succeed later;
OpenAI's SDKs obey it. Where waiting helps, \`Retry-After\` (seconds) and \`retry-after-ms\` say how
long.

${table(["code", "status", "type", "retry", "message, *and what to do*"], rows)}

## Codes in failed streams of Responses

Clients of Responses act on a few codes of OpenAI's alone. So the last two events of a stream that fails
(\`code\` and \`error.code\` of \`error\`, \`response.error.code\` of \`response.failed\`) have those in place of
Plaza's. \`message\` is the same, and that of a limit ends with the seconds to wait. An answer that is an
error from its beginning has Plaza's code.

${table(["Plaza's code", "in the stream"], renamed)}

## Codes passed on from upstreams

When an upstream refuses a request with one of OpenAI's own codes below, the answer is a 400 of type
\`invalid_request_error\` with that code, the upstream's text and its \`param\`, because applications
switch on them. A repeat never helps. The text of \`invalid_encrypted_content\` is Plaza's.

${passed}
`;
}

function serviceRow(target: Target): string[] {
  const { id, name, provider, preset, baseUrl, baseUrlForms, keyVariables, origin } = target;
  const addresses = [
    ...(baseUrl === undefined ? [] : [baseUrl]),
    ...(preset?.otherBaseUrls ?? []),
    ...baseUrlForms,
  ];
  const source = origin?.source ?? "";
  return [
    code(id),
    target.note === undefined ? name : `${name}. ${textOf(target.note)}`,
    code(provider.id),
    codes(addresses),
    codes(keyVariables),
    (preset?.listsModels ?? findListing(provider.id) !== undefined) ? "yes" : "no",
    source.startsWith("https:") ? `<${source}>` : code(source),
    origin?.date ?? "",
  ];
}

/** The text of docs/operate/providers/services.md. */
export function servicesPage(): string {
  const going = targets.filter(({ ended }) => ended === undefined);
  const gone = presets.flatMap(({ id, name, ended }) =>
    ended === undefined ? [] : [[code(id), name, ended.on, textOf(ended.note)]],
  );
  const headings = [
    "id",
    "service",
    "provider",
    "address",
    "key usually in",
    "lists its models",
    "source",
    "as of",
  ];
  return `# Services known by name

<!-- Generated by tools/docs.ts from server/src/providers/presets/preset-rows.ts and targets.ts. -->

Give the word in the first column to \`npx plaza connect\`. For services that speak another provider's
protocol, it is also what an upstream names as its \`preset\`. An upstream that names no address uses
the first one; fill in what is in braces. Connect anything else that speaks one of these protocols
by its address ([connect an upstream](../../start/connect.md)). *As of* is the day the source is of,
or was read.

${table(headings, going.map(serviceRow))}

## No more

These services have ended. \`npx plaza connect\` refuses them at their own address and says so; an
upstream that has one of these presets stays as it is.

${table(["id", "service", "ended on", "what there is now"], gone)}
`;
}

const outcomeWords: Readonly<Record<Outcome, string>> = {
  kept: "as sent",
  translated: "translated",
  dropped: "dropped",
  refused: "refused",
  plaza: "by Plaza",
};

const outcomeOf = ({ outcomes, otherwise }: ParameterColumn, name: ParameterName): Outcome =>
  outcomes[name] ?? otherwise;

const parameterColumns = testedProviders.flatMap((tested) => tested.parameters);
/** Columns of providers with protocols other than OpenAI's. */
const translatingColumns = parameterColumns.filter(({ otherwise }) => otherwise === "refused");

/** The parameters with this outcome, as code, in the order of the protocol's list. */
function namesOf(column: ParameterColumn, outcome: Outcome): string {
  const names = parameters.filter(({ name }) => name !== "x_unknown" && outcomeOf(column, name) === outcome);
  return names.map(({ name }) => `\`${name}\``).join(", ");
}

/** The text of docs/operate/providers/parameters.md. */
export function parametersPage(): string {
  const translated = parameters.map(({ name }) => [
    name === "x_unknown" ? "*any other*" : `\`${name}\``,
    ...translatingColumns.map((column) => outcomeWords[outcomeOf(column, name)]),
  ]);
  const passed = parameterColumns
    .filter((column) => !translatingColumns.includes(column))
    .map((column) => [
      column.title,
      ...(["translated", "dropped", "refused", "plaza"] as const).map((outcome) => namesOf(column, outcome)),
    ]);
  return `# Parameters of a chat request

<!-- Generated by tools/docs.ts from testing/parameters.ts of each provider in server/src/providers. -->

What becomes of every parameter OpenAI documents, at every provider and preset. A test sends each of
them and holds this page to what comes out; Plaza leaves none out without saying so.

| word | meaning |
| --- | --- |
| as sent | It goes to the upstream byte for byte. What the upstream makes of it is the upstream's. |
| translated | It is said in the upstream's own words, or cut down to what the upstream takes. |
| dropped | It asks for a manner and not for a result, and the upstream has no such thing: it is left out, and the answer's header \`x-plaza-dropped-params\` names it. |
| refused | 400 \`unsupported_parameter\`, with its name in \`param\`; another deployment that takes it is tried first. With \`x-plaza-drop-params: true\` it is dropped instead. |
| by Plaza | It is not sent, because Plaza does what it asks for: it shows a stream's usage to a caller that asked for it, and passes on the first call only where \`parallel_tool_calls\` is false. |

A value that asks for nothing (\`null\`, \`n: 1\`, a penalty of 0, \`logprobs: false\`, \`store: false\`,
\`service_tier: "auto"\`) is never refused or dropped. \`model\` becomes the deployment's name for it,
\`messages\` are described on each provider's page, \`models\` is for Plaza alone. \`service_tier\`,
\`web_search_options\` and \`prediction\` may make an upstream charge apart; an operator may refuse them
before any provider is asked. The built-in \`demo\` reads what it needs and has no upstream.

## Providers that translate

${table(["parameter", ...translatingColumns.map(({ title }) => title)], translated)}

## OpenAI's own protocol

Everything that a row does not name goes as sent, unknown parameters too. Presets that are not in
the table send everything as sent.

${table(["preset or provider", "translated", "dropped", "refused", "by Plaza"], passed)}
`;
}

/** All generated pages: path relative to the repository root, and text. */
const clientTypes = await clientSchema();

export const pages: readonly { readonly path: string; readonly text: () => string }[] = [
  { path: "docs/operate/config.md", text: () => wrapProse(configPage()) },
  { path: "docs/call/errors.md", text: () => wrapProse(errorsPage()) },
  { path: "docs/operate/providers/services.md", text: () => wrapProse(servicesPage()) },
  { path: "docs/call/clients.md", text: () => wrapProse(clientsPage()) },
  { path: "docs/call/pairs.md", text: () => wrapProse(pairsPage(table)) },
  { path: "docs/operate/providers/parameters.md", text: () => wrapProse(parametersPage()) },
  { path: "catalog/plaza.schema.json", text: configSchemaFile },
  { path: "client/schema.ts", text: () => clientTypes },
  { path: "packaging/monitoring/alerts.yaml", text: alertsFile },
  { path: "packaging/monitoring/grafana-plaza.json", text: dashboardFile },
  ...partPages.map((path) => ({ path, text: () => withParts(path, table) })),
];

const fileOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Paths of pages that differ from what would be generated. */
export function outdatedPages(): string[] {
  const current = (path: string): string => {
    try {
      return readFileSync(fileOf(path), "utf8");
    } catch {
      return "";
    }
  };
  return pages.filter(({ path, text }) => current(path) !== text()).map(({ path }) => path);
}

function run(isCheck: boolean): void {
  const outdated = outdatedPages();
  if (!isCheck) {
    for (const { path, text } of pages) {
      if (!outdated.includes(path)) continue;
      writeFileSync(fileOf(path), text());
      process.stdout.write(`wrote ${path}\n`);
    }
  } else if (outdated.length > 0) {
    process.stderr.write(
      `${outdated.map((path) => `${path} is out of date; run: npm run docs`).join("\n")}\n`,
    );
    process.exitCode = 1;
  }
}

// True when started directly as main module, or through the launcher as its script.
const isStarted = process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1];
if (import.meta.main || isStarted) run(process.argv.includes("--check"));
