/** `plaza model`: disables models, so that callers neither see nor can call them, and enables them again. */
import type { Command } from "commander";
import type { EditOutcome } from "../store/catalog/edit.ts";
import type { Store } from "../store/store.ts";
import { audited } from "./audit.ts";
import type { CommandIo } from "./command-io.ts";
import { CommandFailure } from "./failure.ts";
import { writeJson } from "./output.ts";
import { addStatusCommands, type StatusChange, type StatusOptions } from "./status-commands.ts";
import { withStore } from "./with-store.ts";

type State = "disabled" | "enabled";

const changes: readonly StatusChange<State>[] = [
  {
    verb: "disable",
    status: "disabled",
    text: "Disable a model until you enable it again. Running servers refuse calls of it within a second.",
    done: "is disabled; enable it again with: npx plaza model enable",
  },
  { verb: "enable", status: "enabled", text: "Enable a disabled model.", done: "is enabled" },
];

/** The failure for an outcome other than `done`. */
function failureOf(id: string, { kind }: EditOutcome): CommandFailure {
  if (kind === "file")
    return new CommandFailure(
      "managed_by_file",
      `model ${id} is managed by a catalog file: write disabled: true or false there, then npx plaza apply FILE`,
    );
  if (kind === "stale")
    return new CommandFailure("changed_meanwhile", `model ${id} was changed meanwhile; run this again`);
  return new CommandFailure("not_found", `model ${id} not found; see: npx plaza models`);
}

/** False when the model is already in this state. */
async function changeState(store: Store, id: string, state: State): Promise<boolean> {
  const before = (await store.showCatalog()).models.find((model) => model.id === id);
  if (before === undefined) throw failureOf(id, { kind: "not_found" });
  const isDisabled = state === "disabled";
  if ((before.isDisabled === true) === isDisabled) return false;
  const outcome = await store.changeModelState(id, isDisabled, before.revision ?? 0);
  if (outcome.kind !== "done") throw failureOf(id, outcome);
  return true;
}

async function change(
  io: CommandIo,
  id: string,
  { verb, status, done }: StatusChange<State>,
  options: StatusOptions,
): Promise<void> {
  await withStore(io, options, (store) =>
    audited(
      io,
      store,
      { action: `model ${verb}`, subject: `model ${id}` },
      () => changeState(store, id, status),
      (isChanged) => (isChanged ? {} : "unchanged"),
    ),
  );
  if (options.json === true) writeJson(io, { id, disabled: status === "disabled" });
  else io.out(`Model ${id} ${done}${status === "disabled" ? ` ${id}` : ""}.\n`);
}

export function addModel(program: Command, io: CommandIo): void {
  const model = program.command("model").description("Disable and enable models.");
  addStatusCommands(model, "ID of the model", changes, (id, one, options) => change(io, id, one, options));
}
