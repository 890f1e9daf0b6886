/**
 * Operator tasks of the installation: name, operator tokens, limits, deletion of upstreams and models,
 * self-check.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { freshStage, sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(60);
after(closeBrowser);

test("an operator token is made with its scopes, works, and is revoked", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/settings");
  await page.getByRole("tab", { name: "Operator tokens" }).click();
  await page.getByRole("button", { name: "Create token" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("of the walk");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await dialog.getByText("Select at least one scope.").waitFor();
  await dialog.getByRole("checkbox", { name: "catalog:read" }).check();
  await dialog.getByRole("button", { name: "Create token" }).click();
  const secret = (await dialog.locator("code").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();

  const ask = async (path: string) =>
    (await fetch(`${origin}/api${path}`, { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.equal(await ask("/operator/catalog"), 200);
  assert.equal(await ask("/operator/accounts"), 403, "only what its scopes allow");
  const row = page.getByRole("row", { name: /of the walk/ });
  await row.getByRole("button", { name: "Revoke token" }).click();
  await dialog.getByRole("button", { name: "Revoke token" }).click();
  await row.getByText("Revoked", { exact: true }).waitFor();
  assert.equal(await ask("/operator/catalog"), 401);
  assert.deepEqual(mishaps.list, []);
});

test("the installation's name and threshold are everybody's at once; its ledger is checked", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  const stranger = await visit(context, origin);
  await stranger.page.goto("/models");
  await stranger.page.waitForURL(/\/sign-in\?back=/);
  await page.goto("/operator/settings");
  await page.getByLabel("Name", { exact: true }).fill("Piazza 🏛");
  await page.getByLabel("Public models and status").click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Piazza 🏛" }).first().waitFor();
  await stranger.page.goto("/models");
  await stranger.page.getByText("12 of 12 models").waitFor();
  await becomes(() => stranger.page.title(), /Piazza 🏛/);

  await page.goto("/operator/health");
  await page.getByRole("button", { name: "Run self-check" }).click();
  // The check runs in a process of its own.
  await page.getByText("Balanced", { exact: true }).first().waitFor({ timeout: 60_000 });
  assert.deepEqual([...mishaps.list, ...stranger.mishaps.list], []);
});

test("the settings name the file that was applied last, and what was changed in the console since", {
  skip: noBrowser,
}, async (context) => {
  const { product, link } = await freshStage(context);
  const file = join(product.folder, "team.yaml");
  await product.command(["export", "--out", file]);
  const text = readFileSync(file, "utf8");
  const named = text.replace(/^settings: .*$/m, 'settings: { name: "From the file", plazaIsPublic: false }');
  assert.notEqual(named, text);
  writeFileSync(file, named);

  const { page, mishaps } = await visit(context, product.origin);
  await page.goto(link);
  await page.getByLabel("Your name").fill("Ana Operator");
  await page.getByLabel("Email address").fill("ana@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create operator" }).click();
  await page.getByRole("button", { name: "Use demo" }).waitFor();
  await page.goto("/operator/settings");
  await page.getByText("Base URL", { exact: true }).waitFor();
  assert.equal(await page.getByText("Configuration file", { exact: true }).count(), 0, "none was applied");

  await product.command(["apply", file, "--adopt"]);
  await page.reload();
  await page.getByText("team.yaml", { exact: true }).waitFor();
  await page.getByText("No changes", { exact: true }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("By hand");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.reload();
  const since = page.getByRole("list", { name: "Changed in the console since" });
  await since.getByRole("listitem").filter({ hasText: "Changed settings" }).waitFor();
  await page.getByText("plaza apply team.yaml --dry-run").waitFor();
  assert.match(await product.command(["apply", file, "--dry-run"]), /By hand.*From the file/);
  await page.getByRole("link", { name: "Open audit log" }).click();
  await page.waitForURL(/\/operator\/audit$/);
  assert.deepEqual(mishaps.list, []);
});

test("models and upstreams of the console are changed and removed, in an order that keeps them whole", {
  skip: noBrowser,
}, async (context) => {
  const { product, link } = await freshStage(context);
  const { page, mishaps } = await visit(context, product.origin);
  await page.goto(link);
  await page.getByLabel("Your name").fill("Ana Operator");
  await page.getByLabel("Email address").fill("ana@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create operator" }).click();
  await page.getByRole("button", { name: "Use demo" }).click();
  await page.getByRole("button", { name: "Create key and send request" }).click();
  await page.getByText("It works").waitFor();
  const secretForm = /sk-plaza-[0-9A-Za-z]{38}/;
  await becomes(() => page.locator("main").textContent(), secretForm);
  const key = secretForm.exec((await page.locator("main").textContent()) ?? "")?.[0] ?? "";
  const dialog = page.getByRole("dialog");

  await page.goto("/operator/limits");
  await page.getByLabel("Requests per minute").first().fill("0");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Limits saved. Running servers use them within a second.").waitFor();
  const ask = async () => {
    const answer = await fetch(`${product.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "/echo x" }] }),
    });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return error === undefined ? "answered" : error.code;
  };
  await becomes(ask, "rate_limit_exceeded");
  await page.getByLabel("Requests per minute").first().fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await becomes(ask, "answered");

  await page.goto("/operator/upstreams");
  await page.getByRole("link", { name: "demo" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("Models use this upstream.").waitFor();
  mishaps.expect(400);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("alert").filter({ hasText: "Models use this upstream: demo" }).waitFor();
  const served = await dialog.getByRole("link").allTextContents();
  await dialog.getByRole("link", { name: "demo", exact: true }).click();
  await page.getByRole("heading", { name: "Demo (not a language model)" }).waitFor();
  await page.getByRole("button", { name: "Remove model", exact: true }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.waitForURL(/\/operator\/models$/);
  await becomes(ask, "model_not_found");
  // The demo has a model for each endpoint.
  for (const id of served.filter((name) => name !== "demo")) {
    await page.goto(`/operator/models/${id}`);
    await page.getByRole("button", { name: "Remove model", exact: true }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.waitForURL(/\/operator\/models$/);
  }
  await page.goto("/operator/upstreams/demo?view=settings");
  await page.getByLabel("Concurrent requests", { exact: true }).fill("3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changes saved. Running servers use them within a second.").waitFor();
  await page.getByRole("button", { name: "Remove upstream", exact: true }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No upstreams yet").waitFor();
  assert.deepEqual(mishaps.list, []);
});
