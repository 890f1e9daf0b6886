import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type PostgresServer, startPostgres } from "./server.ts";

/** True when a process with this id is running and is not a zombie. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux" || !existsSync(`/proc/${pid}/stat`)) return process.platform !== "linux";
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

async function newServer(context: TestContext): Promise<PostgresServer> {
  const server = await startPostgres();
  context.after(() => server.close());
  return server;
}

test("a server syncs, listens on this machine only, and comes back after every kind of end", async (context) => {
  const server = await newServer(context);
  assert.deepEqual(await server.query("show fsync"), [{ fsync: "on" }]);
  assert.deepEqual(await server.query("show listen_addresses"), [{ listen_addresses: "127.0.0.1" }]);
  await server.query("create table kept (id int)");
  for (const end of [server.stop, server.kill]) {
    const pid = server.pid();
    assert.ok(pid !== undefined && isRunning(pid));
    await end();
    assert.equal(server.pid(), undefined);
    assert.ok(!isRunning(pid));
    await assert.rejects(server.query("select 1"), { code: "ECONNREFUSED" });
    await server.start();
    assert.deepEqual(await server.query("select * from kept"), []);
  }
  const before = server.pid();
  await server.restart();
  assert.notEqual(server.pid(), before);
});

test("a database given back is empty and without sessions when it is given out again", async (context) => {
  const server = await newServer(context);
  const url = await server.newDatabase();
  const name = new URL(url).pathname.slice(1);
  await server.query("create table left_behind (id int)", name);
  await server.freeDatabase(url);
  assert.equal(await server.newDatabase(), url);
  assert.deepEqual(await server.query("select 1 from pg_tables where schemaname = 'public'", name), []);
  assert.notEqual(await server.newDatabase(), url);
});

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  test(`no server and no directory outlives a test that ends by ${signal}`, async () => {
    const script = `
      const { startPostgres } = await import(${JSON.stringify(new URL("./server.ts", import.meta.url).href)});
      const server = await startPostgres();
      const [{ data_directory: directory }] = await server.query("show data_directory");
      console.log(JSON.stringify({ pid: server.pid(), directory }));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(child.stdout), "line");
    const { pid, directory } = JSON.parse(line) as { pid: number; directory: string };
    assert.ok(isRunning(pid) && existsSync(directory));
    child.kill(signal);
    await once(child, "exit");
    while (isRunning(pid) || existsSync(directory)) await setTimeout(20);
  });
}
