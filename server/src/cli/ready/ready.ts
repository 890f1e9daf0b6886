/**
 * `plaza ready`: asks the server that has these settings whether it should get traffic. For health checks of
 * containers, which have neither a shell nor curl. Run every few seconds, so it avoids the command library,
 * like `plain-serve.ts`, and opens no database.
 */
import type { IncomingMessage } from "node:http";
import { parseArgs } from "node:util";
import { type Config, readConfig } from "../../config/config.ts";
import type { CommandIo } from "../command-io.ts";
import { CommandFailure, reportFailure } from "../failure.ts";

/** A server that is alive answers within this time. Milliseconds. */
const answerMsMax = 4_000;
const reasonBytesMax = 1_000;

/** A server that listens on every address is asked on the loopback. */
const loopbacks: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export interface ReadyOptions {
  /** Ask `/healthz` instead of `/readyz`. */
  readonly alive?: boolean | undefined;
}

function urlOf({ healthListen, host, port, tlsCert }: Config, path: string): URL {
  const listen = healthListen ?? { host, port };
  if (listen.port === 0)
    throw new CommandFailure(
      "port_unknown",
      "the settings leave the port to the system (0), so it is not known here",
    );
  const address = loopbacks[listen.host] ?? listen.host;
  const scheme = healthListen === undefined && tlsCert !== undefined ? "https" : "http";
  return new URL(`${scheme}://${address.includes(":") ? `[${address}]` : address}:${listen.port}${path}`);
}

async function get(url: URL): Promise<IncomingMessage> {
  const { get: send } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const answer = Promise.withResolvers<IncomingMessage>();
  // The certificate is for the public name, and nothing secret is sent.
  send(
    url,
    { rejectUnauthorized: false, agent: false, signal: AbortSignal.timeout(answerMsMax) },
    answer.resolve,
  ).on("error", answer.reject);
  return answer.promise;
}

/** The `reason` that a server gives for a 503; undefined when the answer has none. */
async function reasonOf(response: IncomingMessage): Promise<string | undefined> {
  let text = "";
  for await (const part of response.setEncoding("utf8")) {
    text += part;
    if (text.length > reasonBytesMax) break;
  }
  try {
    const { reason, status } = JSON.parse(text) as { reason?: unknown; status?: unknown };
    const given = reason ?? status;
    return typeof given === "string" ? given : undefined;
  } catch {
    return undefined;
  }
}

/** Prints "ready" or "alive". Throws a CommandFailure that says why the server is not. */
export async function askReady(config: Config, { alive }: ReadyOptions, io: CommandIo): Promise<void> {
  const url = urlOf(config, alive === true ? "/healthz" : "/readyz");
  const word = alive === true ? "alive" : "ready";
  const response = await get(url).catch((error: NodeJS.ErrnoException) => {
    const why = error.name === "AbortError" ? `none within ${answerMsMax / 1000} s` : error.code;
    throw new CommandFailure("no_answer", `no answer from ${url.origin} (${why ?? error.message})`);
  });
  if (response.statusCode === 200) {
    response.destroy();
    io.out(`${word}\n`);
    return;
  }
  const reason = (await reasonOf(response)) ?? `status ${response.statusCode}`;
  throw new CommandFailure("not_ready", `not ${word}: ${reason}`);
}

/** Runs `plaza ready` and resolves with the exit status; undefined when the command library is needed. */
export async function readyPlainly(words: readonly string[], io: CommandIo): Promise<0 | 1 | 2 | undefined> {
  if (words[0] !== "ready") return undefined;
  try {
    const options = { alive: { type: "boolean" } } as const;
    const { values } = parseArgs({ args: words.slice(1), options, allowPositionals: false });
    const result = readConfig({ env: io.env, flags: {} });
    if (!result.ok) return undefined;
    await askReady(result.config, values, io);
    return 0;
  } catch (thrown) {
    return thrown instanceof CommandFailure ? reportFailure(thrown, words, io) : undefined;
  }
}
