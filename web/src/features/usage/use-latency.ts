/** Asks how long requests took; the answers for an account and for the operator have the same shape. */
import { latencyDaysMax } from "@plaza/contract/read-limits.ts";
import { useMemo } from "react";
import type { ApiError } from "../../api/error.ts";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer, SentTo } from "../../api/routes.ts";

export type Latency = Answer<"get /usage/latency">;
/** Percentiles of the times of some requests, in milliseconds. */
export type Times = Latency["all"]["duration"];
export type LatencyGroup = Latency["groups"][number];

type OwnQuery = SentTo<"get /usage/latency">["query"];
type OperatorQuery = SentTo<"get /operator/usage/latency">["query"];

/** Whose requests. */
export type Scope = "account" | "operator";

/** An account's question never has what only operators may ask. */
export function useLatency(scope: Scope, query: OperatorQuery, enabled: boolean) {
  const isOperator = scope === "operator";
  const own = useApiQuery(
    "get /usage/latency",
    { query: query as OwnQuery },
    { enabled: enabled && !isOperator },
  );
  const all = useApiQuery("get /operator/usage/latency", { query }, { enabled: enabled && isOperator });
  return isOperator ? all : own;
}

/** Times beside figures that count every request. */
export interface Latencies {
  readonly answer: Latency | undefined;
  /** loading; read; refused: the period has too many requests or days; failed. */
  readonly state: "loading" | "read" | "refused" | "failed";
  readonly error: ApiError | null;
  readonly retry: () => void;
  /** By the group's id: a day, a model, …; undefined where none is stored. */
  readonly of: (id: string) => LatencyGroup | undefined;
}

const dayMs = 86_400_000;

/** The same for tables and charts of usage, where some figures have no times. */
export function useLatencies(scope: Scope, query: OperatorQuery & { from: string; to: string }): Latencies {
  const days = (Date.parse(query.to) - Date.parse(query.from)) / dayMs;
  // A day of 25 hours does not make a period too long.
  const isShort = days <= latencyDaysMax + 0.05;
  const { data, error, refetch } = useLatency(scope, query, isShort);
  return useMemo(() => {
    const groups = new Map(data?.groups.map((group) => [group.id, group]));
    const isRefused = !isShort || error?.status === 400;
    return {
      answer: isShort ? data : undefined,
      state: isRefused ? "refused" : data !== undefined ? "read" : error === null ? "loading" : "failed",
      error,
      retry: () => void refetch(),
      of: (id: string) => groups.get(id),
    };
  }, [data, error, refetch, isShort]);
}
