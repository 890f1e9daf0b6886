/**
 * Every page of the console in a seeded installation, and dialogs as large as a page, for tests and
 * screenshots.
 */
import type { Page } from "playwright-core";
import { settled } from "./browser.ts";

export interface ConsolePage {
  /** Name of its screenshot. */
  readonly name: string;
  readonly path: string;
  /** What to click to open the page, if its path is not known in advance. */
  readonly press?: string;
  /** Shown without signing in. */
  readonly isPublic?: true;
  /** It goes on loading: server-sent events move it. */
  readonly isLive?: true;
}

const firstRow = "tbody tr :is(a, button)";

/** Opens a page; resolves when it has loaded. */
export async function openPage(page: Page, { path, press }: ConsolePage): Promise<void> {
  await page.goto(path);
  await settled(page);
  if (press === undefined) return;
  await page.locator(press).first().click();
  await settled(page);
}

export const pages: readonly ConsolePage[] = [
  { name: "sign-in", path: "/sign-in", isPublic: true },
  { name: "link-dead", path: "/link/no-such-link", isPublic: true },
  { name: "start", path: "/start?step=call" },
  { name: "overview", path: "/" },
  { name: "plaza", path: "/models" },
  { name: "plaza-table", path: "/models?view=table" },
  { name: "plaza-chart", path: "/models?view=chart" },
  { name: "model", path: "/models/cirrus%2Fcirrus-4-sonnet" },
  { name: "model-code", path: "/models/aurora-mini?tab=code" },
  { name: "model-cost", path: "/models/aurora-mini?tab=cost" },
  { name: "model-history", path: "/models/aurora-mini?tab=history" },
  { name: "model-unknown", path: "/models/no-such-model" },
  { name: "compare", path: "/compare?model=aurora-mini&model=aurora-large" },
  { name: "status", path: "/status" },
  { name: "playground", path: "/playground?model=demo" },
  { name: "keys", path: "/keys" },
  { name: "key-form", path: "/keys?new=1" },
  { name: "key", path: "/keys", press: firstRow },
  { name: "usage", path: "/usage" },
  { name: "explore", path: "/usage/explore?zone=UTC" },
  { name: "explore-latency", path: "/usage/explore?measure=latency&period=7d&zone=UTC" },
  { name: "requests", path: "/requests" },
  { name: "request", path: "/requests", press: firstRow },
  { name: "billing", path: "/billing" },
  { name: "members", path: "/members" },
  { name: "profile", path: "/profile" },
  { name: "health", path: "/operator/health" },
  { name: "live", path: "/operator/live", isLive: true },
  { name: "live-wall", path: "/operator/live?wall=1", isLive: true },
  { name: "models-and-prices", path: "/operator/models" },
  { name: "model-form", path: "/operator/models/aurora-large" },
  { name: "upstreams", path: "/operator/upstreams" },
  { name: "upstream-form", path: "/operator/upstreams/main" },
  { name: "connect", path: "/operator/upstreams", press: "main header :is(a, button)" },
  { name: "accounts", path: "/operator/accounts" },
  { name: "account", path: "/operator/accounts", press: "tbody tr:last-child a" },
  { name: "users", path: "/operator/users" },
  { name: "user", path: "/operator/users", press: firstRow },
  { name: "limits", path: "/operator/limits" },
  { name: "codes", path: "/operator/codes" },
  { name: "code-batch", path: "/operator/codes", press: firstRow },
  { name: "all-requests", path: "/operator/requests" },
  { name: "operator-request", path: "/operator/requests", press: firstRow },
  { name: "all-usage", path: "/operator/usage" },
  { name: "explore-all", path: "/operator/usage/explore?by=account&zone=UTC" },
  { name: "audit-log", path: "/operator/audit" },
  { name: "audit-line", path: "/operator/audit", press: firstRow },
  { name: "settings", path: "/operator/settings" },
  { name: "operator-tokens", path: "/operator/settings?view=tokens" },
  { name: "settings-started-with", path: "/operator/settings?view=boot" },
];
