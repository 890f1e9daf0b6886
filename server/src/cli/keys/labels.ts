/** `plaza key labels`: shows and changes the project and the tags of one API key. */
import type { Command } from "commander";
import type { ApiKey } from "../../store/accounts/key-shapes.ts";
import type { Store } from "../../store/store.ts";
import { readLabel, readTag } from "../arguments.ts";
import { audited } from "../audit.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure, keyNotFound, keyRevoked } from "../failure.ts";
import { writeJson } from "../output.ts";
import { addStoreSettings, withStore } from "../with-store.ts";

interface LabelOptions {
  readonly project?: string;
  readonly tag?: readonly string[];
  readonly json?: boolean;
}

/** The word that takes labels away. */
const none = "none";

function show({ id, visiblePrefix, project, tags }: ApiKey): string {
  const lines = [`  project  ${project ?? none}`, `  tags     ${tags.join(", ") || none}`];
  return `Labels of key ${id} (${visiblePrefix}…):\n${lines.join("\n")}\n`;
}

async function relabel(
  store: Pick<Store, "findConsoleKey" | "changeKey">,
  { id, accountId }: ApiKey,
  labels: { project?: string | null; tags?: readonly string[] },
): Promise<ApiKey> {
  const scope = { accountId };
  const before = await store.findConsoleKey(id, scope);
  if (before === undefined) throw keyNotFound(id);
  const outcome = await store.changeKey(id, scope, before.revision, labels);
  if (outcome.kind === "done") return outcome.key;
  if (outcome.kind === "revoked") throw keyRevoked(id);
  throw new CommandFailure(outcome.kind, `key ${id} was changed at the same time: try again`);
}

async function labels(io: CommandIo, id: string, options: LabelOptions): Promise<void> {
  const { project, tag } = options;
  const requested = {
    ...(project === undefined ? {} : { project: project === none ? null : project }),
    ...(tag === undefined ? {} : { tags: tag.filter((one) => one !== none) }),
  };
  const key = await withStore(io, options, async (store) => {
    const found = (await store.listKeys()).find((one) => one.id === id);
    if (found === undefined) throw keyNotFound(id);
    if (Object.keys(requested).length === 0) return found;
    const act = { action: "key labels", subject: id, accountId: found.accountId, detail: requested };
    return await audited(io, store, act, () => relabel(store, found, requested));
  });
  if (options.json === true) writeJson(io, { id, project: key.project, tags: key.tags });
  else io.out(show(key));
}

const more = `
Without options it shows them. The tags given replace the key's tags. "none" takes labels away.

Examples:
  $ npx plaza key labels key_01
  $ npx plaza key labels key_01 --project search --tag batch --tag nightly
  $ npx plaza key labels key_01 --project none --tag none
`;

export function addKeyLabels(key: Command, io: CommandIo): void {
  const command = key
    .command("labels")
    .description("Show or change the project and the tags of an API key, by which usage is grouped.")
    .argument("<id>", "ID of the key (not its secret)")
    .option("--project <label>", "project", readLabel)
    .option("--tag <label>", "tag; give several one by one", readTag)
    .option("--json", "print JSON")
    .addHelpText("after", more);
  addStoreSettings(command).action((id: string, options: LabelOptions) => labels(io, id, options));
}
