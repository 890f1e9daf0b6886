/**
 * Every page of the console: its path, who may see it, and the file that is loaded for it. A new page is a
 * line here and one in `shell/menu-entries.ts`.
 */
import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useMatches,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { ApiError } from "./api/error.ts";
import { apiQueryOptions, queryClient } from "./api/queries.ts";
import type { ReadRoute, SentArgs } from "./api/routes.ts";
import { readSearch } from "./shell/page-search.ts";
import { FailedPage, NoAccountPage, NotFoundPage, NotYoursPage } from "./shell/page-states.tsx";
import { parseSearch, writeSearch } from "./shell/search-text.ts";
import { loadSession, useSession } from "./shell/session.ts";
import { BareShell, Shell } from "./shell/shell.tsx";

const rootRoute = createRootRoute({
  beforeLoad: async () => {
    await loadSession();
  },
  component: Outlet,
  errorComponent: FailedPage,
  notFoundComponent: NotFoundInShell,
});

function NotFoundInShell() {
  return (
    <Shell>
      <NotFoundPage />
    </Shell>
  );
}

function isPublicPath(pathname: string): boolean {
  return ["/models", "/compare", "/status"].includes(pathname) || pathname.startsWith("/models/");
}

/**
 * Pages inside the frame: for signed-in users; the plaza for all visitors if the installation allows it.
 */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  beforeLoad: async ({ location }) => {
    const { user, account, installation } = await loadSession();
    if (user === null) {
      if (installation.plazaIsPublic && isPublicPath(location.pathname)) return;
      throw redirect({ to: "/sign-in", search: { back: location.href }, replace: true });
    }
    if (location.pathname === "/" && account === null && user.isOperator) {
      throw redirect({ to: "/operator/health", replace: true });
    }
  },
  component: Framed,
});

/** Whose a page is. */
type Whose = "everyone" | "account" | "operator";

/** Draws the page in the frame, or says why not. */
function Guarded() {
  const { user, account } = useSession();
  const whose = useMatches({ select: (matches) => matches.at(-1)?.staticData.whose });
  if (whose === "operator" && user?.isOperator !== true) return <NotYoursPage />;
  if (whose === "account" && account === null) return <NoAccountPage />;
  return <Outlet />;
}

function Framed() {
  const fillsWindow = useMatches({
    select: (matches) => {
      const last = matches.at(-1);
      const { wall } = (last?.search ?? {}) as { readonly wall?: unknown };
      return last?.staticData.canFill === true && String(wall) === "1";
    },
  });
  if (fillsWindow)
    return (
      <BareShell>
        <Guarded />
      </BareShell>
    );
  return (
    <Shell>
      <Guarded />
    </Shell>
  );
}

/**
 * By default the router reloads the whole console when a page does not load; without a connection that shows
 * nothing. This keeps the frame and offers to try again.
 */
function whole<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return () =>
    load().catch(() => {
      throw new ApiError({ code: "page_not_loaded", status: 0 });
    });
}

/** Parts of a page's path, by name. */
type Params = Readonly<Record<string, string>>;
/** Asks for what a page shows first, into the cache that the page reads. */
type Prefetch = (params: Params) => readonly Promise<void>[];

const ask = <Name extends ReadRoute>(route: Name, ...sent: SentArgs<Name>): Promise<void> =>
  queryClient.prefetchQuery(apiQueryOptions(route, ...sent));

/**
 * A page in the frame. `load` imports its file, `name` is what the file exports. `prefetch` asks for its data
 * while the file loads; the page waits for neither, and shows its own skeleton. `canFill`: with `?wall=1` it
 * has the whole window.
 */
function page<Path extends string, Name extends string>(
  path: Path,
  whose: Whose,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  prefetch?: Prefetch,
  canFill = false,
) {
  const component = lazyRouteComponent(
    whole(load) as () => Promise<Record<string, AsyncRouteComponent<object>>>,
    name,
  );
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    validateSearch: readSearch(path),
    component,
    staticData: { whose, canFill },
    ...(prefetch === undefined
      ? {}
      : {
          loader: ({ params }: { readonly params: object }) => {
            void Promise.all(prefetch(params as Params));
          },
        }),
  });
}

const accountPages = [
  page("/", "account", () => import("./pages/account/overview-page.tsx"), "OverviewPage"),
  page(
    "/models",
    "everyone",
    () => import("./pages/account/plaza-page.tsx"),
    "PlazaPage",
    () => [ask("get /plaza")],
  ),
  page(
    "/models/$model",
    "everyone",
    () => import("./pages/account/model-page.tsx"),
    "ModelPage",
    ({ model = "" }) => [ask("get /plaza/{model}", { params: { model } })],
  ),
  page(
    "/status",
    "everyone",
    () => import("./pages/account/status-page.tsx"),
    "StatusPage",
    () => [ask("get /status")],
  ),
  page(
    "/compare",
    "everyone",
    () => import("./pages/account/compare-page.tsx"),
    "ComparePage",
    () => [ask("get /plaza")],
  ),
  page(
    "/playground",
    "account",
    () => import("./pages/account/playground-page.tsx"),
    "PlaygroundPage",
    () => [ask("get /plaza")],
  ),
  page("/keys", "account", () => import("./pages/account/keys-page.tsx"), "KeysPage"),
  page(
    "/keys/$id",
    "account",
    () => import("./pages/account/key-page.tsx"),
    "KeyPage",
    ({ id = "" }) => [ask("get /keys/{id}", { params: { id } })],
  ),
  page("/usage", "account", () => import("./pages/account/usage-page.tsx"), "UsagePage"),
  page("/usage/explore", "account", () => import("./pages/account/explore-page.tsx"), "ExplorePage"),
  page("/requests", "account", () => import("./pages/account/requests-page.tsx"), "RequestsPage"),
  page(
    "/requests/$id",
    "account",
    () => import("./pages/account/request-page.tsx"),
    "RequestPage",
    ({ id = "" }) => [ask("get /requests/{id}", { params: { id } })],
  ),
  page(
    "/billing",
    "account",
    () => import("./pages/account/billing-page.tsx"),
    "BillingPage",
    () => [ask("get /balance")],
  ),
  page("/members", "account", () => import("./pages/account/members-page.tsx"), "MembersPage"),
  page(
    "/profile",
    "everyone",
    () => import("./pages/account/profile-page.tsx"),
    "ProfilePage",
    () => [ask("get /sessions")],
  ),
];

const operatorPages = [
  page(
    "/operator/health",
    "operator",
    () => import("./pages/operator/health-page.tsx"),
    "HealthPage",
    () => [ask("get /operator/health"), ask("get /operator/catalog")],
  ),
  page(
    "/operator/live",
    "operator",
    () => import("./pages/operator/live-page.tsx"),
    "LivePage",
    undefined,
    true,
  ),
  page(
    "/operator/models",
    "operator",
    () => import("./pages/operator/models-page.tsx"),
    "ModelsPage",
    () => [ask("get /operator/catalog")],
  ),
  page(
    "/operator/models/$id",
    "operator",
    () => import("./pages/operator/model-page.tsx"),
    "OperatorModelPage",
    () => [ask("get /operator/catalog")],
  ),
  page(
    "/operator/upstreams",
    "operator",
    () => import("./pages/operator/upstreams-page.tsx"),
    "UpstreamsPage",
    () => [ask("get /operator/catalog"), ask("get /operator/upstream-states")],
  ),
  page(
    "/operator/upstreams/$id",
    "operator",
    () => import("./pages/operator/upstream-page.tsx"),
    "UpstreamPage",
    () => [ask("get /operator/catalog")],
  ),
  page("/operator/accounts", "operator", () => import("./pages/operator/accounts-page.tsx"), "AccountsPage"),
  page(
    "/operator/accounts/$id",
    "operator",
    () => import("./pages/operator/account-page.tsx"),
    "AccountPage",
    ({ id = "" }) => [ask("get /operator/accounts/{id}", { params: { id } })],
  ),
  page("/operator/users", "operator", () => import("./pages/operator/users-page.tsx"), "UsersPage"),
  page(
    "/operator/users/$id",
    "operator",
    () => import("./pages/operator/user-page.tsx"),
    "UserPage",
    ({ id = "" }) => [ask("get /operator/users/{id}", { params: { id } })],
  ),
  page(
    "/operator/limits",
    "operator",
    () => import("./pages/operator/limits-page.tsx"),
    "LimitsPage",
    () => [ask("get /operator/catalog")],
  ),
  page("/operator/codes", "operator", () => import("./pages/operator/codes-page.tsx"), "CodesPage"),
  page(
    "/operator/codes/$id",
    "operator",
    () => import("./pages/operator/batch-page.tsx"),
    "BatchPage",
    ({ id = "" }) => [ask("get /operator/code-batches/{id}", { params: { id } })],
  ),
  page(
    "/operator/requests",
    "operator",
    () => import("./pages/operator/requests-page.tsx"),
    "OperatorRequestsPage",
  ),
  page(
    "/operator/requests/$id",
    "operator",
    () => import("./pages/operator/request-page.tsx"),
    "OperatorRequestPage",
    ({ id = "" }) => [ask("get /operator/requests/{id}", { params: { id } })],
  ),
  page("/operator/usage", "operator", () => import("./pages/operator/usage-page.tsx"), "OperatorUsagePage"),
  page(
    "/operator/usage/explore",
    "operator",
    () => import("./pages/operator/explore-page.tsx"),
    "OperatorExplorePage",
  ),
  page("/operator/audit", "operator", () => import("./pages/operator/audit-page.tsx"), "AuditPage"),
  page(
    "/operator/settings",
    "operator",
    () => import("./pages/operator/settings-page.tsx"),
    "SettingsPage",
    () => [ask("get /operator/settings")],
  ),
];

/** Pages without the frame. */
const plainPages = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/start",
    validateSearch: readSearch("/start"),
    beforeLoad: async () => {
      const { user } = await loadSession();
      if (user === null) throw redirect({ to: "/sign-in", search: { back: "/start" }, replace: true });
    },
    component: lazyRouteComponent(() => import("./pages/entry/start-page.tsx"), "StartPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: readSearch("/sign-in"),
    component: lazyRouteComponent(() => import("./pages/entry/sign-in-page.tsx"), "SignInPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/link/$token",
    component: lazyRouteComponent(() => import("./pages/entry/link-page.tsx"), "LinkPage"),
  }),
];

/** The router of the page. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    shellRoute.addChildren([...accountPages, ...operatorPages]),
    ...plainPages,
  ]),
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Absent for routes that are no page in the frame. */
    whose?: Whose;
    /** The page has the whole window with `?wall=1`. */
    canFill?: boolean;
  }
}
