/**
 * Tokens and links made with the token of the setting `operatorToken` are bound to its value: they work only
 * where that value is set, and so do those made with them. Knows no route.
 */

import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { PeopleStore } from "../../store/people/people.ts";

/** As its maker was written down before it was bound to the value. */
const unbound = "settings";
/** The value was not set any more when those were first looked at. */
const nobody = `${unbound}:none`;
const fingerprintBytes = 16;

const stretch = promisify<string, string, number, Buffer>(scrypt);

/** The last value asked for; there is one in a process. */
let last: { readonly value: string; readonly maker: Promise<string> } | undefined;

/**
 * Who made something with the setting's token, as it is written down. Stretched, so that a database that got
 * away does not tell the value; the same on every machine, and after the installation's key was exchanged.
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
 * Is what this maker made still good, as far as the setting goes? False: it was made with a value that is not
 * set here, or with a token that was, and so on. `createdBy`: a user, a token, the setting; null = unknown.
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
