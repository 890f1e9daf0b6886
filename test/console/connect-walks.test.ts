/**
 * Connecting an upstream in the console: a wrong and a right credential, its models with prices and their
 * sources, and a call of a new model. The upstream is a mock configured as a service with known prices.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { completion } from "../behaviour/harness/openai-shapes.ts";
import { rootFolder } from "../rigs/harness/processes/processes.ts";
import { becomes, closeBrowser, noBrowser, visit } from "./browser.ts";
import { seededUsers } from "./seed/seed.ts";
import { makeKey, seededStage, signIn } from "./stage.ts";

const host = "api.deepseek.com";
const credential = "sk-of-the-walk-0123456789";
const ownModel = "own/model-of-the-walk";

interface PricedRow {
  readonly id: string;
  readonly price: { readonly input: string; readonly output: string };
  readonly source: string;
  readonly date: string;
}

/** A chat model of the service with a price in the shipped catalog. */
function pricedModel(): PricedRow {
  const shelf = JSON.parse(readFileSync(`${rootFolder}catalog/models/deepseek.json`, "utf8")) as {
    models: (PricedRow & { kind?: string; isDeprecated?: boolean; filled?: unknown })[];
  };
  const found = shelf.models.find(
    ({ kind, isDeprecated, price, filled }) =>
      kind === undefined && isDeprecated !== true && price !== undefined && filled === undefined,
  );
  assert.ok(found !== undefined);
  return found;
}

const known = pricedModel();
const asked: string[] = [];
const teams = new Set<unknown>();

/** Lists two models and answers calls for both, with the credential only. */
const upstream = createServer((request, response) => {
  teams.add(request.headers["x-team"]);
  const isKnown = request.headers.authorization === `Bearer ${credential}`;
  const say = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (!isKnown) return void say(401, { error: { message: "Incorrect API key", code: "invalid_api_key" } });
  if (request.method === "GET")
    return void say(200, {
      object: "list",
      data: [known.id, ownModel].map((id) => ({ id, object: "model", created: 1, owned_by: "walk" })),
    });
  let text = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  request.once("end", () => {
    asked.push((JSON.parse(text) as { model: string }).model);
    say(200, completion({ message: { content: "from the upstream" } }));
  });
});

const folder = mkdtempSync(join(tmpdir(), "plaza-walk-names-"));
before(() => new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done)));
after(async () => {
  upstream.closeAllConnections();
  await new Promise((done) => upstream.close(done));
  rmSync(folder, { recursive: true, force: true });
});
after(closeBrowser);

/** Environment that places the service on this machine. */
function serviceHere(): Record<string, string> {
  const file = join(folder, "names.mjs");
  writeFileSync(
    file,
    `import dns from "node:dns";
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name === ${JSON.stringify(host)} ? "127.0.0.1" : name, ...rest);
`,
  );
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` };
}

test("an upstream is connected with its models and prices, and answers", {
  skip: noBrowser,
}, async (context) => {
  const { origin } = await seededStage(context, 20, { env: serviceHere() });
  const { port } = upstream.address() as AddressInfo;
  const { page, mishaps } = await visit(context, origin);
  await signIn(page, seededUsers.operator);
  await page.goto("/operator/upstreams");
  await page.getByRole("link", { name: "Connect upstream" }).first().click();
  await page.getByRole("combobox", { name: "Service" }).click();
  await page.getByRole("combobox", { name: "Search" }).fill("deepseek");
  await page.getByRole("option", { name: "DeepSeek" }).click();
  const address = page.getByLabel("Base URL");
  await address.fill(`http://${host}:${port}/v1`);
  const secret = page.getByLabel("Credential", { exact: true });
  await page.getByText("Headers the server needs").click();
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Header name").fill("X-Team");
  await page.getByLabel("Header value").fill("of-the-walk");

  await secret.fill("sk-mistyped");
  mishaps.expect(400);
  await page.getByRole("button", { name: "Find models" }).click();
  await page.getByText(/rejects the credential \(401\)/).waitFor();
  await becomes(() => secret.getAttribute("aria-invalid"), "true", "it is said beside the field");
  assert.equal(await secret.inputValue(), "sk-mistyped");
  assert.equal(await address.inputValue(), `http://${host}:${port}/v1`, "nothing typed is lost");

  await secret.fill(credential);
  await page.getByRole("button", { name: "Find models" }).click();
  await page.getByRole("heading", { name: "2 models found" }).waitFor();
  const proposed = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("checkbox", { name: known.id, exact: true }) });
  const words = (await proposed.textContent()) ?? "";
  for (const part of [`$${known.price.input}`, `$${known.price.output}`, `${known.source}, ${known.date}`])
    assert.ok(words.includes(part), `${part} in ${words}`);
  assert.ok(await proposed.getByRole("checkbox").isChecked(), "what has a price is chosen");
  const unpriced = page.getByRole("listitem").filter({ hasText: ownModel });
  await unpriced.getByText("No known price").waitFor();
  assert.ok(!(await unpriced.getByRole("checkbox").isChecked()));
  await unpriced.getByRole("button", { name: "Set price" }).click();
  await unpriced.getByLabel("Input").fill("1.5");
  await unpriced.getByLabel("Output").fill("3");
  await page.getByText("2 models selected").waitFor();
  await page.getByRole("button", { name: "Connect and publish models" }).click();
  await page.getByRole("heading", { name: "deepseek" }).waitFor();
  await page.getByText("deepseek connected").waitFor();
  assert.ok(!((await page.textContent("body")) ?? "").includes(credential), "the credential is not shown");

  await page.goto("/models");
  await page.getByRole("searchbox", { name: "Search models" }).fill(ownModel);
  await page.getByText("1 of 14 models").waitFor();
  await page.getByRole("link", { name: ownModel }).first().click();
  await page.getByText("$1.50").first().waitFor();

  const key = await makeKey(page, "of the walk");
  const call = async (model: string) => {
    const answer = await fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
    });
    return `${answer.status} ${await answer.text()}`;
  };
  await becomes(() => call(ownModel), /^200 .*from the upstream/);
  await becomes(() => call(known.id), /^200 .*from the upstream/);
  assert.deepEqual(asked, [ownModel, known.id]);
  assert.deepEqual([...teams], ["of-the-walk"], "every call carries the header");
  await page.goto("/requests");
  await page.getByRole("row").filter({ hasText: ownModel }).first().waitFor();
  assert.deepEqual(mishaps.list, []);
});
