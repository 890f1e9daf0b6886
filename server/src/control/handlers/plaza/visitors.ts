/** Who may look at the plaza and at statuses: signed-in users, and everybody where the operator says so. */
import { GatewayError } from "@plaza/contract/errors.ts";
import type { OperationStore } from "../../../store/operation/operation.ts";
import type { Viewer } from "../../context.ts";

/** Throws `not_signed_in` for a visitor where the plaza is not public. */
export async function requireVisitor(
  store: Pick<OperationStore, "getSettings">,
  viewer: Viewer,
): Promise<void> {
  if (viewer.kind !== "nobody") return;
  if (!(await store.getSettings()).plazaIsPublic) throw new GatewayError("not_signed_in");
}
