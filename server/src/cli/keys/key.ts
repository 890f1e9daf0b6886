/**
 * `plaza key`: lists API keys, disables and enables them. create.ts creates keys, limits.ts has their limits,
 * labels.ts their projects and tags.
 */
import type { Command } from "commander";
import type { ApiKey, ApiKeyStatus } from "../../store/accounts/key-shapes.ts";
import { formatBudget, readLabel, readTag } from "../arguments.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { keyNotFound, keyRevoked } from "../failure.ts";
import { formatTable, shortTime, writeJson } from "../output.ts";
import { addStatusCommands, type StatusChange, type StatusOptions } from "../status-commands.ts";
import { addStoreSettings, getAccount, withStore } from "../with-store.ts";
import { addKeyCreate, keyAsJson } from "./create.ts";
import { addKeyLabels } from "./labels.ts";
import { formatLimits } from "./limit-options.ts";
import { addKeyLimits } from "./limits.ts";

const changes: readonly StatusChange<ApiKeyStatus>[] = [
  {
    verb: "revoke",
    status: "revoked",
    text: "Revoke an API key permanently. Running servers reject it within a second.",
    done: "is permanently revoked",
  },
  {
    verb: "disable",
    status: "disabled",
    text: "Disable an API key until you enable it again.",
    done: "is disabled; enable it again with: npx plaza key enable",
  },
  { verb: "enable", status: "active", text: "Enable a disabled API key.", done: "is active" },
];

async function change(
  io: CommandIo,
  id: string,
  { verb, status, done }: StatusChange<ApiKeyStatus>,
  options: StatusOptions,
): Promise<void> {
  const key = await withStore(io, options, (store) =>
    audited(
      io,
      store,
      { action: `key ${verb}`, subject: id },
      async () => {
        const changed = await store.setKeyStatus(id, status);
        if (changed === undefined) throw keyNotFound(id);
        if (changed.status !== status) throw keyRevoked(id);
        return changed;
      },
      ({ accountId }) => ({ accountId }),
    ),
  );
  if (options.json === true) writeJson(io, { id: key.id, status: key.status });
  else io.out(`Key ${key.id} (${key.visiblePrefix}…) ${done}${status === "disabled" ? ` ${key.id}` : ""}.\n`);
}

/** Limits and budget for a table cell, in the terms of `key create`. */
function formatAllowed(key: ApiKey): string {
  const limits = [formatLimits(key), key.budget === null ? "" : formatBudget(key.budget)];
  return limits.filter((text) => text !== "").join(", ") || "-";
}

interface ListOptions {
  readonly account?: string;
  readonly project?: string;
  readonly tag?: readonly string[];
  readonly json?: boolean;
}

async function list(io: CommandIo, options: ListOptions): Promise<void> {
  const { account, project, tag } = options;
  const all = await withStore(io, options, async (store) => {
    if (account !== undefined) await getAccount(store, account);
    return store.listKeys(account);
  });
  const keys = all.filter(
    (key) =>
      (project === undefined || key.project === project) &&
      (tag === undefined || tag.some((one) => key.tags.includes(one))),
  );
  if (options.json === true) {
    writeJson(io, keys.map(keyAsJson));
    return;
  }
  if (keys.length === 0 && all.length > 0) {
    io.out("No keys with these labels.\n");
    return;
  }
  if (keys.length === 0) {
    io.out("No keys yet. Create one:  npx plaza key create --account ID\n");
    return;
  }
  const rows = keys.map((key) => [
    key.id,
    `${key.visiblePrefix}…`,
    key.name,
    key.accountId,
    key.status,
    key.models === null ? "all" : key.models.join(","),
    key.ips === null ? "anywhere" : key.ips.join(","),
    formatAllowed(key),
    key.project ?? "-",
    key.tags.join(", ") || "-",
    key.expiresAt === null ? "never" : shortTime(key.expiresAt),
  ]);
  io.out(
    formatTable(
      [
        "id",
        "key",
        "name",
        "account",
        "status",
        "models",
        "from",
        "limits",
        "project",
        "tags",
        "expires (UTC)",
      ],
      rows,
    ),
  );
}

export function addKey(program: Command, io: CommandIo): void {
  const key = program
    .command("key")
    .description("Create, list, limit, label, revoke, disable and enable API keys.");
  addKeyCreate(key, io);
  const idText = "ID of the key (not its secret)";
  addStatusCommands(key, idText, changes, (id, one, options) => change(io, id, one, options));
  addKeyLimits(key, io);
  addKeyLabels(key, io);
  const command = key
    .command("list")
    .description("List API keys (never their secrets).")
    .option("--account <id>", "only keys of this account")
    .option("--project <label>", "only keys of this project", readLabel)
    .option("--tag <label>", "only keys with this tag, or with one of several", readTag)
    .option("--json", "print JSON");
  addStoreSettings(command).action((options: ListOptions) => list(io, options));
}
