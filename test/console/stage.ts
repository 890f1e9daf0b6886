/**
 * The stage of the walks: the product as a process on a new data folder, fresh or seeded with a month of use,
 * and what everybody does there: sign in, look, call. Knows the words on the pages, none of their insides.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { nodeBinary, rootFolder } from "../rigs/harness/processes/processes.ts";
import { noBrowser } from "./browser.ts";
import { type Seeded, seed, seededPassword } from "./seed.ts";

/** The walks judge the pages as they are in the sources; costs nothing when they are built from these. */
export function buildConsole(): void {
  execFileSync(nodeBinary, [`${rootFolder}tools/build-console.ts`, "--must"], { stdio: "inherit" });
}

export interface Stage {
  readonly product: Product;
  readonly origin: string;
  readonly seeded: Seeded;
}

/** Ends everything that was started for it. */
interface Owner {
  after(end: () => Promise<void>): void;
}

/** What a stage may have beside its month of use. */
export interface StageOptions {
  /** Serves every model but the demo; absent = an address where nothing listens. */
  readonly upstreamUrl?: string;
  /** Of the product's process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An installation in use, for as long as its owner. */
export async function seededStage(
  owner: Owner,
  requests = 400,
  { upstreamUrl, env }: StageOptions = {},
): Promise<Stage> {
  buildConsole();
  const folder = mkdtempSync(join(tmpdir(), "plaza-walk-"));
  const seeded = await seed({
    data: folder,
    requests,
    ...(upstreamUrl === undefined ? {} : { upstreamUrl }),
  });
  const product = await startProduct({ folder, env });
  owner.after(async () => {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { product, origin: product.origin, seeded };
}

/** One installation in use for all walks of a file; they keep out of each other's way. */
export function sharedStage(requests: number, options: StageOptions = {}): () => Stage {
  let stage: Stage | undefined;
  const ends: (() => Promise<void>)[] = [];
  before(async () => {
    if (noBrowser !== false) return;
    stage = await seededStage({ after: (end) => void ends.push(end) }, requests, options);
  });
  after(async () => {
    for (const end of ends) await end();
  });
  return () => stage as Stage;
}

/** A first start, and the link it printed. Gone with the test. */
export async function freshStage(context: TestContext): Promise<{ product: Product; link: string }> {
  buildConsole();
  const product = await startProduct();
  context.after(() => product.stop());
  const link = /console\s+(http:\/\/\S+\/link\/\S+)/.exec(product.running.stdout())?.[1];
  if (link === undefined) throw new Error(`no set-up link was printed: ${product.running.stdout()}`);
  return { product, link };
}

/** Signs in through the page, from wherever it sends one. */
export async function signIn(page: Page, email: string, password = seededPassword): Promise<void> {
  await page.goto("/sign-in");
  await fillSignIn(page, email, password);
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}

/** Fills the form that is there and sends it. */
export async function fillSignIn(page: Page, email: string, password = seededPassword): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Makes a key through the page; gives its secret, shown this once. */
export async function makeKey(page: Page, name: string): Promise<string> {
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: /create/i }).click();
  const secret = await page
    .getByText(/^sk-plaza-[0-9A-Za-z]{38}$/)
    .first()
    .textContent();
  await page.getByRole("button", { name: "I have copied the key" }).click();
  return secret ?? "";
}
