/**
 * Reading and changing through TanStack Query: cached answers show immediately and
 * are refreshed behind. Knows no page.
 */
import {
  type InfiniteData,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { callAny } from "./call.ts";
import { ApiError } from "./error.ts";
import { noteReached, onReachedAgain } from "./reachable.ts";
import type { Answer, ReadRoute, SentArgs, SentTo } from "./routes.ts";
import { type ChangeRoute, type ReadPath, staleAfter } from "./stale.ts";

const outcomes = {
  onError: (error: Error) => noteReached(!(error instanceof ApiError) || error.code !== "network_lost"),
  onSuccess: () => noteReached(true),
};

/** The cache of the page. A fault of the network or the server is tried once more; a refusal is not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache(outcomes),
  mutationCache: new MutationCache(outcomes),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 30 * 60_000,
      retry: (failures, error) =>
        failures < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
    mutations: { retry: false },
  },
});

onReachedAgain(() => void queryClient.invalidateQueries());

/** The key of a route's cached answer: the path first, so that `/keys` finds everything below it. */
function keyOf(route: string, sent: unknown): readonly unknown[] {
  return [route.slice(route.indexOf(" ") + 1), sent ?? {}];
}

/** Options for `useQuery`, `ensureQueryData` and the like. */
export function apiQueryOptions<Name extends ReadRoute>(route: Name, ...[sent]: SentArgs<Name>) {
  return queryOptions<Answer<Name>, ApiError>({
    queryKey: keyOf(route, sent),
    queryFn: async ({ signal }) => (await callAny(route, (sent ?? {}) as object, signal)) as Answer<Name>,
  });
}

/** Beyond what is sent. */
export interface ReadOptions {
  /** False: do not ask yet. */
  readonly enabled?: boolean;
  /** Ask again this often while the page is seen, in milliseconds. */
  readonly everyMs?: number;
  /** Keep showing the answer to the former question until the new one is there (filters). */
  readonly keep?: boolean;
}

/**
 * `const keys = useApiQuery("get /keys", { query: { state } })`: `keys.data`, `keys.error`, `keys.isPending`.
 */
export function useApiQuery<Name extends ReadRoute>(
  route: Name,
  sent: SentTo<Name>,
  options: ReadOptions = {},
): UseQueryResult<Answer<Name>, ApiError> {
  return useQuery<Answer<Name>, ApiError>({
    queryKey: keyOf(route, sent),
    queryFn: async ({ signal }) => (await callAny(route, sent as object, signal)) as Answer<Name>,
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.keep === true ? { placeholderData: keepPreviousData } : {}),
  });
}

/** A list that comes in pages. */
export interface Pages<Row> {
  /** Undefined until the first page is there. */
  readonly rows: readonly Row[] | undefined;
  readonly error: ApiError | null;
  readonly retry: () => void;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  readonly isLoadingMore: boolean;
  readonly isRefreshing: boolean;
}

function pagesOf<Row, Page>(
  query: UseInfiniteQueryResult<InfiniteData<Page>, ApiError>,
  rowsOf: (page: Page) => readonly Row[],
): Pages<Row> {
  return {
    rows: query.data?.pages.flatMap((page) => [...rowsOf(page)]),
    error: query.error,
    retry: () => void query.refetch(),
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    isLoadingMore: query.isFetchingNextPage,
    isRefreshing: query.isFetching,
  };
}

type PagedRoute = {
  [Name in ReadRoute]: Answer<Name> extends { next: string | null } ? Name : never;
}[ReadRoute];

/**
 * `useApiPages("get /requests", { query: filters }, (page) => page.requests)`: pages by cursor, for a
 * `DataTable`.
 */
export function useApiPages<Name extends PagedRoute, Row>(
  route: Name,
  sent: SentTo<Name>,
  rowsOf: (page: Answer<Name>) => readonly Row[],
  options: ReadOptions = {},
): Pages<Row> {
  const parts = sent as { readonly query?: Readonly<Record<string, unknown>> };
  const query = useInfiniteQuery({
    queryKey: [...keyOf(route, sent), "pages"],
    queryFn: async ({ signal, pageParam }) =>
      (await callAny(
        route,
        { ...parts, query: { ...parts.query, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        signal,
      )) as Answer<Name>,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next: string | null }).next,
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.keep === true ? { placeholderData: keepPreviousData } : {}),
  });
  return pagesOf(query as UseInfiniteQueryResult<InfiniteData<Answer<Name>>, ApiError>, rowsOf);
}

/** Marks everything read at or below these paths as stale, so that what is on the page is asked for again. */
export async function refresh(client: QueryClient, paths: readonly ReadPath[]): Promise<void> {
  await client.invalidateQueries({
    predicate: (query) => {
      const path = query.queryKey[0];
      return (
        typeof path === "string" && paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
      );
    },
  });
}

/** The same for what a route changes (`stale.ts`), where it is called without `useApiMutation`. */
export async function refreshAfter(client: QueryClient, route: ChangeRoute): Promise<void> {
  await refresh(client, staleAfter[route]);
}

/**
 * `const revoke = useApiMutation("post /keys/{id}/revoke")`; `await revoke.mutateAsync({ params: { id } })`.
 * What the route makes stale is asked for again before the promise resolves.
 */
export function useApiMutation<Name extends ChangeRoute>(
  route: Name,
): UseMutationResult<Answer<Name>, ApiError, SentTo<Name>> {
  const client = useQueryClient();
  return useMutation<Answer<Name>, ApiError, SentTo<Name>>({
    mutationFn: async (sent) => (await callAny(route, sent ?? {})) as Answer<Name>,
    onSuccess: async () => await refreshAfter(client, route),
  });
}
