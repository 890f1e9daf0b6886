/** Turns the outcome of a catalog change into the console's response. */

import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import type { Edited } from "../../domain/catalog/file/edited.ts";
import type { EditOutcome } from "../../store/catalog/edit.ts";

const namesMax = 10;

/** "a, b, c" and the number of further ids. */
function listed(ids: readonly string[]): Message | string {
  const names = ids.slice(0, namesMax).join(", ");
  return ids.length > namesMax ? message("catalog.andMore", { names, more: ids.length - namesMax }) : names;
}

/** Refuses a form with the faults at their fields. */
export function refuseFields(faults: readonly FieldFault[]): never {
  const [first] = faults;
  throw new GatewayError("invalid_request", {
    message:
      first === undefined ? undefined : message("form.atField", { path: first.path, fault: first.message }),
    param: first?.path,
    fields: faults,
  });
}

/** The value read from a form; throws its faults. */
export function readOrRefuse<Thing>(edited: Edited<Thing>): Thing {
  return edited.ok ? edited.value : refuseFields(edited.faults);
}

/** The new revision; throws for every other outcome. `what` and `id`: the item to be changed. */
export function revisionOf(outcome: EditOutcome, what: "upstream" | "model" | "limits", id: string): number {
  switch (outcome.kind) {
    case "done":
      return outcome.revision;
    case "not_found":
      throw new GatewayError("not_found", { message: message("catalog.thingUnknown", { what, id }) });
    case "stale":
      throw new GatewayError("changed_meanwhile");
    case "file":
      throw new GatewayError("managed_by_file", {
        message:
          outcome.what === "limits"
            ? message("catalog.limitsOfFile")
            : message("catalog.thingOfFile", { what: outcome.what, id: outcome.id }),
      });
    case "exists": {
      const exists = message("catalog.thingExists", { what: outcome.what, id: outcome.id });
      throw new GatewayError("already_exists", {
        message: exists,
        param: "id",
        fields: [{ path: "id", message: exists }],
      });
    }
    case "full":
      throw new GatewayError("invalid_request", {
        message: message("catalog.full", { max: outcome.max, what: outcome.what }),
      });
    case "used":
      throw new GatewayError("invalid_request", {
        message:
          what === "upstream"
            ? message("catalog.usedByModels", { models: listed(outcome.by) })
            : message("catalog.fallenBackTo", { models: listed(outcome.by) }),
      });
    case "lost":
      throw new GatewayError("changed_meanwhile", {
        message: message("catalog.thingRemoved", { what: outcome.what, id: outcome.id }),
      });
    case "loop":
      refuseFields([{ path: "fallbacks", message: message("catalog.fallbackLoop") }]);
  }
}
