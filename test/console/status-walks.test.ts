/**
 * The truth at a glance: an upstream that dies is one incident for the operator, who tests it at once, and a
 * plain sentence for visitors; what describes a page to search engines is no script to the browser.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { seededStage, signIn } from "./stage.ts";

after(closeBrowser);

test("an upstream that dies is one incident, tested at once, and a sentence for visitors", {
  skip: noBrowser,
}, async (context) => {
  const upstream = await startScriptedUpstream();
  let isUp = true;
  const stop = async (): Promise<void> => {
    if (isUp) await upstream.stop();
    isUp = false;
  };
  context.after(stop);
  const { origin, product } = await seededStage(context, 60, { upstreamUrl: upstream.baseUrl });
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/settings");
  await page.getByLabel("Public models and status").click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();

  const stranger = await visit(context, origin);
  await stranger.page.goto("/status");
  await stranger.page.getByText("All models are available", { exact: true }).waitFor();
  await stranger.page
    .getByRole("img", { name: /^Last 24 hours, in half hours: / })
    .first()
    .waitFor();
  const get = stranger.page.getByRole("main").getByRole("link", { name: "Get a key" });
  assert.equal(await get.getAttribute("href"), "/sign-in?back=%2Fkeys");
  // A data block within a strict policy: the browser has it, and refuses nothing.
  const data = stranger.page.locator('script[type="application/ld+json"]');
  assert.equal(JSON.parse((await data.textContent()) ?? "")["@type"], "WebPage");

  await stop();
  const { key } = await product.createKey(await product.createAccount());
  const body = JSON.stringify({ model: "aurora-mini", messages: [{ role: "user", content: "hi" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (let count = 0; count < 6; count += 1) {
    const { status } = await fetch(product.chatUrl, { method: "POST", headers, body });
    assert.equal(status, 502);
  }
  // The server keeps incidents for 5 seconds, and the page asks for them every 5.
  const late = { timeout: 30_000 };
  await stranger.page.getByText(/^Some models are (down|degraded)$/).waitFor(late);
  await stranger.page.getByText(/^Aurora Mini: (some )?requests (may )?fail$/).waitFor(late);
  assert.equal(await stranger.page.getByText("main").count(), 0, "no upstream is named");
  await stranger.page.goto("/models/aurora-mini");
  await stranger.page.getByRole("heading", { name: "Availability" }).waitFor();

  await page.goto("/operator/health");
  await page.getByText(/^main is unreachable: 1 model affected, next try /).waitFor();
  await page.getByRole("button", { name: "Test now: main" }).click();
  const result = page.getByText(/^It still fails\. /);
  await result.waitFor();
  // What was found stays while the incident is read again, also with the later start of one not kept yet.
  await page.route("**/api/operator/incidents", async (route) => {
    const response = await route.fetch();
    const read = (await response.json()) as { incidents: object[] };
    const incidents = read.incidents.map((one) => ({ ...one, startedAt: "2026-01-02T03:04:05.000Z" }));
    await route.fulfill({ response, json: { ...read, incidents } });
  });
  await page.getByText("Jan 2, 2026").first().waitFor();
  assert.equal(await result.count(), 1);
  await page.getByRole("heading", { name: "Past incidents" }).waitFor();
  assert.deepEqual([...mishaps.list, ...stranger.mishaps.list], []);
});
