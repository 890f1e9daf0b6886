/** Asks the route of the account or of the operator; the answers have the same shape. */
import { addressOf } from "../../../api/call.ts";
import { useApiQuery } from "../../../api/queries.ts";
import type { SentTo } from "../../../api/routes.ts";
import type { Scope } from "../use-latency.ts";

type OwnQuery = SentTo<"get /usage/explore">["query"];
type OperatorQuery = SentTo<"get /operator/usage/explore">["query"];

/** A question of either; an account's never has what only operators may ask. */
export function useExplored(scope: Scope, query: OperatorQuery, enabled = true) {
  const options = { keep: true };
  const isOperator = scope === "operator";
  const own = useApiQuery(
    "get /usage/explore",
    { query: query as OwnQuery },
    { ...options, enabled: enabled && !isOperator },
  );
  const all = useApiQuery(
    "get /operator/usage/explore",
    { query },
    { ...options, enabled: enabled && isOperator },
  );
  return isOperator ? all : own;
}

/** The address of the download of a question. */
export function csvAddress(scope: Scope, query: OperatorQuery): string {
  const route = scope === "operator" ? "get /operator/usage/explore.csv" : "get /usage/explore.csv";
  return addressOf(route, { query });
}
