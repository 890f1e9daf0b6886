/**
 * Forms, tables and dialogs of the console in a real browser, each on a page of its own without a server:
 * `web/src/testing/scenes.tsx`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

let server: Server | undefined;
let origin = "";
let folder = "";

/** Builds the scenes as the console is built. */
function buildScenes(outDir: string): void {
  const vite = join(rootFolder, "node_modules/vite/bin/vite.js");
  const config = join(rootFolder, "web/src/testing/vite.config.ts");
  const { status } = spawnSync(
    process.execPath,
    [vite, "build", "web", "--config", config, "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"],
    { cwd: rootFolder, stdio: ["ignore", 2, 2] },
  );
  assert.equal(status, 0, "the scenes could not be built");
}

before(async () => {
  if (noBrowser !== false) return;
  folder = mkdtempSync(join(tmpdir(), "plaza-scenes-"));
  buildScenes(folder);
  server = createServer(({ url = "/" }, answer) => {
    const { pathname } = new URL(url, "http://scenes");
    // Every path without an ending is a scene.
    const name = extname(pathname) === "" ? "src/testing/index.html" : pathname.slice(1);
    try {
      const bytes = readFileSync(join(folder, name));
      answer
        .writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" })
        .end(bytes);
    } catch {
      answer.writeHead(name === "favicon.ico" ? 204 : 404).end();
    }
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  await closeBrowser();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  if (folder !== "") rmSync(folder, { recursive: true, force: true });
});

const skip = noBrowser;
const focusedText = (page: Page) => page.evaluate("document.activeElement?.textContent");
const focusedName = (page: Page) => page.evaluate("document.activeElement?.getAttribute('name')");

test("what others changed elsewhere is kept, and the same field is asked about", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/edit");
  await page.getByLabel("Name").fill("Aurora 2");
  await page.getByRole("button", { name: "Another user notes it" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  const note = page.getByRole("alert").filter({ hasText: "Changed by another user" });
  await note.waitFor();
  await becomes(() => note.innerText(), /Field note[\s\S]*slow/);
  await becomes(() => page.getByLabel("Note").inputValue(), "slow", "theirs is in the form");
  const takeTheirs = note.getByRole("button", { name: "Use current values" });
  assert.equal(await takeTheirs.count(), 0, "nothing to choose: each changed another field");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Aurora 2, slow, revision 3").waitFor();
  await note.waitFor({ state: "detached" });

  await page.getByLabel("Name").fill("Aurora 3");
  await page.getByRole("button", { name: "Another user renames it" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await note.waitFor();
  await becomes(() => note.innerText(), /Field name[\s\S]*Borealis[\s\S]*Aurora 3/);
  await becomes(() => page.getByLabel("Name").inputValue(), "Aurora 3", "what was typed stays");
  await page.getByText("Borealis, slow, revision 4").waitFor();
  await takeTheirs.click();
  await becomes(() => page.getByLabel("Name").inputValue(), "Borealis");
  await note.waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

test("unsaved changes are asked about before the page is left, and only then", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/edit");
  await page.getByLabel("Note").fill("unsaved");
  const leave = page.getByRole("link", { name: "Elsewhere" });
  await leave.click();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Stay on page" }).click();
  await question.waitFor({ state: "hidden" });
  assert.match(page.url(), /\/edit$/);
  assert.equal(await page.getByLabel("Note").inputValue(), "unsaved");
  await leave.click();
  await question.getByRole("button", { name: "Leave page" }).click();
  await page.getByRole("heading", { name: "Elsewhere" }).waitFor();

  await page.goto("/edit");
  await leave.click();
  await page.getByRole("heading", { name: "Elsewhere" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a refused form says each fault at its field, and takes the focus there", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/refused");
  await page.getByLabel("Name").fill("mine");
  await page.getByRole("button", { name: "Save" }).click();
  const limit = page.getByLabel("Limit");
  await page.getByText("At least 1.").waitFor();
  await becomes(() => limit.getAttribute("aria-invalid"), "true");
  const described = (await limit.getAttribute("aria-describedby")) ?? "";
  const texts = await Promise.all(described.split(" ").map((id) => page.locator(`[id="${id}"]`).innerText()));
  assert.ok(texts.join(" ").includes("At least 1."), "the field is described by its fault");
  await becomes(() => focusedName(page), "limit");
  await page.getByText("The secret is missing.").waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "mine");
  await limit.fill("5");
  // A changed field is no longer at fault.
  await page.getByText("At least 1.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The secret is missing.").waitFor({ state: "hidden" });
  await becomes(() => page.title(), "saved");
  assert.deepEqual(mishaps.list, []);
});

test("what the contract's schema refuses is said at the field, and is not sent", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/edit");
  const name = page.getByLabel("Name");
  await name.fill(" ");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Enter a name.").waitFor();
  await becomes(() => name.getAttribute("aria-invalid"), "true");
  await becomes(() => focusedName(page), "name");
  await page.getByText("Aurora, fast, revision 1").waitFor();
  await name.fill("Aurora 2");
  await page.getByText("Enter a name.").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Aurora 2, fast, revision 2").waitFor();
  assert.deepEqual(mishaps.list, []);
});

const models = (page: Page) => page.getByLabel("Upstream model ID");
const weights = (page: Page) => page.getByLabel("Weight");

test("a row keeps its fields, its text, its fault and what is open in it when a row above goes", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/model");
  await models(page).nth(2).waitFor();
  await page.evaluate(`document.querySelector("[name='deployments.2.model']").dataset.marked = "c"`);
  await weights(page).nth(2).fill("2.0");
  await page.getByRole("group", { name: "Deployment 3" }).getByText("Timeouts, cost and formats").click();
  await page.getByLabel("Cost known").check();
  await models(page).nth(2).fill("d".repeat(8_193));
  await page.getByRole("button", { name: "Save" }).click();
  const fault = page.getByText("Enter at most 8,192 characters.");
  await fault.waitFor();
  await becomes(() => focusedName(page), "deployments.2.model");
  await page.getByRole("button", { name: "Remove deployment 1" }).click();
  await page.getByRole("group", { name: "Deployment 3" }).waitFor({ state: "detached" });
  const last = models(page).nth(1);
  assert.equal(await last.getAttribute("data-marked"), "c", "it is the same field");
  assert.equal(await last.getAttribute("name"), "deployments.1.model");
  await becomes(() => last.getAttribute("aria-invalid"), "true");
  assert.equal(await models(page).nth(0).getAttribute("aria-invalid"), null);
  assert.equal(await weights(page).nth(1).inputValue(), "2.0", "what was typed stays as typed");
  assert.equal(await page.getByLabel("Cost known").isChecked(), true, "what was opened stays open");

  await last.fill("");
  await fault.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[name='deployments.1.cost.rates.input'][aria-invalid='true']").waitFor();
  await becomes(() => focusedName(page), "deployments.1.model");
  const empty = page.getByText("Is empty; enter the upstream model ID.");
  await empty.waitFor();
  await last.fill("halo-gone");
  await empty.waitFor({ state: "detached" });
  await page.getByLabel("Cost known").uncheck();
  // What the schema and the rules let pass, the server may refuse: at the same field.
  await page.getByRole("button", { name: "Save" }).click();
  const gone = page.getByText("This model is gone.");
  await gone.waitFor();
  await becomes(() => focusedName(page), "deployments.1.model");
  await last.fill("halo-d");
  await gone.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  const isSaved = async () => {
    await page.getByRole("button", { name: "Read the model" }).click();
    return (await page.getByText("revision 2: halo-b 1, halo-d 2").count()) === 1;
  };
  await becomes(isSaved, true);
  assert.deepEqual(mishaps.list, []);
});

test("a fault deep in a folded part of a row is found before it is sent, opens it and takes the focus", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/model");
  const second = page.getByRole("group", { name: "Scheduled price 2" });
  const parts = second.getByText("Other rates, Tiers for large prompts");
  await parts.click();
  await second.getByRole("button", { name: "Add tier" }).click();
  await second.getByLabel("Prompt above").fill("200000");
  await second.getByLabel("Input", { exact: true }).nth(1).fill("2");
  await second.getByLabel("Output", { exact: true }).nth(1).fill("much");
  await parts.click();
  await second.getByLabel("Prompt above").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  const field = page.locator("[name='scheduled.1.price.tiers.0.rates.output']");
  await page.locator("[name='scheduled.1.price.tiers.0.rates.output'][aria-invalid='true']").waitFor();
  await becomes(() => focusedName(page), "scheduled.1.price.tiers.0.rates.output");
  assert.equal(await page.locator("form [aria-invalid='true']").count(), 1);
  const described = (await field.getAttribute("aria-describedby")) ?? "";
  const text = await page.locator(`[id="${described}"]`).innerText();
  assert.equal(await page.getByText(text).count(), 1, "neither at the group nor at the foot again");
  assert.deepEqual(mishaps.list, []);
});

test("a repeated row is said at that row, a list without rows at the list", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/model");
  await models(page).nth(1).fill("halo-a");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[name='deployments.1.model'][aria-invalid='true']").waitFor();
  const repeated = page.getByText(/^Repeats an earlier deployment of this model/);
  await becomes(() => repeated.count(), 1);
  for (const row of [3, 2, 1]) await page.getByRole("button", { name: `Remove deployment ${row}` }).click();
  await page.getByRole("button", { name: "Save" }).click();
  const empty = page.getByText("Is empty; add at least 1.");
  await becomes(() => empty.count(), 1);
  const field = page.getByRole("button", { name: "Add deployment" }).locator("..");
  await field.getByText("Is empty; add at least 1.").waitFor();
  await page.getByRole("button", { name: "Add deployment" }).click();
  await empty.waitFor({ state: "detached" });
  await repeated.waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

test("a nested field that is changed back leaves nothing to ask about, an added row does", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/model");
  const leave = page.getByRole("link", { name: "Elsewhere" });
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await weights(page).nth(1).fill("2");
  await leave.click();
  await question.getByRole("button", { name: "Stay on page" }).click();
  await weights(page).nth(1).fill("1");
  await page.getByRole("button", { name: "Add deployment" }).click();
  await leave.click();
  await question.getByRole("button", { name: "Stay on page" }).click();
  await page.getByRole("button", { name: "Remove deployment 4" }).click();
  await leave.click();
  await page.getByRole("heading", { name: "Elsewhere" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("two users edit rows of one list: other rows and fields are merged, the same field is asked about", {
  skip,
}, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/model");
  const note = page.getByRole("alert").filter({ hasText: "Changed by another user" });
  await page.getByRole("button", { name: "Remove deployment 2" }).click();
  await models(page).nth(1).fill("halo-d");
  await page.getByRole("button", { name: "Another user weighs the first" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await note.waitFor();
  await becomes(() => note.innerText(), /Deployments: main halo-a: Weight\s+Current value: 3/);
  await becomes(() => weights(page).nth(0).inputValue(), "3", "theirs is in the form");
  await becomes(() => models(page).nth(1).inputValue(), "halo-d", "and so is mine");

  await weights(page).nth(0).fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await note.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Read the model" }).click();
  await page.getByText("revision 3: halo-a 5, halo-d 1").waitFor();

  await weights(page).nth(0).fill("7");
  await page.getByRole("button", { name: "Another user weighs the first" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await note.waitFor();
  await becomes(() => note.innerText(), /Weight\s+Current value: 3\s+Your value: 7/);
  await becomes(() => weights(page).nth(0).inputValue(), "7", "what was typed stays");
  await note.getByRole("button", { name: "Use current values" }).click();
  await becomes(() => weights(page).nth(0).inputValue(), "3");
  await note.waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

test("a table is sorted and opened by keyboard, and its order is in the URL", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/table");
  const names = async () => await page.locator("tbody tr td:first-child").allInnerTexts();
  await becomes(names, ["Borealis", "Aurora", "Cirrus"]);
  const amount = page.getByRole("columnheader", { name: "Amount" });
  await amount.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/sort=-amount/);
  await becomes(() => amount.getAttribute("aria-sort"), "descending");
  await becomes(names, ["Aurora", "Borealis", "Cirrus"], "the largest first, none last");
  await page.keyboard.press("Enter");
  await page.waitForURL(/sort=amount/);
  await becomes(names, ["Borealis", "Aurora", "Cirrus"], "none last either way");
  await page.goto("/table?sort=-name");
  await becomes(names, ["Cirrus", "Borealis", "Aurora"]);
  assert.equal(await page.getByRole("columnheader", { name: "Plain" }).getByRole("button").count(), 0);
  await page.getByRole("link", { name: "Borealis" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/elsewhere\?of=b/);
  assert.deepEqual(mishaps.list, []);
});

test("a dialog keeps the focus, closes by Escape, and gives the focus back", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/dialog");
  const open = page.getByRole("button", { name: "Open dialog" });
  await open.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Names" });
  await dialog.waitFor();
  for (let count = 0; count < 8; count++) {
    await page.keyboard.press(count % 3 === 2 ? "Shift+Tab" : "Tab");
    const isInside = "document.querySelector('[role=dialog]').contains(document.activeElement)";
    // At its ends the focus is turned round by the dialog.
    await becomes(() => page.evaluate(isInside), true, `the focus left the dialog at Tab ${count + 1}`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await becomes(() => focusedText(page), "Open dialog");
  assert.deepEqual(mishaps.list, []);
});

test("a question shows why its act failed, and closes once it is done", { skip }, async (context) => {
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/dialog");
  await page.getByRole("button", { name: "Delete model" }).click();
  const question = page.getByRole("dialog", { name: "Delete Aurora?" });
  await question.getByRole("button", { name: "Delete", exact: true }).click();
  await question.getByText("It is in use.").waitFor();
  await question.getByRole("button", { name: "Delete", exact: true }).click();
  await question.waitFor({ state: "hidden" });
  assert.deepEqual(mishaps.list, []);
});
