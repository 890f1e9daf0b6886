/**
 * `plaza connect`: where the credential comes from: the name of an environment variable, standard input, a
 * question, or the command line itself. Its text is in no message and in no output.
 */

import { quote } from "../../lib/quote.ts";
import type { Target } from "../../providers/presets/targets.ts";
import type { CommandIo, Terminal } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";

/** A credential and where it was found. */
export interface Given {
  readonly text: string;
  /** Name of the variable; undefined: it has to be sealed before it is written anywhere. */
  readonly variable: string | undefined;
  /** `file`: the upstream is in the catalog file already, with this one. */
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
    // What is not a name may be the secret itself.
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
  if (isName(word) || (variableForm.test(word) && io.env[word] !== undefined)) return fromVariable(word, io);
  io.err(
    "warning: a credential on the command line is visible in the process list and the shell history; use --credential-env NAME, or --credential - with standard input\n",
  );
  return { text: word, variable: undefined, from: "command line" };
}

/** Nothing was given: the usual variable, what the file has, a question; none where none is needed. */
async function findCredential(
  target: Target,
  isHosted: boolean,
  kept: readonly string[],
  io: CommandIo,
  terminal: Terminal | undefined,
): Promise<readonly Given[]> {
  if (kept.length > 0) return kept.map((text) => ({ text, variable: undefined, from: "file" }));
  // A service's key is never sent to another address.
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
 * All credentials, the first to be used first; none where none is needed.
 * `kept`: those of an upstream the file has.
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
