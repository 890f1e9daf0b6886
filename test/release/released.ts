/** Starts a released `plaza` in a folder of its own and talks to it as a user does. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export interface Released {
  readonly origin: string;
  /** The key that the first start printed. */
  readonly key: string;
  /** The process that was started. */
  readonly pid: number;
  /** Everything that was printed so far. */
  output(): string;
  /** Sends SIGTERM; resolves with the exit status, or the signal that ended it. */
  stop(): Promise<number | NodeJS.Signals>;
  /** Resolves with the same when it has ended. */
  ended(): Promise<number | NodeJS.Signals>;
}

const readyMsMax = 60_000;

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode !== null) return child.exitCode;
  const [code, signal] = (await once(child, "exit")) as [number, null] | [null, NodeJS.Signals];
  return code ?? (signal as NodeJS.Signals);
}

/** Runs the command until it says that it is ready. It has no environment but `env`. */
export async function startReleased(
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Released> {
  const [file, ...words] = command;
  const child = spawn(file, words, { cwd, env: { ...env, PLAZA_LAME_DUCK_MS: "0" }, stdio: "pipe" });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const untilMs = performance.now() + readyMsMax;
  while (!printed.includes("Plaza is ready") || !/^ {2}data /m.test(printed)) {
    if (child.exitCode !== null || performance.now() > untilMs) {
      child.kill("SIGKILL");
      assert.fail(`${command.join(" ")} is not ready:\n${printed}`);
    }
    await wait(20);
  }
  return {
    origin: /base_url +(http:\/\/[^/]+)\/v1/.exec(printed)?.[1] ?? "",
    key: /API key +(\S+)/.exec(printed)?.[1] ?? "",
    pid: child.pid ?? 0,
    output: () => printed,
    stop() {
      child.kill("SIGTERM");
      return endOf(child);
    },
    ended: () => endOf(child),
  };
}

/** Makes a completion, by default the README's first one; returns its text. */
export async function complete(
  { origin, key }: Pick<Released, "origin" | "key">,
  { model, text } = { model: "demo", text: "Hello, Plaza!" },
): Promise<string> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }] }),
  });
  const answer = (await response.json()) as { choices?: { message: { content: string } }[] };
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer.choices?.[0]?.message.content ?? "";
}

/** Smaller files gain nothing from compression. */
const compressedLengthMin = 1_024;

/** Loads the console's page and everything it names; returns the content codings of its larger scripts. */
export async function loadConsole({ origin }: Released, acceptEncoding: string): Promise<string[]> {
  const headers = { accept: "text/html", "accept-encoding": acceptEncoding };
  const page = await (await fetch(`${origin}/`, { headers })).text();
  const paths = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(paths.length > 2, page);
  const codings: string[] = [];
  for (const path of paths) {
    const response = await fetch(`${origin}${path}`, { headers: { "accept-encoding": acceptEncoding } });
    assert.equal(response.status, 200, path);
    // fetch decodes it, so a body that is not what the header says fails here.
    const text = await response.text();
    assert.ok(text.length > 0, path);
    if (path.endsWith(".js") && path.startsWith("/assets/") && text.length >= compressedLengthMin)
      codings.push(response.headers.get("content-encoding") ?? "none");
  }
  assert.ok(codings.length > 0, page);
  return codings;
}
