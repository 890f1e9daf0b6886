/**
 * The stage of the console's tests: the product as a process on a new data folder, empty or seeded with a
 * month of use, and common steps: sign in, create a key. Uses the visible texts of pages only.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { buildConsole } from "../../tools/build/console.ts";
import { type Product, startProduct } from "../behaviour/harness/product.ts";
import { noBrowser } from "./browser.ts";
import { type Seeded, seed, seededPassword } from "./seed/seed.ts";

export interface Stage {
  readonly product: Product;
  readonly origin: string;
  readonly seeded: Seeded;
}

/** Runs clean-up at its end: a test or a file. */
interface Owner {
  after(end: () => Promise<void>): void;
}

export interface StageOptions {
  /** The upstream of all models but the demo; absent = an address without a server. */
  readonly upstreamUrl?: string;
  /** Models of the shipped catalog beside the invented ones. */
  readonly moreModels?: number;
  /** Environment of the product's process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A seeded installation that lives as long as its owner. */
export async function seededStage(
  owner: Owner,
  requests = 400,
  { upstreamUrl, env, moreModels }: StageOptions = {},
): Promise<Stage> {
  buildConsole();
  const folder = mkdtempSync(join(tmpdir(), "plaza-walk-"));
  const seeded = await seed({
    data: folder,
    requests,
    ...(upstreamUrl === undefined ? {} : { upstreamUrl }),
    ...(moreModels === undefined ? {} : { moreModels }),
  });
  const product = await startProduct({ folder, env });
  owner.after(async () => {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { product, origin: product.origin, seeded };
}

/** One seeded installation for all tests of a file, which use different items. */
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

/** A first start, with the link that it printed. Stopped at the end of the test. */
export async function freshStage(context: TestContext): Promise<{ product: Product; link: string }> {
  buildConsole();
  const product = await startProduct();
  context.after(() => product.stop());
  const link = /console\s+(http:\/\/\S+\/link\/\S+)/.exec(product.running.stdout())?.[1];
  if (link === undefined) throw new Error(`no set-up link was printed: ${product.running.stdout()}`);
  return { product, link };
}

/**
 * Signs the page's window in with a call of its own, for walks that begin signed in: the form is filled in
 * where signing in is the point (`fillSignIn`). Opens no page.
 */
export async function signIn(page: Page, email: string, password = seededPassword): Promise<void> {
  const answer = await page.request.post("/api/session", { data: { email, password } });
  if (!answer.ok()) throw new Error(`${email} could not sign in: ${answer.status()} ${await answer.text()}`);
}

/** Fills in and submits the sign-in form. */
export async function fillSignIn(page: Page, email: string, password = seededPassword): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Creates a key through the page; returns its secret. */
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
  await dialog.waitFor({ state: "detached" });
  return secret ?? "";
}

/**
 * Adds a model of the demo with an API call of the page's window, which is an operator's. `more`: further
 * fields of its document.
 */
export async function addModel(
  page: Page,
  id: string,
  input: string,
  output: string,
  more: object = {},
): Promise<void> {
  const session = (await (await page.request.get("/api/session")).json()) as { csrfToken: string };
  const deployments = [{ upstream: "demo", model: "demo", cost: { input: "0.5", output: "1" } }];
  const answer = await page.request.post("/api/operator/models", {
    headers: { "x-plaza-csrf": session.csrfToken },
    data: { id, price: { input, output }, deployments, ...more },
  });
  if (!answer.ok()) throw new Error(`${id} was not added: ${answer.status()} ${await answer.text()}`);
}
