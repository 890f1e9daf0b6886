/** Access to the console: invitations, reset links, roles, removals, sessions ended elsewhere. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededPassword, seededUsers } from "./seed/seed.ts";
import { fillSignIn, sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(60);
after(closeBrowser);

/** The link in the dialog, shown once. */
async function shownLink(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  const text = (await dialog.locator("code").textContent()) ?? "";
  assert.match(text, /^http:\/\/127\.0\.0\.1:\d+\/link\/\S+$/);
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  return text;
}

test("who is invited sets a password and is in; the link is dead then", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const owner = await visit(context, origin);
  await signIn(owner.page, seededUsers.broke);
  await owner.page.goto("/members");
  await owner.page.getByRole("button", { name: "Invite member" }).click();
  await owner.page.getByLabel("Email address").fill("new@example.com");
  await owner.page.getByRole("button", { name: "Create invite link" }).click();
  const link = await shownLink(owner.page);
  await owner.page.getByRole("tab", { name: "Invitations" }).click();
  await owner.page.getByRole("row", { name: "new@example.com" }).waitFor();

  const { page, mishaps } = await visit(context, origin);
  await page.goto(link);
  await page.getByText("You were invited as a member of the account.").waitFor();
  await page.getByLabel("Your name").fill("Nora New");
  await page.getByLabel("Password", { exact: true }).fill("short");
  mishaps.expect(400);
  await page.getByRole("button", { name: "Join" }).click();
  await page
    .getByText(/10 characters/)
    .nth(1)
    .waitFor();
  assert.equal(await page.getByLabel("Your name").inputValue(), "Nora New", "nothing typed is lost");
  await page.getByLabel("Password", { exact: true }).fill("a password of Nora's");
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();

  const stranger = await visit(context, origin);
  stranger.mishaps.expect(409);
  await stranger.page.goto(link);
  await stranger.page.getByText("This link has been used").waitFor();
  await stranger.page.getByRole("link", { name: "Sign in" }).click();
  await fillSignIn(stranger.page, "new@example.com", "a password of Nora's");
  await stranger.page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual([...owner.mishaps.list, ...mishaps.list, ...stranger.mishaps.list], []);
});

test("the operator invites an owner of an account; a withdrawn invitation is dead", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const operator = await visit(context, origin);
  await signIn(operator.page, seededUsers.operator);
  const dialog = operator.page.getByRole("dialog");
  const invite = async (email: string) => {
    await operator.page.goto("/operator/users");
    await operator.page.getByRole("link", { name: "Invite user" }).click();
    await dialog.getByLabel("Email address").fill(email);
    await dialog.getByRole("combobox", { name: "Account" }).click();
    await operator.page.getByRole("option", { name: "Quiet GmbH" }).click();
    await dialog.getByRole("button", { name: "Create invite link" }).click();
    await operator.page.getByRole("dialog", { name: `Link for ${email}` }).waitFor();
    return await shownLink(operator.page);
  };
  const link = await invite("second-owner@example.com");
  const { page, mishaps } = await visit(context, origin);
  await page.goto(link);
  await page.getByRole("heading", { name: "Join Quiet GmbH" }).waitFor();
  await page.getByText("You were invited as an owner of the account.").waitFor();
  await page.getByLabel("Your name").fill("Sandra Second");
  await page.getByLabel("Password", { exact: true }).fill(seededPassword);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goto("/members");
  await page.getByRole("row", { name: /Sandra Second.*Owner/ }).waitFor();

  const withdrawn = await invite("nobody@example.com");
  await operator.page.getByRole("tab", { name: "Open invitations" }).click();
  const row = operator.page.getByRole("row", { name: /nobody@example.com/ });
  await row.getByRole("button", { name: "Withdraw invitation" }).click();
  await dialog.getByRole("button", { name: "Withdraw invitation" }).click();
  await row.waitFor({ state: "detached" });
  const stranger = await visit(context, origin);
  stranger.mishaps.expect(404);
  await stranger.page.goto(withdrawn);
  await stranger.page.getByText("This link is invalid").waitFor();
  assert.deepEqual([...operator.mishaps.list, ...mishaps.list, ...stranger.mishaps.list], []);
});

test("a reset link works once and ends the sessions there were", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const former = await visit(context, origin);
  await signIn(former.page, seededUsers.quiet);
  await former.page.goto("/usage");

  const operator = await visit(context, origin);
  await signIn(operator.page, seededUsers.operator);
  await operator.page.goto("/operator/users");
  await operator.page.getByRole("link", { name: "Quentin Quiet" }).click();
  await operator.page.getByRole("button", { name: "Create reset link" }).click();
  await operator.page.getByRole("dialog").getByRole("button", { name: "Create reset link" }).click();
  await operator.page.getByRole("dialog", { name: /^Reset link for/ }).waitFor();
  const link = await shownLink(operator.page);

  const { page, mishaps } = await visit(context, origin);
  await page.goto(link);
  await page.getByLabel("Password", { exact: true }).fill("another horse battery");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  mishaps.expect(409);
  await page.goto(link);
  await page.getByText("This link has been used").waitFor();

  former.mishaps.expect(401);
  await former.page.getByRole("link", { name: "Keys", exact: true }).click();
  const expired = former.page.getByRole("dialog", { name: "Your session has expired" });
  await expired.getByLabel("Password", { exact: true }).fill(seededPassword);
  await expired.getByRole("button", { name: "Sign in", exact: true }).click();
  await expired.getByText("Incorrect email address, password or code.").waitFor();
  await expired.getByLabel("Password", { exact: true }).fill("another horse battery");
  await expired.getByRole("button", { name: "Sign in", exact: true }).click();
  await former.page.getByText("production", { exact: true }).first().waitFor();
  assert.deepEqual([...former.mishaps.list, ...operator.mishaps.list, ...mishaps.list], []);
});

test("an owner changes a member's role and removes a member, whose open page is shown out", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const member = await visit(context, origin);
  await signIn(member.page, seededUsers.member);
  await member.page.goto("/members");
  await member.page.getByRole("row", { name: /Mira Member/ }).waitFor();
  assert.equal(await member.page.getByRole("button", { name: "Invite member" }).count(), 0);

  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/members");
  const row = page.getByRole("row", { name: /Mira Member/ });
  const choose = async (act: string) => {
    await row.getByRole("button", { name: "More actions for Mira Member" }).click();
    await page.getByRole("menuitem", { name: act }).click();
  };
  const dialog = page.getByRole("dialog");
  const answer = async (act: string) => {
    await dialog.getByRole("button", { name: act }).click();
    await dialog.waitFor({ state: "detached" });
  };

  // A change of role ends their sessions, so that the next one has the new rights.
  member.mishaps.expect(401);
  await choose("Make owner");
  await answer("Make owner");
  await row.getByText("Owner", { exact: true }).waitFor();
  await signIn(member.page, seededUsers.member);
  await member.page.goto("/members");
  await member.page.getByRole("button", { name: "Invite member" }).waitFor();
  await choose("Make member");
  await answer("Make member");
  await row.getByText("Member", { exact: true }).waitFor();
  await signIn(member.page, seededUsers.member);
  await member.page.goto("/members");

  await choose("Remove");
  await dialog.getByText("Plaza signs this user out immediately").waitFor();
  await answer("Cancel");
  assert.equal(await row.count(), 1, "nothing is done before the answer");
  await choose("Remove");
  await answer("Remove");
  await row.waitFor({ state: "detached" });

  await member.page.getByRole("link", { name: "Keys", exact: true }).click();
  const expired = member.page.getByRole("dialog", { name: "Your session has expired" });
  await expired.getByLabel("Password", { exact: true }).fill(seededPassword);
  await expired.getByRole("button", { name: "Sign in", exact: true }).click();
  await expired.getByText("Incorrect email address, password or code.").waitFor();
  await expired.getByRole("button", { name: "Sign out" }).click();
  await member.page.waitForURL(/\/sign-in$/);
  assert.deepEqual([...mishaps.list, ...member.mishaps.list], []);
});

test("a session that ended elsewhere: sign in over the page, and what was typed is saved", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.broke);
  await page.goto("/keys");
  await page.getByRole("link", { name: "trial" }).click();
  await page.getByLabel("Name", { exact: true }).fill("trial, renamed");
  const here = page.url();

  const elsewhere = await visit(context, origin);
  await signIn(elsewhere.page, seededUsers.broke);
  await elsewhere.page.goto("/profile");
  await elsewhere.page.getByRole("button", { name: "End other sessions" }).click();
  await elsewhere.page.getByRole("dialog").getByRole("button", { name: "End other sessions" }).click();
  await elsewhere.page.getByText(/sessions? ended/).waitFor();

  mishaps.expect(401);
  await page.getByRole("button", { name: "Save changes" }).click();
  const expired = page.getByRole("dialog", { name: "Your session has expired" });
  await becomes(() => expired.getByLabel("Email address").inputValue(), seededUsers.broke);
  await expired.getByLabel("Password", { exact: true }).fill(seededPassword);
  await expired.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "trial, renamed" }).waitFor();
  await expired.waitFor({ state: "detached" });
  assert.equal(page.url(), here);
  const name = page.getByLabel("Name", { exact: true });
  await becomes(() => name.inputValue(), "trial, renamed");
  await page.reload();
  await becomes(() => name.inputValue(), "trial, renamed");
  assert.deepEqual([...mishaps.list, ...elsewhere.mishaps.list], []);
});
