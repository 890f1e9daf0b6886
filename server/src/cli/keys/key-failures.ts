/** Why a key could not be changed, in the words of every command on one key. */
import { CommandFailure } from "../failure.ts";

export function keyNotFound(id: string): CommandFailure {
  return new CommandFailure("not_found", `there is no key ${id}; see: npx plaza key list`);
}

export function keyRevoked(id: string): CommandFailure {
  return new CommandFailure(
    "key_revoked",
    `key ${id} is revoked for ever; make another with: npx plaza key create`,
  );
}
