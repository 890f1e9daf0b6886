/**
 * What the machine's identity is found with: the environment, files it names, services of the machine, and
 * issuers of tokens. Metadata addresses are constants: nothing but tests sets others. All waiting is bounded.
 */
import { open } from "node:fs/promises";
import { message } from "@plaza/contract/messages/message.ts";
import type { CreateHttpClient, HttpCall } from "../lib/net/http-client.ts";
import { type PostAnswer, postOnce } from "../lib/net/post-once.ts";
import { type OnceAnswer, type OnceCall, RequestOnceError, requestOnce } from "../lib/net/request-once.ts";
import { durationInSentence } from "../lib/units.ts";
import { badFile, badSetting, IdentityFailure } from "./failure.ts";

/** Origins of the metadata services. */
export interface MetadataOrigins {
  /** Of an EC2 instance, a Google Compute Engine or GKE node, and an Azure VM. */
  readonly instance: string;
  /** Of a task on ECS. */
  readonly ecsTask: string;
}

/** Link-local addresses, which no router forwards. All three clouds have theirs at the same one. */
export const metadataOrigins: MetadataOrigins = {
  instance: "http://169.254.169.254",
  ecsTask: "http://169.254.170.2",
};

const bytesMax = 64 * 1024;

export type Answer = OnceAnswer | PostAnswer;

export interface Surroundings {
  readonly origins: MetadataOrigins;
  /** A variable of the environment; undefined when it is empty, too. */
  variable(name: string): string | undefined;
  /** A file that a variable names, or another one named in that. At most 64 KiB are read. */
  read(variable: string, path?: string): Promise<string>;
  /** Calls a service of this machine, directly. */
  local(call: OnceCall): Promise<OnceAnswer>;
  /** Posts to an issuer, through the upstream's proxy if it has one. */
  post(url: URL, headers: readonly string[], body: string): Promise<PostAnswer>;
  /** Unix milliseconds. */
  nowMs(): number;
}

export interface Given {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly origins: MetadataOrigins;
  /** Opens clients of issuers. */
  readonly open: (origin: string) => ReturnType<CreateHttpClient>;
  /** Limits for a service of the machine and for an issuer, in milliseconds. */
  readonly localMs: number;
  readonly issuerMs: number;
  readonly nowMs: () => number;
}

async function readBounded(path: string): Promise<string> {
  const file = await open(path);
  try {
    // A pipe or a device could keep a thread waiting.
    if (!(await file.stat()).isFile()) throw new Error("not a file");
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Throws what a call's failure means. */
function unanswered(place: string, code: string, limitMs: number): IdentityFailure {
  const time = durationInSentence(limitMs);
  const made =
    code === "TIMEOUT"
      ? message("identity.noAnswer", { place, time })
      : message("identity.unreachable", { place, code });
  return new IdentityFailure("network", made);
}

export function createSurroundings({ env, origins, open: openClient, ...given }: Given): Surroundings {
  const variable = (name: string): string | undefined => env[name]?.trim() || undefined;
  return {
    origins,
    variable,
    nowMs: given.nowMs,
    async read(name, path = variable(name)) {
      if (path === undefined) throw badSetting(name);
      let text: string;
      try {
        text = (await readBounded(path)).trim();
      } catch {
        throw new IdentityFailure("refused", message("identity.file", { name }));
      }
      if (text === "") throw badFile(name, "empty");
      return text;
    },
    async local(call) {
      try {
        return await requestOnce(call, { answerMs: given.localMs, bytesMax });
      } catch (error) {
        const code = error instanceof RequestOnceError ? error.code : "FAILED";
        throw unanswered(call.url.origin, code, given.localMs);
      }
    },
    async post(url, headers, body) {
      const call: HttpCall = { path: `${url.pathname}${url.search}`, headers, body: Buffer.from(body) };
      const startedMs = performance.now();
      try {
        return await postOnce(openClient(url.origin), call, { answerMs: given.issuerMs, bytesMax });
      } catch (error) {
        const isLate = performance.now() - startedMs >= given.issuerMs;
        const code = (error as NodeJS.ErrnoException).code ?? "FAILED";
        throw unanswered(url.origin, isLate ? "TIMEOUT" : code, given.issuerMs);
      }
    },
  };
}
