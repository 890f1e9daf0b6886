/** Reads the passphrase of a backup. It never comes from the command line, which other users can see. */
import { readFile } from "node:fs/promises";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure } from "../failure.ts";

export interface PassphraseFlags {
  readonly passphraseFile?: string;
  /** Name of a variable. */
  readonly passphraseFrom?: string;
}

const lengthMin = 12;

/** The passphrase named by the options; undefined when there is none. */
export async function readPassphrase(
  io: CommandIo,
  { passphraseFile, passphraseFrom }: PassphraseFlags,
): Promise<string | undefined> {
  if (passphraseFile === undefined && passphraseFrom === undefined) return undefined;
  const text =
    passphraseFile === undefined
      ? (io.env[passphraseFrom as string] ?? "")
      : ((await readFile(passphraseFile, "utf8")).split(/\r?\n/, 1)[0] ?? "");
  if (text !== "") return text;
  const where = passphraseFile ?? `the variable ${passphraseFrom}`;
  throw new CommandFailure("no_passphrase", `${where} holds no passphrase`);
}

/** Throws for a passphrase that a new backup should not have. */
export function requireStrong(passphrase: string | undefined): void {
  if (passphrase === undefined || passphrase.length >= lengthMin) return;
  throw new CommandFailure(
    "weak_passphrase",
    `a passphrase for backups has at least ${lengthMin} characters; this makes one: openssl rand -base64 32`,
  );
}
