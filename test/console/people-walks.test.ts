/**
 * What users change for themselves: second factor, language and theme; also on a phone, and with the keyboard
 * only.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { generate } from "otplib";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededPassword, seededUsers } from "./seed/seed.ts";
import { fillSignIn, sharedStage, signIn } from "./stage.ts";

/** Shared by all tests of the file, which use different items. */
const stage = sharedStage(60);
after(closeBrowser);

test("a second factor is asked for from then on", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.member);
  await page.goto("/profile");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByLabel("Your password").fill(seededPassword);
  await page.getByRole("button", { name: "Continue" }).click();
  const secret =
    (
      await page
        .getByText(/^[A-Z2-7 ]{16,}$/)
        .first()
        .textContent()
    )?.replaceAll(" ", "") ?? "";
  await page.getByLabel("Authentication code").fill(await generate({ secret }));
  await page.getByRole("dialog").getByRole("button").last().click();
  await page.getByText("Your recovery codes").waitFor();
  const codes = () => page.getByRole("dialog").textContent();
  const codeForm = /[0-9a-z]{4}(?:-[0-9a-z]{4}){3}/;
  await becomes(codes, codeForm);
  const recovery = codeForm.exec((await codes()) ?? "")?.[0] ?? "";
  await page.getByRole("button", { name: "I have saved these codes" }).click();
  await page.context().clearCookies();
  mishaps.expect(401);
  await page.goto("/sign-in");
  await fillSignIn(page, seededUsers.member);
  await page.getByLabel("Code").fill(recovery);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  assert.deepEqual(mishaps.list, []);
});

test("language and theme are kept with the user", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.broke);
  const session = (await (await page.request.get("/api/session")).json()) as { csrfToken: string };
  await page.request.patch("/api/profile", {
    data: { language: "zh", theme: "dark" },
    headers: { "x-plaza-csrf": session.csrfToken },
  });
  await page.goto("/models");
  await page.getByRole("heading", { name: "模型" }).waitFor();
  await becomes(() => page.evaluate("document.documentElement.lang.slice(0, 2)"), "zh");
  const isDark = async () => {
    const background = (await page.evaluate("getComputedStyle(document.body).backgroundColor")) as string;
    const parts = (background.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    return parts.reduce((sum, part) => sum + part, 0) < 300;
  };
  await becomes(isDark, true, "the page is dark");
  assert.deepEqual(mishaps.list, []);
});

test("Japanese, chosen on one device, is there on another", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const first = await visit(context, origin);
  await signIn(first.page, seededUsers.operator);
  await first.page.goto("/profile");
  const saved = first.page.waitForResponse("**/api/profile");
  await first.page.getByText("日本語", { exact: true }).click();
  assert.equal((await saved).status(), 200);
  await first.page.getByRole("heading", { name: "プロフィール" }).waitFor();
  const second = await visit(context, origin);
  await signIn(second.page, seededUsers.operator);
  await second.page.goto("/profile");
  await second.page.getByRole("heading", { name: "プロフィール" }).waitFor();
  assert.equal(await second.page.evaluate("document.documentElement.lang"), "ja-JP");
  assert.deepEqual([first.mishaps.list, second.mishaps.list], [[], []]);
});

test("a call can be made with the keyboard alone", { skip: noBrowser }, async (context) => {
  const { origin } = stage();
  const { page, mishaps } = await visit(context, origin);
  await page.goto("/sign-in");
  await page.getByLabel("Email address").waitFor();
  const focused = () =>
    page.evaluate(
      "(document.activeElement?.getAttribute('aria-label') ?? '') + (document.activeElement?.textContent ?? '')",
    );
  const tabTo = async (words: RegExp) => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (words.test(String(await focused()))) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`no ${words} is reached with the Tab key`);
  };
  await page.getByLabel("Email address").focus();
  await page.keyboard.type(seededUsers.quiet);
  await page.keyboard.press("Tab");
  await page.keyboard.type(seededPassword);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await tabTo(/^Playground$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  await page.goto("/playground?model=demo");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  await tabTo(/^Message/);
  await page.keyboard.type("/echo typed");
  await page.locator("button:enabled", { hasText: "Send" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("typed", { exact: true }).last().waitFor();
  assert.deepEqual(mishaps.list, []);
});
