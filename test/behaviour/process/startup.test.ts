/**
 * Failing starts: each ends soon, with its exit status and one line that says what to do, without a stack
 * trace or endless retries.
 */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { nodeBinary, rootFolder, runProcess, startProcess } from "../../rigs/harness/processes/processes.ts";
import { temporaryFolder } from "../harness/product.ts";

const plazaScript = `${rootFolder}server/bin/plaza.mjs`;
const folder = temporaryFolder();
let taken: Server;
let port = "";

before(async () => {
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  port = String((taken.address() as AddressInfo).port);
  writeFileSync(join(folder, "not-yaml.yaml"), "upstreams: [\nmodels: {");
  writeFileSync(
    join(folder, "no-upstream.yaml"),
    "upstreams: []\nmodels: [{ id: lost, deployments: [{ upstream: nobody, model: x }] }]",
  );
  writeFileSync(join(folder, "a-file"), "in the way");
  writeFileSync(
    join(folder, "sealed.yaml"),
    "upstreams: [{ id: main, provider: openai, baseUrl: 'http://127.0.0.1:9/v1', credentials: [secret] }]\nmodels: []",
  );
  const applied = ["apply", join(folder, "sealed.yaml"), "--data", join(folder, "first-machine")];
  await runProcess([plazaScript, ...applied]);
});
after(() => {
  taken.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Another machine's database, with this machine's data folder and key file. */
const othersDatabase = [
  ...["--data", join(folder, "second-machine")],
  ...["--database", `sqlite:${join(folder, "first-machine", "plaza.sqlite")}`],
];

interface BadStart {
  readonly name: string;
  readonly words: () => readonly string[];
  readonly env?: Record<string, string>;
  readonly code: number;
  readonly message: RegExp;
}

const anyPort = ["--port", "0"];
const data = ["--data", join(folder, "data")];

const badStarts: readonly BadStart[] = [
  {
    name: "the port is taken",
    words: () => ["--port", port, ...data],
    code: 1,
    message: /port \d+ .*--port/,
  },
  {
    name: "the port is taken, with workers",
    words: () => ["--port", port, ...data, "--workers", "2"],
    code: 1,
    message: /port \d+ .*--port/,
  },
  {
    name: "a catalog file that is not YAML",
    words: () => [...anyPort, ...data, "--catalog", join(folder, "not-yaml.yaml")],
    code: 1,
    message: /not-yaml\.yaml:\d+/,
  },
  {
    name: "a catalog that names an upstream it does not have",
    words: () => [...anyPort, ...data, "--catalog", join(folder, "no-upstream.yaml")],
    code: 1,
    message: /nobody/,
  },
  {
    name: "a catalog file that is not there",
    words: () => [...anyPort, ...data, "--catalog", join(folder, "absent.yaml")],
    code: 1,
    message: /absent\.yaml.*no such file/,
  },
  {
    name: "a file where the data folder belongs",
    words: () => [...anyPort, "--data", join(folder, "a-file")],
    code: 1,
    message: /a-file/,
  },
  {
    name: "a machine whose sealing key is not the installation's",
    words: () => ["--port", "0", ...othersDatabase],
    code: 1,
    message: /copy secret\.key .*plaza secret rotate/,
  },
  {
    name: "the same with a catalog, which would seal the shared credentials anew",
    words: () => ["--port", "0", ...othersDatabase, "--catalog", join(folder, "sealed.yaml")],
    code: 1,
    message: /copy secret\.key .*plaza secret rotate/,
  },
  { name: "a port that is none", words: () => ["--port", "eighty", ...data], code: 2, message: /"eighty"/ },
  {
    name: "a misspelled setting",
    words: () => [...anyPort, ...data],
    env: { PLAZA_PROT: "1" },
    code: 2,
    message: /PLAZA_PROT.*PLAZA_PORT/,
  },
  {
    name: "an option there is none of",
    words: () => [...anyPort, "--prot", "1"],
    code: 2,
    message: /--prot/,
  },
];

for (const { name, words, env, code, message } of badStarts) {
  test(name, async () => {
    const running = startProcess(nodeBinary, [plazaScript, "serve", "--host", "127.0.0.1", ...words()], env);
    const timer = setTimeout(() => running.child.kill("SIGKILL"), 10_000);
    const ended = await running.ended;
    clearTimeout(timer);
    assert.equal(ended, code, `${running.stdout()}${running.stderr()}`.slice(0, 1_000));
    assert.match(running.stderr(), message);
    assert.doesNotMatch(running.stderr(), /\n\s+at /);
    assert.equal(running.stdout(), "");
  });
}
