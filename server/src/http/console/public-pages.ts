/**
 * Serves pages for visitors and crawlers where the operator opened the plaza: the console's page with a head
 * and plain HTML of its own, the sitemap and robots.txt. Compressed once per body, off the event loop.
 */
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { AnswerPublic, PublicAnswer } from "../../control/public/answer.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { accepts, type Coding, type ServePublic } from "./files.ts";

const pagePath = /^\/(?:models|models\/[^/]+|status)$/;
const filePath = /^\/(?:robots\.txt|sitemap\.xml)$/;

/**
 * Programs that read pages for others and often accept any type. They name themselves; to other programs
 * these paths are those of an API whose base URL is wrong.
 */
const readers = /bot\b|crawler|spider|facebookexternalhit|embedly|whatsapp|preview/i;

function isReader({ headers }: Exchange): boolean {
  const agent = String(headers["user-agent"] ?? "").slice(0, 500);
  return (
    readers.test(agent) && (headers.accept ?? "*/*").includes("*/*") && headers.authorization === undefined
  );
}

const compressedBytesMin = 1_024;
const compressions: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => promisify(gzip)(body),
};

const compressed = new WeakMap<PublicAnswer, Partial<Record<Coding, Promise<Buffer>>>>();

/** The body in the coding the client prefers of ours. */
async function coded(
  answer: PublicAnswer,
  accepted: string,
): Promise<{ readonly body: Buffer; readonly coding?: Coding }> {
  const coding = (["br", "gzip"] as const).find((one) => accepts(accepted, one));
  if (coding === undefined || answer.body.length < compressedBytesMin) return { body: answer.body };
  const known = compressed.get(answer) ?? {};
  compressed.set(answer, known);
  known[coding] ??= compressions[coding](answer.body);
  return { body: await known[coding], coding };
}

async function send(
  { method, headers: asked }: Exchange,
  res: ServerResponse,
  answer: PublicAnswer,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { body, coding } = await coded(answer, String(asked["accept-encoding"] ?? ""));
  const tag = `W/${answer.etag}`;
  const shared = {
    ...headers,
    etag: tag,
    // Revalidated, because the page names scripts of this version.
    "cache-control": "no-cache",
    vary: "accept, accept-encoding, accept-language",
    ...(answer.language === undefined ? {} : { "content-language": answer.language }),
    ...(answer.status === 404 ? { "x-robots-tag": "noindex" } : {}),
  };
  const given = String(asked["if-none-match"] ?? "").split(/\s*,\s*/);
  if (answer.status === 200 && given.includes(tag)) {
    res.writeHead(304, shared);
    res.end();
    return;
  }
  res.writeHead(answer.status, {
    ...shared,
    "content-type": answer.type,
    "content-length": body.length,
    ...(coding === undefined ? {} : { "content-encoding": coding }),
  });
  res.end(method === "HEAD" ? undefined : body);
}

/** `load` is called with the first request for such a page. */
export function createServePublic(log: Log, load: () => Promise<AnswerPublic>): ServePublic {
  let loaded: Promise<AnswerPublic> | undefined;
  /** The log gets one line for each outage. */
  let isFailing = false;
  return (exchange, wantsPage, { page, headers, take, sendConsole }) => {
    const { path } = exchange;
    const isPage = pagePath.test(path) && (wantsPage || isReader(exchange));
    if (!isPage && !filePath.test(path)) return false;
    const acceptLanguage = exchange.headers["accept-language"];
    const res = take();
    loaded ??= load();
    loaded
      .then((answerPublic) =>
        answerPublic({ path, acceptLanguage: String(acceptLanguage ?? ""), template: page }),
      )
      .then((answer) => (answer === undefined ? sendConsole(res) : send(exchange, res, answer, headers)))
      .then(() => {
        isFailing = false;
      })
      .catch((error: Error) => {
        if (!isFailing) log.warn("public_pages_failed", { error: error.message });
        isFailing = true;
        if (res.headersSent) res.destroy();
        // Without the store, the console's page still says what is wrong. Crawlers take no page for rules.
        else if (isPage) sendConsole(res);
        else res.writeHead(503, { ...headers, "content-type": "text/plain; charset=utf-8" }).end();
      });
    return true;
  };
}
