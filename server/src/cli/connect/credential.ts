/**
 * `plaza connect`: gets the credential from an environment variable, standard input, a question or the
 * command line. Its text never appears in messages or output.
 */

import { workloadIdentity } from "@plaza/contract/catalog.ts";
import { quote } from "../../lib/quote.ts";
import type { Target } from "../../providers/presets/targets.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";

/** A credential and its source. */
export interface Given {
  readonly text: string;
  /** Name of the variable; undefined: the credential must be encrypted before it is written. */
  readonly variable: string | undefined;
  /** `file`: the credential of an upstream that is already in the catalog file. */
  readonly from: "environment" | "input" | "command line" | "file";
}

export interface CredentialOptions {
  readonly credential?: readonly string[];
  readonly credentialEnv?: readonly string[];
}

const credentialsMax = 100;
const bytesMax = 16_384;
const variableForm = /^[A-Za-z_][A-Za-z0-9_]*$/;

function fromVariable(name: string, io: CommandIo): Given {
  if (!variableForm.test(name)) {
    // Do not quote the argument: if it is not a variable name, it may be the secret itself.
    throw new CommandFailure(
      "no_credential",
      "--credential-env takes the NAME of an environment variable, not its value",
      2,
    );
  }
  const text = io.env[name]?.trim();
  if (text === undefined || text === "")
    throw new CommandFailure(
      "no_credential",
      `the environment variable ${name} is ${text === undefined ? "not set" : "empty"}`,
    );
  return { text, variable: name, from: "environment" };
}

/** True when this looks like a variable's name rather than a secret. */
const isName = (word: string): boolean => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(word);

async function fromInput(terminal: Terminal | undefined): Promise<Given> {
  const text = (await terminal?.readAll(bytesMax))?.trim() ?? "";
  if (text === "") throw new CommandFailure("no_credential", "standard input contains no credential");
  return { text, variable: undefined, from: "input" };
}

async function fromWord(word: string, io: CommandIo, terminal: Terminal | undefined): Promise<Given> {
  if (word === "-") return await fromInput(terminal);
  if (word === workloadIdentity) return { text: word, variable: undefined, from: "command line" };
  if (isName(word) || (variableForm.test(word) && io.env[word] !== undefined)) return fromVariable(word, io);
  io.err(
    "warning: a credential on the command line is visible in the process list and the shell history; use --credential-env NAME, or --credential - with standard input\n",
  );
  return { text: word, variable: undefined, from: "command line" };
}

/**
 * Without an option: tries the service's usual variable, then the file, then asks. undefined when no
 * credential is needed.
 */
async function findCredential(
  target: Target,
  isHosted: boolean,
  kept: readonly string[],
  io: CommandIo,
  terminal: Terminal | undefined,
): Promise<readonly Given[]> {
  if (kept.length > 0) return kept.map((text) => ({ text, variable: undefined, from: "file" }));
  // A service's key must never be sent to another address.
  const name = isHosted ? target.keyVariables.find((one) => (io.env[one]?.trim() ?? "") !== "") : undefined;
  if (name !== undefined) {
    io.err(`Using the credential in ${name}.\n`);
    return [fromVariable(name, io)];
  }
  if (!target.needsKey) return [];
  if (terminal?.isInteractive === true) {
    const text = (await terminal.askSecret(`API key of ${target.name} (input is hidden): `)).trim();
    if (text !== "") return [{ text, variable: undefined, from: "input" }];
  }
  const example = target.keyVariables[0] ?? "NAME";
  throw new CommandFailure(
    "no_credential",
    `${target.name} requires a credential: pass one with --credential-env ${example}`,
  );
}

/**
 * Returns all credentials in order of use; empty when none is needed. `kept`: those of an upstream already in
 * the file.
 */
export async function readCredentials(
  options: CredentialOptions,
  {
    target,
    isHosted,
    kept,
  }: { readonly target: Target; readonly isHosted: boolean; readonly kept: readonly string[] },
  io: CommandIo,
  terminal: Terminal | undefined,
): Promise<readonly Given[]> {
  const words = options.credential ?? [];
  if (words.filter((word) => word === "-").length > 1)
    throw new CommandFailure("no_credential", "standard input can contain only one credential", 2);
  const given = (options.credentialEnv ?? []).map((name) => fromVariable(name, io));
  for (const word of words) given.push(await fromWord(word, io, terminal));
  if (given.length > credentialsMax)
    throw new CommandFailure(
      "no_credential",
      `${quote(String(given.length))} credentials are more than ${credentialsMax}`,
      2,
    );
  return given.length > 0 ? given : await findCredential(target, isHosted, kept, io, terminal);
}
