/** `plaza key limits`: shows and changes the limits of one API key. */
import type { Command } from "commander";
import type { ApiKey } from "../../store/accounts/key-shapes.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { keyNotFound, keyRevoked } from "../failure.ts";
import { writeJson } from "../output.ts";
import { withStore } from "../with-store.ts";
import {
  addLimitsCommand,
  blockingNote,
  formatLimitLines,
  type LimitsCommandOptions,
  readLimitOptions,
} from "./limit-options.ts";

type Options = LimitsCommandOptions<"none">;

function show(key: ApiKey): string {
  return `Limits of key ${key.id} (${key.visiblePrefix}…):\n${formatLimitLines(key, "none")}`;
}

async function limits(io: CommandIo, id: string, options: Options): Promise<void> {
  const requested = readLimitOptions(options);
  const isChange = Object.keys(requested).length > 0;
  const key = await withStore(io, options, (store) => {
    const change = async () => {
      const changed = await store.setKeyLimits(id, requested);
      if (changed === undefined) throw keyNotFound(id);
      if (changed.status === "revoked" && isChange) throw keyRevoked(id);
      return changed;
    };
    const act = { action: "key limits", subject: id, detail: requested };
    return isChange ? audited(io, store, act, change, ({ accountId }) => ({ accountId })) : change();
  });
  io.err(blockingNote(options, "this key"));
  const { requestsPerMinute, tokensPerMinute, concurrency } = key;
  if (options.json === true)
    writeJson(io, { id, limits: { requestsPerMinute, tokensPerMinute, concurrency } });
  else io.out(show(key));
}

const more = `
Without options it shows them. "none" takes a limit away; what its account may use holds as well.

Examples:
  $ npx plaza key limits key_01
  $ npx plaza key limits key_01 --rpm 60 --concurrency 5
  $ npx plaza key limits key_01 --rpm none
`;

export function addKeyLimits(key: Command, io: CommandIo): void {
  addLimitsCommand(key, {
    whose: "an API key",
    idText: "ID of the key (not its secret)",
    word: "none",
    more,
    run: (id, options) => limits(io, id, options),
  });
}
