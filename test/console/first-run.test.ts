/**
 * The first run: from the printed link to the first completion, in three screens; afterwards the link is
 * invalid.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { fillSignIn, freshStage } from "./stage.ts";

after(closeBrowser);

test("from the printed link to the first completion, with the demo", { skip: noBrowser }, async (context) => {
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
  const text = () => page.locator("main").textContent();
  await becomes(text, /You said:/, "the demo's answer is there");
  await becomes(text, /sk-plaza-[0-9A-Za-z]{38}/, "the key is shown, once");
  await becomes(async () => (await text())?.includes(`${product.origin}/v1`), true, "the base URL is shown");
  await becomes(text, /curl/);
  await page.getByRole("link", { name: "Go to console" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual(mishaps.list, []);
  assert.equal((await product.requests()).length, 1, "one call was made, and is on record");

  const stranger = await visit(context, product.origin);
  stranger.mishaps.expect(409);
  await stranger.page.goto(link);
  await stranger.page.getByText("This link has been used").waitFor();
  assert.deepEqual(stranger.mishaps.list, []);
});

test("who is sent to sign in comes back to the same place", { skip: noBrowser }, async (context) => {
  const { product, link } = await freshStage(context);
  const { page } = await visit(context, product.origin);
  const token = link.split("/").at(-1) as string;
  const made = await page.request.post(`/api/links/${token}`, {
    data: { name: "Ana", email: "ana@example.com", password: "correct horse battery" },
  });
  assert.equal(made.status(), 200);
  await page.context().clearCookies();
  await page.goto("/usage?by=model");
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel("Email address").fill("ana@example.com");
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Incorrect email address, password or code.").waitFor();
  await becomes(
    () => page.getByLabel("Email address").inputValue(),
    "ana@example.com",
    "nothing typed is lost",
  );
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/usage\?by=model/);
  await page.context().clearCookies();
  await page.goto("/sign-in");
  await fillSignIn(page, "ana@example.com");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
});
