/**
 * `plaza connect`: from a service and a credential to models that callers can use. This file has all
 * branching; the steps (choosing the upstream, listing and pricing its models, selecting, writing) are in
 * other files.
 */
import { type Command, InvalidArgumentError } from "commander";
import { environmentName } from "../../config/config.ts";
import type { CatalogPrice } from "../../domain/catalog/model-catalog.ts";
import { formatDuration, parseDurationMs } from "../../lib/units.ts";
import { readAmount, readModelIds } from "../arguments.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";
import { addStoreSettings } from "../with-store.ts";
import type { ConnectOptions } from "./subject.ts";

/** Fails before any other question when the user could not confirm. */
function requireConfirmation(options: ConnectOptions, terminal: Terminal | undefined): void {
  const isSilent = options.yes === true || options.dryRun === true;
  if (isSilent || (options.json !== true && terminal?.isInteractive === true)) return;
  const message =
    "confirmation requires a terminal: add --yes (takes all priced models, or those in --models), or --dry-run to preview";
  throw new CommandFailure("not_confirmed", message, 2);
}

async function connect(io: CommandIo, word: string | undefined, options: ConnectOptions): Promise<void> {
  const terminal = await io.terminal?.();
  requireConfirmation(options, terminal);
  // Loaded here, because `--help` does not need them.
  const { movedTo, readFile, readSubject } = await import("./subject.ts");
  const { list, propose } = await import("./ask.ts");
  const { choose, report, reportJson } = await import("./dialog.ts");
  const { write } = await import("./write.ts");

  const file = await readFile(io, options);
  const meant = await readSubject(io, word, options, file, terminal);
  const answer = await list(io, meant, options, terminal);
  if (answer.isCut) io.err("warning: it lists more models than Plaza reads; name the others with --models\n");
  if (!answer.isChecked && meant.given.length > 0)
    io.err("warning: the credential cannot be verified without a charged request\n");
  const subject = movedTo(meant, answer.baseUrl);
  const proposals = propose(subject, answer, options, file, io.clock.wallMs());
  const chosen = await choose(io, proposals, options, terminal);
  const written = chosen.length === 0 ? undefined : await write(io, subject, chosen, file, options);
  if (options.json === true) reportJson(io, subject, { proposals, chosen }, written, file, options);
  else report(io, subject, written, file, options);
}

const more = `
The service is asked for its models, which also checks the credential. Each model is looked up in the catalog that comes with
Plaza (no network); prices show their source and date, and what is unknown stays unknown: such a model is listed, not served.
What is confirmed goes into plaza.yaml, comments and all else untouched, and is applied. A credential is written as the
name of its variable, or sealed so that only this installation can read it. docs/start/connect.md tells more.

Examples:
  $ npx plaza connect openai --credential-env OPENAI_API_KEY
  $ npx plaza connect http://127.0.0.1:8000/v1 --price 0/0 --yes
  $ npx plaza connect anthropic --credential - --dry-run < key.txt
  $ npx plaza connect https://my.openai.azure.com --provider azure --credential-env AZURE_OPENAI_API_KEY --models gpt-5
`;

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  value,
];

/** "0.50/1.50" */
function readPrice(text: string): CatalogPrice {
  const [input = "", output, ...rest] = text.split("/");
  if (output === undefined || rest.length > 0)
    throw new InvalidArgumentError(
      "Enter US dollars per million input and output tokens, for example 0.50/1.50.",
    );
  readAmount(input);
  readAmount(output);
  return { input, output };
}

const timeoutMaxMs = 300_000;

function readTimeout(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms >= 1 && ms <= timeoutMaxMs) return ms;
  throw new InvalidArgumentError(
    `Enter a duration up to ${formatDuration(timeoutMaxMs)}, for example 500ms or 10s.`,
  );
}

export function addConnect(program: Command, io: CommandIo): void {
  const command = program
    .command("connect")
    .description(
      "Connect an upstream: verify its credential, list its models, and save them with their prices.",
    )
    .argument("[service]", "a service by name (openai, anthropic, ollama, …) or a base URL")
    .option("--credential-env <name>", "environment variable that holds the credential (repeatable)", collect)
    .option(
      "--credential <what>",
      "the same; - for standard input, or the credential itself (visible to others!)",
      collect,
    )
    .option("--id <id>", "upstream name in the catalog (default: the service's)")
    .option("--provider <service>", "provider at a base URL (default: derived from the URL, or openai)")
    .option("--base-url <url>", "different base URL for a named service")
    .option("--option <name=value>", "a provider setting (repeatable)", collect)
    .option(
      "--header-env <name=variable>",
      "a header for every call, and the variable that holds its value (repeatable)",
      collect,
    )
    .option("--models <names>", "models to add: names separated by commas, or all", readModelIds)
    .option("--price <in/out>", "price for models without a known price, USD per million tokens", readPrice)
    .option(
      "--prices-of <provider>",
      "service whose models and prices in the shipped catalog apply (default: by URL)",
    )
    .option("--timeout <time>", "timeout for listing models (default: 10s)", readTimeout)
    .option(
      "--catalog <file>",
      `catalog file to write to (default: plaza.yaml; env: ${environmentName("catalog")})`,
    )
    .option("--yes", "do not ask: add the models in --models, or all priced models")
    .option("--dry-run", "only show the changes")
    .option("--json", "print JSON; requires --yes or --dry-run")
    .addHelpText("after", more);
  addStoreSettings(command).action((word: string | undefined, options: ConnectOptions) =>
    connect(io, word, options),
  );
}
