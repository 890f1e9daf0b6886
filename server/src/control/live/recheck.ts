/** Checks again who is at the other end of a long answer. */
import type { RouteSpec } from "@plaza/contract/api/index.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { requireAccess } from "../access.ts";
import { readViewer } from "../auth/sessions.ts";
import type { ControlContext, Viewer } from "../context.ts";
import { type Asking, identify } from "../identify.ts";

/**
 * Resolves with false when the caller's session or token ended, or has lost its right to the route. A session
 * is looked up by its id, because its cookie is replaced while it is used. Rejects when the store does not
 * answer.
 */
export async function isStillAllowed(
  context: ControlContext,
  spec: RouteSpec,
  asking: Asking,
  viewer: Viewer,
): Promise<boolean> {
  try {
    const now: Viewer =
      viewer.kind === "user"
        ? ((await readViewer(context, viewer.sessionId)) ?? { kind: "nobody" })
        : await identify(context, asking);
    requireAccess(spec, now);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
