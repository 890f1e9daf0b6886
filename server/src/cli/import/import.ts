/** `plaza import`: makes a catalog file of another gateway's configuration, and tells what is not in it. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import type { CommandIo } from "../command-io.ts";
import { readText, replaceText } from "../connect/file.ts";
import { CommandFailure } from "../failure.ts";
import { counted, writeJson } from "../output.ts";
import { addStoreSettings, loadSecretKey } from "../with-store.ts";
import type { Draft, DraftKey, LeftOut } from "./draft.ts";

interface ImportFlags {
  readonly out?: string;
  readonly json?: boolean;
  readonly keyEnv?: string;
  readonly keys?: boolean;
}

const answerMs = 10_000;
const answerBytesMax = 20 * 1024 ** 2;

/** A running LiteLLM proxy: asks for paths below its address. */
type Proxy = (path: string) => Promise<unknown>;

/** Works with a proxy, which answers to its master key. */
async function withProxy<T>(
  io: CommandIo,
  address: string,
  keyEnv: string | undefined,
  work: (ask: Proxy) => Promise<T>,
): Promise<T> {
  const key = keyEnv === undefined ? undefined : io.env[keyEnv];
  if (key === undefined || key === "") {
    throw new CommandFailure(
      "no_key",
      "name the variable that holds the proxy's master key: --key-env LITELLM_MASTER_KEY",
      2,
    );
  }
  const { nodeClients } = await import("../../app/outbound.ts");
  const { GetError, getWhole } = await import("../../connect/get-whole.ts");
  const { readSettings } = await import("../settings-options.ts");
  const { parseJson } = await import("../../lib/record.ts");
  const url = new URL(address);
  const client = nodeClients(readSettings(io, {}, []))(url.origin, answerMs / 2, "");
  const ask: Proxy = async (path) => {
    const call = {
      path: `${url.pathname.replace(/\/+$/, "")}${path}`,
      headers: ["authorization", `Bearer ${key}`],
    };
    const { status, body } = await getWhole(client, call, { bytesMax: answerBytesMax, totalMs: answerMs });
    if (status === 200) return parseJson(body.toString("utf8"));
    const asked = path.replace(/\?.*$/, "");
    throw new CommandFailure(
      "refused",
      `${url.origin} answered ${status} at ${asked}: is the key its master key?`,
    );
  };
  try {
    return await work(ask);
  } catch (error) {
    if (!(error instanceof GetError)) throw error;
    throw new CommandFailure("unreachable", `${url.origin} does not answer (${error.code || error.reason})`);
  } finally {
    await client.close();
  }
}

/** Throws with what is wrong with the input. */
function reading<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CommandFailure(
      "unreadable",
      `${place}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Most pages of a hundred keys that are read. */
const keyPagesMax = 1_000;

async function addProxyKeys(draft: Draft, place: string, ask: Proxy): Promise<void> {
  const { addLitellmKey, readKeyPage } = await import("./litellm-keys.ts");
  for (let page = 1; page <= keyPagesMax; page += 1) {
    const answer = await ask(
      `/key/list?return_full_object=true&include_team_keys=true&size=100&page=${page}`,
    );
    const { rows, isLast } = reading(place, () => readKeyPage(answer, page));
    for (const row of rows) addLitellmKey(draft, row);
    if (isLast) return;
  }
  draft.leave("further keys", `more than ${keyPagesMax * 100} are not read`);
}

async function litellmDraft(io: CommandIo, place: string, { keyEnv, keys }: ImportFlags): Promise<Draft> {
  const { readLitellm, readLitellmModels } = await import("./litellm.ts");
  if (/^https?:\/\//.test(place)) {
    return await withProxy(io, place, keyEnv, async (ask) => {
      const answer = await ask("/model/info");
      const draft = reading(place, () => readLitellmModels(answer));
      if (keys === true) await addProxyKeys(draft, place, ask);
      return draft;
    });
  }
  if (keys === true)
    throw new CommandFailure(
      "not_supported",
      "the file has no keys; the running proxy lists them: give its address in place of the file",
      2,
    );
  const text = readFileSync(place, "utf8");
  return reading(place, () => readLitellm(text));
}

/** Resolves with the draft and the name of what it was made of. */
async function newApiDraft(place: string, { keys = false }: ImportFlags): Promise<[Draft, string]> {
  const { nameOfNewApi, readNewApiRows } = await import("./new-api-database.ts");
  const { readNewApi } = await import("./new-api.ts");
  return [readNewApi(await readNewApiRows(place, keys)), nameOfNewApi(place)];
}

/** Reads the text as `plaza apply` will, whatever the variables hold there. */
async function requireReadable(io: CommandIo, text: string): Promise<void> {
  const { readCatalogText } = await import("../apply.ts");
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => [name, "https-or-text"] as const);
  await readCatalogText({ ...io, env: { ...Object.fromEntries(names), ...io.env } }, text, "the new file");
}

function formatLeftOut(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return "Everything came along.\n";
  const lines = leftOut.map(({ what, why }) => `  ${what}\n    → ${why}`.replace(/[^\P{Cc}\n]/gu, "�"));
  return `Not in it, and what to do instead:\n${lines.join("\n")}\n`;
}

const keysIn = ({ accounts }: Draft): readonly DraftKey[] =>
  [...accounts.values()].flatMap(({ keys }) => keys);

/** Where tags of keys come from. */
const tagsFrom = "LiteLLM's metadata.tags, or the group of a new-api token";

function report(io: CommandIo, draft: Draft, unpriced: readonly string[], out: string | undefined): void {
  const upstreams = counted(draft.upstreams.length, "upstream", "upstreams");
  const models = counted(draft.models.size, "model", "models");
  const ofKeys =
    draft.accounts.size === 0
      ? ""
      : `, ${counted(draft.accounts.size, "account", "accounts")} with ${counted(keysIn(draft).length, "key", "keys")}`;
  io.err(`${upstreams} and ${models}${ofKeys}${out === undefined ? "" : ` are in ${out}`}.\n`);
  const tagged = keysIn(draft).filter(({ tags }) => tags !== undefined).length;
  if (tagged > 0) io.err(`${counted(tagged, "key keeps", "keys keep")} tags: ${tagsFrom}.\n`);
  if (unpriced.length > 0) {
    io.err(
      `Without a price, so listed and not served: ${unpriced.slice(0, 20).join(", ")}${unpriced.length > 20 ? " …" : ""}\n`,
    );
  }
  io.err(formatLeftOut(draft.leftOut));
  if (out !== undefined) io.err(`Next: look at it, then  npx plaza apply ${out} --dry-run\n`);
}

async function write(io: CommandIo, draft: Draft, from: string, options: ImportFlags): Promise<void> {
  const { catalogText } = await import("./catalog-text.ts");
  const { openModelCatalog } = await import("../../start/model-catalog-files.ts");
  const { sealCredential } = await import("../../start/sealed-credentials.ts");
  const hasTexts = draft.upstreams.some(({ credentials }) => credentials.some((one) => "text" in one));
  const key = hasTexts ? await loadSecretKey(io, options) : Buffer.alloc(0);
  const { text, unpriced } = catalogText(draft, {
    catalog: openModelCatalog(),
    nowMs: io.clock.wallMs(),
    seal: (plain, upstream) => sealCredential(plain, upstream, key),
    from,
  });
  await requireReadable(io, text);
  if (options.out !== undefined) {
    if (readText(options.out) !== undefined) {
      throw new CommandFailure("exists", `${options.out} is there already: give another name with --out`);
    }
    replaceText(options.out, undefined, text);
  }
  if (options.json === true) {
    const { leftOut } = draft;
    writeJson(io, {
      upstreams: draft.upstreams.length,
      models: draft.models.size,
      accounts: draft.accounts.size,
      keys: keysIn(draft).length,
      unpriced,
      leftOut,
      ...(options.out === undefined ? { text } : { file: options.out }),
    });
    return;
  }
  if (options.out === undefined) io.out(text);
  report(io, draft, unpriced, options.out);
}

const more = `
Makes a catalog file (docs/operate/catalog.md) of the models, deployments, fallbacks and prices of another gateway, and tells
what is not in it and what to do instead. Nothing is applied: look at the file first. Credentials in variables stay
variables; others are sealed, so that only this installation can read them. Prices and facts that the other gateway does not
have come from the catalog that comes with Plaza, with source and date.
`;

const litellmMore = `${more}
Examples:
  $ npx plaza import litellm config.yaml --out plaza.yaml
  $ npx plaza import litellm http://127.0.0.1:4000 --key-env LITELLM_MASTER_KEY --keys --out plaza.yaml
`;

const newApiMore = `${more}
Examples:
  $ npx plaza import new-api one-api.db --keys --out plaza.yaml
  $ npx plaza import new-api mysql://user:password@host/new-api --keys --out plaza.yaml
  $ npx plaza import new-api postgres://user:password@host/new-api --out plaza.yaml

MySQL also as in SQL_DSN: 'user:password@tcp(host:3306)/new-api'. TLS: add ?tls=true (or tls=skip-verify).
`;

export function addImport(program: Command, io: CommandIo): void {
  const parent = program
    .command("import")
    .description("Make a catalog file of another gateway's configuration.");
  const litellm = parent
    .command("litellm")
    .description("From a LiteLLM proxy: its config.yaml, or its address.")
    .argument("<file-or-url>", "config.yaml, or the address of a running proxy")
    .option("--key-env <name>", "variable that holds the proxy's master key")
    .option("--keys", "with the proxy's virtual keys, which go on working: their digests")
    .option("--out <file>", "write the catalog file there (default: print it)")
    .option("--json", "print JSON")
    .addHelpText("after", litellmMore);
  addStoreSettings(litellm).action(async (place: string, options: ImportFlags) =>
    write(io, await litellmDraft(io, place, options), basename(place.replace(/\?.*$/, "")), options),
  );
  const newApi = parent
    .command("new-api")
    .description("From a new-api or one-api database: channels, priorities, ratios.")
    .argument("<database>", "a SQLite file, or a mysql:// or postgres:// URL")
    .option("--keys", "with tokens, which go on working (their digests), and an account for each user")
    .option("--out <file>", "write the catalog file there (default: print it)")
    .option("--json", "print JSON")
    .addHelpText("after", newApiMore);
  addStoreSettings(newApi).action(async (place: string, options: ImportFlags) =>
    write(io, ...(await newApiDraft(place, options)), options),
  );
}
