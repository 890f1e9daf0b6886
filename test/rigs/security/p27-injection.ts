/**
 * P27: no text from a model, a user or an upstream runs in the console. Payloads are planted into everything
 * that can be written (`p27-planting.ts`) and sent through the playground as a model's answer. Then a real
 * browser opens every page, once normally and once without the content security policy, so that pages are
 * also tested without that protection. A fresh installation has no default credential.
 */
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Dialog, Page } from "playwright-core";
import { buildConsole } from "../../../tools/build/console.ts";
import { closeBrowser, newWindow, noBrowser, settled } from "../../console/browser.ts";
import { seed as fillFolder, seededPassword, seededUsers } from "../../console/seed/seed.ts";
import { countFigure, type Figure, type Rig, type RigOptions, zeroFigure } from "../harness/figure.ts";
import { startPlazaOn, temporaryFolder } from "../harness/processes/plaza.ts";
import { seededRandom } from "../harness/random.ts";
import { dangersIn } from "./p27-page-script.ts";
import { type Payload, payloads } from "./p27-payloads.ts";
import { plant } from "./p27-planting.ts";
import { sayInPlayground } from "./p27-playground.ts";

/** Why the rig cannot run here; false when it can. */
export const skip = noBrowser;

/** Detail pages opened per list; over the seeds, every component meets every kind of payload. */
const detailsShort = 1;
const detailsLong = 15;

/** A forbidden address; counts requests to it. */
async function startTrap(): Promise<{ origin: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    res.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

/** Scripts that ran, and elements that could have run one. */
interface Seen {
  readonly ran: string[];
  readonly dangers: string[];
  /** Names of payloads that were visible as text. */
  readonly shown: Set<string>;
  pages: number;
}

/** Shows all rows of a list. */
async function showAll(page: Page): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    const more = page.getByRole("button", { name: "Load more" });
    if ((await more.count()) === 0) return;
    await more.first().click();
    await settled(page);
  }
}

async function lookAt(
  page: Page,
  path: string,
  trap: string,
  names: readonly string[],
  seen: Seen,
): Promise<void> {
  await page.goto(path);
  await settled(page);
  await showAll(page);
  await judge(page, path, trap, names, seen);
}

async function judge(
  page: Page,
  what: string,
  trap: string,
  names: readonly string[],
  seen: Seen,
): Promise<void> {
  const dangers = (await page.evaluate(`(${dangersIn})(${JSON.stringify(trap)})`)) as string[];
  seen.dangers.push(...dangers.map((danger) => `${what}: ${danger}`));
  const text = (await page.evaluate("document.body.textContent + document.title")) as string;
  for (const name of names) if (text.includes(name)) seen.shown.add(name);
  seen.pages += 1;
}

/** Paths of detail pages, from the console's API. */
async function detailPaths(window: BrowserContext, count: number): Promise<string[]> {
  const read = async (path: string): Promise<Record<string, { id: string }[]>> =>
    (await (await window.request.get(`/api${path}`)).json()) as Record<string, { id: string }[]>;
  const ids = async (path: string, list: string): Promise<string[]> =>
    ((await read(path))[list] ?? []).slice(0, count).map(({ id }) => encodeURIComponent(id));
  const planted = Array.from({ length: count }, (_, index) => `planted-${index}`);
  return [
    ...planted.flatMap((id) => ["try", "code", "cost", "history"].map((tab) => `/models/${id}?tab=${tab}`)),
    ...planted.map((id) => `/operator/models/${id}`),
    ...planted.slice(0, 5).map((id) => `/operator/upstreams/${id}`),
    ...(await ids("/keys?limit=100", "keys")).map((id) => `/keys/${id}`),
    ...(await ids("/requests?limit=100", "requests")).flatMap((id) => [
      `/requests/${id}`,
      `/operator/requests/${id}`,
    ]),
    ...(await ids("/operator/accounts?limit=100", "accounts")).map((id) => `/operator/accounts/${id}`),
    ...(await ids("/operator/users?limit=100", "users")).map((id) => `/operator/users/${id}`),
    ...(await ids("/operator/code-batches?limit=100", "batches")).map((id) => `/operator/codes/${id}`),
  ];
}

const listPaths = [
  "/",
  "/models",
  "/models?view=table",
  "/compare?model=planted-0&model=planted-1",
  "/keys",
  "/usage",
  "/requests",
  "/billing",
  "/members",
  "/profile",
  "/operator/health",
  "/operator/models",
  "/operator/upstreams",
  "/operator/accounts",
  "/operator/users",
  "/operator/limits",
  "/operator/codes",
  "/operator/requests",
  "/operator/audit",
  "/operator/settings",
];

/** Paths that contain a payload. */
const addressPaths = (text: string): string[] => {
  const coded = encodeURIComponent(text);
  return [
    `/models/${coded}`,
    `/models?q=${coded}`,
    `/requests?error=${coded}&model=${coded}`,
    `/keys/${coded}`,
    `/sign-in?back=${coded}`,
    `/link/${coded}`,
    `/${coded}`,
  ];
};

async function visitAll(
  plaza: { readonly origin: string },
  given: { list: readonly Payload[]; trap: string; details: number; bypassCSP: boolean },
): Promise<Seen> {
  const { list, trap, details, bypassCSP } = given;
  const names = list.map(({ name }) => name);
  const seen: Seen = { ran: [], dangers: [], shown: new Set(), pages: 0 };
  const window = await newWindow(plaza.origin, { bypassCSP });
  try {
    const page = await window.newPage();
    await page.exposeFunction("__ran", (name: string) => seen.ran.push(name));
    page.on("dialog", (dialog: Dialog) => {
      seen.ran.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await window.request.post("/api/session", {
      data: { email: seededUsers.operator, password: seededPassword },
    });
    for (const path of listPaths) await lookAt(page, path, trap, names, seen);
    const paths = details === 0 ? [] : await detailPaths(window, details);
    for (const path of paths) await lookAt(page, path, trap, names, seen);
    for (const { text } of list.slice(0, details)) {
      for (const path of addressPaths(text)) await lookAt(page, path, trap, names, seen);
    }
    await sayInPlayground(page, list, () => judge(page, "/playground", trap, names, seen));
  } finally {
    await window.close();
  }
  return seen;
}

/** Tries default credentials on a fresh installation; none may succeed. */
async function defaultLogins(): Promise<Figure> {
  const folder = temporaryFolder();
  const plaza = await startPlazaOn(folder);
  const users = [
    "admin",
    "root",
    "admin@example.com",
    "operator@example.com",
    "plaza",
    "test@example.com",
    "admin@localhost",
  ];
  const passwords = [
    "admin",
    "password",
    "123456",
    "plaza",
    "changeme",
    "root",
    "",
    "admin123",
    "secret",
    "12345678",
  ];
  const hits: string[] = [];
  let tried = 0;
  try {
    for (const email of users) {
      for (const password of passwords) {
        const answer = await fetch(`${plaza.origin}/api/session`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ email, password }),
        });
        tried += 1;
        if (answer.status < 400 || answer.headers.get("set-cookie") !== null)
          hits.push(`${email} ${password}`);
        await answer.body?.cancel();
      }
    }
  } finally {
    await plaza.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return zeroFigure("P27", "a fresh start lets nobody in by a usual name and password", tried, hits);
}

export const run: Rig = async ({ size, seed }: RigOptions) => {
  buildConsole();
  const trap = await startTrap();
  const random = seededRandom(seed);
  const all = payloads(trap.origin);
  const list = size === "long" ? all : random.shuffle(all).slice(0, 20);
  const details = size === "long" ? detailsLong : detailsShort;
  const folder = temporaryFolder();
  await fillFolder({ data: folder, requests: 50, seed });
  await plant(folder, seededUsers.operator, list);
  const plaza = await startPlazaOn(folder);
  try {
    // With the policy, lists suffice; without it, all details are opened.
    const guardedDetails = size === "long" ? details : 0;
    const guarded = await visitAll(plaza, {
      list,
      trap: trap.origin,
      details: guardedDetails,
      bypassCSP: false,
    });
    const bare = await visitAll(plaza, { list, trap: trap.origin, details, bypassCSP: true });
    const missing = list.filter(({ name }) => !bare.shown.has(name)).map(({ name }) => name);
    return [
      zeroFigure(
        "P27",
        "payloads that ran, with the content policy",
        guarded.pages * list.length,
        guarded.ran,
      ),
      zeroFigure("P27", "payloads that ran, without the content policy", bare.pages * list.length, bare.ran),
      zeroFigure("P27", "elements that could run something", bare.pages + guarded.pages, [
        ...guarded.dangers,
        ...bare.dangers,
      ]),
      zeroFigure("P27", "calls of an address that a payload names", list.length, trap.asked),
      countFigure("P27", "payloads were really on a page, as text", list.length, missing),
      await defaultLogins(),
    ];
  } finally {
    await plaza.stop();
    await closeBrowser();
    trap.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
