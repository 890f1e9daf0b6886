/** Sends a change; what it makes stale is asked for again behind the answer. Knows no form. */
import { callAny } from "../api/call.ts";
import { isApiError } from "../api/error.ts";
import { queryClient, refreshAfter } from "../api/queries.ts";
import { noteReached } from "../api/reachable.ts";
import type { Answer, SentTo } from "../api/routes.ts";
import type { ChangeRoute } from "../api/stale.ts";

/** `const key = await sendChange("post /keys", { body })`; throws ApiError. */
export async function sendChange<Name extends ChangeRoute>(
  route: Name,
  sent: SentTo<Name>,
): Promise<Answer<Name>> {
  try {
    const answer = (await callAny(route, sent as object)) as Answer<Name>;
    noteReached(true);
    void refreshAfter(queryClient, route);
    return answer;
  } catch (thrown) {
    noteReached(!isApiError(thrown, "network_lost"));
    throw thrown;
  }
}
