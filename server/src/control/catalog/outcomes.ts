/** How a change of the catalog ended, as what the console is told. */
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import type { Edited } from "../../domain/catalog/file/edited.ts";
import type { EditOutcome } from "../../store/catalog/catalog-edit.ts";

const namesMax = 10;

/** "a, b, c" and how many more. */
function listed(ids: readonly string[]): string {
  const more = ids.length > namesMax ? [`${ids.length - namesMax} more`] : [];
  return [...ids.slice(0, namesMax), ...more].join(", ");
}

/** Refuses a form with what is wrong beside each field. */
export function refuseFields(faults: readonly FieldFault[]): never {
  const [first] = faults;
  throw new GatewayError("invalid_request", {
    message: first === undefined ? undefined : `${first.path}: ${first.message}`,
    param: first?.path,
    fields: faults,
  });
}

/** What was read of a form; throws what is wrong with it. */
export function readOrRefuse<Thing>(edited: Edited<Thing>): Thing {
  return edited.ok ? edited.value : refuseFields(edited.faults);
}

/** The new revision; every other outcome is thrown. `what` and `id` are of the thing that was to be changed. */
export function revisionOf(outcome: EditOutcome, what: "upstream" | "model" | "limits", id: string): number {
  switch (outcome.kind) {
    case "done":
      return outcome.revision;
    case "not_found":
      throw new GatewayError("not_found", { message: `There is no ${what} ${id}.` });
    case "stale":
      throw new GatewayError("changed_meanwhile");
    case "file":
      throw new GatewayError("managed_by_file", {
        message:
          outcome.what === "limits"
            ? "The limits come from the catalog file and are changed there."
            : `The ${outcome.what} ${outcome.id} comes from the catalog file and is changed there.`,
      });
    case "exists": {
      const message = `There is a${outcome.what === "upstream" ? "n" : ""} ${outcome.what} ${outcome.id} already.`;
      throw new GatewayError("already_exists", { message, param: "id", fields: [{ path: "id", message }] });
    }
    case "full":
      throw new GatewayError("invalid_request", {
        message: `A catalog has at most ${outcome.max} ${outcome.what}s. Remove some first.`,
      });
    case "used":
      throw new GatewayError("invalid_request", {
        message:
          what === "upstream"
            ? `Models are served by this upstream: ${listed(outcome.by)}. Change or remove them first.`
            : `Models fall back to this one: ${listed(outcome.by)}. Change them first.`,
      });
    case "lost":
      throw new GatewayError("changed_meanwhile", {
        message: `The ${outcome.what} ${outcome.id} was removed meanwhile.`,
      });
    case "loop":
      refuseFields([{ path: "fallbacks", message: "The fallbacks lead back to this model." }]);
  }
}
