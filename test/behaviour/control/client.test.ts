/**
 * `@plaza/client` as the release packs it: the example of its page runs with an operator token against the
 * product, its types accept what the API takes and nothing else, and refusals say what is wrong.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createPlazaClient, dataOf, PlazaError } from "../../../client/index.ts";
import { clientPackageFiles } from "../../../tools/release/client-package.ts";
import { rootFolder } from "../../rigs/harness/processes/processes.ts";
import { type Product, startProduct, temporaryFolder } from "../harness/product.ts";

const run = promisify(execFile);
const token = "operator-token-0123456789";
const folder = temporaryFolder();
let product: Product;

/** The package as npm would install it, with the program of its page beside it. */
function install(): void {
  const modules = join(folder, "node_modules");
  const home = join(modules, "@plaza/client");
  mkdirSync(home, { recursive: true });
  for (const [name, bytes] of clientPackageFiles("1.2.3")) writeFileSync(join(home, name), bytes);
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
    symlinkSync(join(rootFolder, "node_modules", name), join(modules, name));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "example.ts"), exampleOfPage());
}

function exampleOfPage(): string {
  const page = readFileSync(join(rootFolder, "client/README.md"), "utf8");
  return /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? assert.fail("no example");
}

before(async () => {
  install();
  product = await startProduct({ env: { PLAZA_OPERATOR_TOKEN: token } });
});
after(async () => {
  await product.stop();
  rmSync(folder, { recursive: true });
});

test("the page's example is the one in the repository, and runs", async () => {
  const own = readFileSync(join(rootFolder, "client/example.ts"), "utf8");
  assert.equal(own.replace(/^.*\n/, "").replace('"./index.ts"', '"@plaza/client"'), exampleOfPage());
  const env = { ...process.env, PLAZA_URL: product.origin, PLAZA_TOKEN: token };
  const { stdout } = await run(process.execPath, ["example.ts"], { cwd: folder, env });
  const made = JSON.parse(stdout);
  assert.equal(made.balance, "25.00");
  assert.deepEqual(made.limits, { requestsPerMinute: 60, tokensPerMinute: null, concurrency: null });
  const response = await fetch(`${product.baseUrl}/models`, {
    headers: { authorization: `Bearer ${made.secret}` },
  });
  assert.equal(response.status, 200, "the key works");
});

test("its types accept what the API takes, and nothing else", async () => {
  const sample = `
    import { createPlazaClient, dataOf } from "@plaza/client";
    const plaza = createPlazaClient({ baseUrl: "x", token: "y" });
    const { upstreams, models } = dataOf(await plaza.GET("/api/operator/catalog"));
    export const names: string[] = upstreams.map(({ id }) => id).concat(models.map(({ id }) => id));
    const ended: undefined = dataOf(
      await plaza.DELETE("/api/operator/models/{id}", { params: { path: { id: "m" }, query: { revision: 1 } } }),
    );
    export const none = ended;
    // @ts-expect-error a path that is not there
    await plaza.GET("/api/operator/nothing");
    // @ts-expect-error a route that needs a session
    await plaza.GET("/api/keys");
    // @ts-expect-error a body without its name
    await plaza.POST("/api/operator/accounts", { body: {} });
    // @ts-expect-error an amount is a text
    await plaza.POST("/api/operator/accounts", { body: { name: "a", balance: 25 } });
  `;
  writeFileSync(join(folder, "sample.ts"), sample);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: "es2022", module: "nodenext", types: ["node"] },
    typeRoots: [join(rootFolder, "node_modules/@types")],
  };
  const settings = { compilerOptions, files: ["sample.ts", "example.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(rootFolder, "node_modules/.bin/tsc");
  const { stdout } = await run(compiler, ["-p", folder]).catch((error: { stdout: string }) => error);
  assert.equal(stdout, "");
});

test("a refusal is an error with its code and fields", async () => {
  const stranger = createPlazaClient({ baseUrl: `${product.origin}/`, token: "wrong-token" });
  await assert.rejects(
    async () => dataOf(await stranger.GET("/api/operator/catalog")),
    (error) => error instanceof PlazaError && error.status === 401 && error.code !== "",
  );
  const plaza = createPlazaClient({ baseUrl: product.origin, token });
  const made = dataOf(await plaza.POST("/api/operator/accounts", { body: { name: "Red" } }));
  const path = { id: made.id };
  await assert.rejects(
    async () =>
      dataOf(
        await plaza.POST("/api/operator/accounts/{id}/keys", {
          params: { path },
          body: { name: "k", ips: ["not an address"] },
        }),
      ),
    (error) => error instanceof PlazaError && error.fields[0]?.path === "ips.0",
  );
  const limits = { requestsPerMinute: 5, tokensPerMinute: null, concurrency: 2 };
  const body = { revision: made.revision, limits };
  const changed = dataOf(await plaza.PATCH("/api/operator/accounts/{id}", { params: { path }, body }));
  assert.deepEqual(changed.limits, limits);
  await assert.rejects(
    async () =>
      dataOf(
        await plaza.PATCH("/api/operator/accounts/{id}", {
          params: { path },
          body: { revision: made.revision, limits: { concurrency: 3 } },
        }),
      ),
    (error) => error instanceof PlazaError && error.code === "changed_meanwhile",
  );
});
