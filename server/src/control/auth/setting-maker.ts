/**
 * Tokens and links created with the token of the setting `operatorToken` are bound to its value: they, and
 * what was created with them, work only where that value is set. Knows no route.
 */

import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { PeopleStore } from "../../store/people/people.ts";

/** The recorded creator before it was bound to a value. */
const unbound = "settings";
/** The recorded creator if the value was no longer set when it was first checked. */
const nobody = `${unbound}:none`;
const fingerprintBytes = 16;

const stretch = promisify<string, string, number, Buffer>(scrypt);

/** The last value; a process has only one. */
let last: { readonly value: string; readonly maker: Promise<string> } | undefined;

/**
 * The creator recorded for the setting's token. Key-stretched, so that a leaked database does not reveal the
 * value. Equal on every machine, and after an exchange of the installation's key.
 */
export function makerOfSetting(value: string): Promise<string> {
  if (last?.value !== value) {
    const maker = stretch(value, "plaza operator token", fingerprintBytes).then(
      (digest) => `${unbound}:${digest.toString("hex")}`,
    );
    last = { value, maker };
  }
  return last.maker;
}

const isSetting = (maker: string): boolean => maker === unbound || maker.startsWith(`${unbound}:`);

export interface MakerLookup {
  readonly store: Pick<PeopleStore, "findFirstMaker" | "bindMadeBy">;
  readonly config: { readonly operatorToken?: string | undefined };
}

/**
 * True when what this creator made is still valid as far as the setting is concerned. False: created with
 * another value of the setting, or with a token that was. `createdBy`: a user, a token or the setting; null:
 * unknown.
 */
export async function isOfCurrentSetting(
  { store, config: { operatorToken } }: MakerLookup,
  createdBy: string | null,
): Promise<boolean> {
  if (createdBy === null) return true;
  const first = isSetting(createdBy) ? createdBy : await store.findFirstMaker(createdBy);
  if (!isSetting(first)) return true;
  const current = operatorToken === undefined ? undefined : await makerOfSetting(operatorToken);
  if (first !== unbound) return first === current;
  await store.bindMadeBy(unbound, current ?? nobody);
  return current !== undefined;
}
