/** Everyday use: chat, compare two models, limit a key, change a password, follow an old link. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, settled, visit } from "./browser.ts";
import { seededPassword, seededUsers } from "./seed/seed.ts";
import { fillSignIn, sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(60);
after(closeBrowser);

/** Sends a message in the playground. */
async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("a conversation goes on, is stopped, changed and begun anew", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/playground?model=demo");
  await say(page, "/slow 0\n/echo the first answer");
  await page.getByText("the first answer", { exact: true }).waitFor();
  await page.getByText("This conversation: 1 request").waitFor();
  await say(page, `/slow 400\n/echo never ${"whole ".repeat(60)}`);
  await page.getByText(/^never/).waitFor();
  // The record of a disconnected request is written a moment later.
  mishaps.expect(404);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped by you").waitFor();

  await page.getByRole("button", { name: "Edit" }).last().click();
  const edited = page.locator("article").last().getByRole("textbox", { name: "Message" });
  await edited.fill("/slow 0\n/echo whole now");
  await page.getByRole("button", { name: "Send edited message" }).click();
  await page.getByText("whole now", { exact: true }).waitFor();
  await page.getByText("Stopped by you").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Regenerate" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Continue from here?" });
  await dialog.getByRole("button", { name: "Continue from here" }).click();
  await page.getByText("whole now", { exact: true }).waitFor({ state: "detached" });
  await page.getByText("the first answer", { exact: true }).waitFor();
  await page.getByText("This conversation: 4 requests").waitFor();

  await page.getByRole("button", { name: "Code" }).last().click();
  await page.getByRole("dialog", { name: "Request as code" }).getByText("PLAZA_API_KEY").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New chat" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New chat" }).click();
  await page.getByText("No messages yet").waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a reload keeps the conversation, prompts are kept and shared, and models answer beside each other", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/playground?model=demo");
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("/slow 0\n/echo kept over a reload");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("kept over a reload", { exact: true }).last().waitFor();
  await message.fill("a draft");
  await page.reload();
  await page.getByText("kept over a reload", { exact: true }).last().waitFor();
  await becomes(() => message.inputValue(), "a draft");

  await page.getByRole("button", { name: "Prompts" }).click();
  const prompts = page.getByRole("dialog", { name: "Saved prompts" });
  await prompts.getByLabel("Prompt name").fill("of the walk");
  await prompts.getByRole("button", { name: "Save prompt" }).click();
  await prompts.getByText("of the walk").waitFor();
  await page.keyboard.press("Escape");
  await message.fill("something else");
  await page.getByRole("button", { name: "Prompts" }).click();
  await prompts.getByRole("button", { name: "Use prompt of the walk" }).click();
  await becomes(() => message.inputValue(), "a draft");

  await page.getByRole("button", { name: "Share" }).click();
  const share = page.getByRole("dialog", { name: "Share prompt" });
  const link = await share.getByLabel("Link").inputValue();
  assert.match(link, /\/playground#prompt=[\w-]+$/);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Open in code" }).click();
  const code = page.getByRole("dialog", { name: "Request as code" });
  for (const name of ["Anthropic SDK", "Google Gen AI SDK", "LangChain", "Vercel AI SDK"]) {
    await code.getByText(name, { exact: true }).click();
    await code.getByText("PLAZA_API_KEY").first().waitFor();
  }
  await page.keyboard.press("Escape");

  await page.goto("about:blank");
  await page.goto(link);
  await page.getByText("Prompt loaded from the link").first().waitFor();
  await becomes(() => message.inputValue(), "a draft");
  await page.waitForURL(/\/playground\?model=demo$/);

  await page.getByRole("combobox", { name: "Add model" }).first().click();
  await page.getByRole("option", { name: "Aurora Mini" }).click();
  await page.waitForURL(/model=demo&model=aurora-mini/);
  mishaps.expect(502);
  mishaps.expect(503);
  await message.fill("/slow 0\n/echo to both of them");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("to both of them", { exact: true }).last().waitFor();
  await page.getByText("The model is not responding.").waitFor();
  await page.getByRole("button", { name: "Remove Aurora Mini from the comparison" }).click();
  await page.getByText("The model is not responding.").waitFor({ state: "detached" });
  assert.deepEqual(mishaps.list, []);
});

test("two models are tried beside each other; one of them fails alone", {
  skip: noBrowser,
}, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/models/demo");
  await page.getByRole("tab", { name: "Try model" }).click();
  await page.getByLabel("Prompt").fill("/slow 0\n/echo beside each other");
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: "Aurora Mini" }).click();
  mishaps.expect(502);
  mishaps.expect(503);
  await page.getByRole("button", { name: "Run both models" }).click();
  await page.getByText("beside each other", { exact: true }).last().waitFor();
  await page.getByText("The model is not responding.").waitFor();
  await page.getByText("Free").or(page.getByText("$0.0")).first().waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("a key is kept to one model and a budget, switched off and on", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.quiet);
  await page.goto("/keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Enter a name.").waitFor();
  await dialog.getByLabel("Name").fill("in bounds");
  await dialog.getByRole("button", { name: "Limits, models, addresses, project and tags" }).click();
  await dialog.getByText("Selected models").click();
  await dialog.getByLabel("Budget").fill("lots");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Select at least one model, or all models.").waitFor();
  await dialog.getByText("Enter an amount in US dollars with at most nine decimals").waitFor();
  await dialog.getByLabel("Budget").fill("2.50");
  await dialog.getByRole("combobox", { name: "Select models" }).click();
  await page.getByRole("option", { name: "Demo" }).click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const secret =
    (await page
      .getByText(/^sk-plaza-[0-9A-Za-z]{38}$/)
      .first()
      .textContent()) ?? "";
  await page.getByRole("button", { name: "I have copied the key" }).click();

  const call = async (model: string) => {
    const answer = await fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "/slow 0\n/echo x" }] }),
    });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return error === undefined ? "answered" : error.code;
  };
  assert.equal(await call("demo"), "answered");
  assert.equal(await call("aurora-mini"), "model_not_allowed");
  await page.getByRole("link", { name: "in bounds" }).click();
  await page.getByText("$2.50 per month").first().waitFor();
  await page.getByRole("button", { name: "Disable key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable key" }).click();
  await page.getByRole("button", { name: "Enable key" }).waitFor();
  await becomes(() => call("demo"), "api_key_disabled");
  await page.getByRole("button", { name: "Enable key" }).click();
  await page.getByRole("button", { name: "Disable key" }).waitFor();
  await becomes(() => call("demo"), "answered");
  assert.deepEqual(mishaps.list, []);
});

test("a changed password ends the other sessions; the notice of a low balance is one's own", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const other = await visit(context, origin);
  await signIn(other.page, seededUsers.broke);
  await other.page.goto("/");
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.broke);
  await page.goto("/billing");
  await page.getByLabel("Alert threshold").fill("a lot");
  const save = page.getByRole("button", { name: "Save" });
  await save.click();
  await page.getByText("Enter an amount in US dollars with at most nine decimals").waitFor();
  await page.getByLabel("Alert threshold").fill("1");
  await save.click();
  await page.getByText("Low balance").waitFor();

  await page.goto("/profile");
  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill("a battery of horses");
  mishaps.expect(400);
  mishaps.expect(401);
  mishaps.expect(403);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.locator("[aria-invalid=true]").or(page.getByRole("alert")).first().waitFor();
  await becomes(() => page.getByLabel("New password").inputValue(), "a battery of horses", "nothing is lost");
  await page.getByLabel("Current password").fill(seededPassword);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed").waitFor();
  await becomes(() => page.getByLabel("New password").inputValue(), "");
  await page.goto("/keys");
  await page.getByText("trial", { exact: true }).first().waitFor();

  other.mishaps.expect(401);
  await other.page.getByRole("link", { name: "Usage", exact: true }).click();
  await other.page.getByRole("dialog", { name: "Your session has expired" }).waitFor();
  await other.page.getByRole("button", { name: "Sign out" }).click();
  await other.page.waitForURL(/\/sign-in$/);
  await fillSignIn(other.page, seededUsers.broke, "a battery of horses");
  await other.page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual([...mishaps.list, ...other.mishaps.list], []);
});

/** A link with wrong values, as an old or a mistyped one, and what the page shows with its defaults. */
interface BadLink {
  readonly path: string;
  readonly title: string;
  /** A selected tab, option or radio button. */
  readonly chosen: string;
}

const badLinks: readonly BadLink[] = [
  { path: "/?period=never&zone=Moon/Crater", title: "Overview", chosen: "7 days" },
  { path: "/models?view=cube&status=sleeping&operation=dance&sort=%00", title: "Models", chosen: "Cards" },
  { path: "/models/aurora-mini?tab=nonsense&lang=cobol", title: "Aurora Mini", chosen: "Try model" },
  {
    path: "/usage?period=never&operation=dance&measure=weight&view=sphere",
    title: "Usage",
    chosen: "30 days",
  },
  { path: "/usage/explore?by=colour&grain=year&measure=x", title: "Explore usage", chosen: "By day" },
  { path: "/requests?period=9d&operation=dance&sort=x", title: "Requests", chosen: "All time" },
  { path: "/billing?ledger=weeks&period=x&kind=gift", title: "Billing", chosen: "All entries" },
  { path: "/members?tab=robots&new=yes", title: "Members", chosen: "Members" },
  { path: "/operator/users?status=asleep&rights=all", title: "Users", chosen: "All statuses" },
  { path: "/operator/upstreams/main?view=x", title: "main", chosen: "State" },
  { path: "/operator/settings?view=x&set=y", title: "Settings", chosen: "Installation" },
];

/** The texts of what is chosen on the page. */
const chosenOn = (page: Page) =>
  page.evaluate(`[
    ...[...document.querySelectorAll("main select")].map((one) => one.selectedOptions[0]?.textContent),
    ...[...document.querySelectorAll('main [role="tab"][aria-selected="true"]')].map((one) => one.textContent),
    ...[...document.querySelectorAll("main input:checked")].map((one) => one.closest("label")?.textContent),
  ]`) as Promise<string[]>;

test("a link with wrong values shows the page with its defaults", { skip: noBrowser }, async (context) => {
  const { page, mishaps } = await visit(context, stage().origin);
  await signIn(page, seededUsers.operator);
  for (const { path, title, chosen } of badLinks) {
    await page.goto(path);
    await settled(page);
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    const isChosen = async () => (await chosenOn(page)).includes(chosen);
    await becomes(isChosen, true, `${path}: ${chosen}`);
    assert.equal(await page.getByRole("alert").count(), 0, path);
    assert.deepEqual(mishaps.list, [], path);
  }
});
