/**
 * Serves the built console from memory: its page for every path a person may open, and its scripts and styles
 * with a year of caching.
 */
import type { ServerResponse } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Exchange } from "../../lib/net/exchange.ts";
import { openShippedFolder } from "../../lib/shipped-folder.ts";
import { takeOver } from "../node-exchange.ts";
import type { Fallback } from "../routes/routes.ts";

const builtFolder = fileURLToPath(new URL("../../../../web/dist/", import.meta.url));

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

/** Smaller files gain nothing from compression. */
const compressedBytesMin = 1_024;

/** Content codings, the preferred one first, and how the names of files stored in them end. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
export type Coding = (typeof codings)[number][0];

interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  /** What a release stores; gzip is otherwise made on first use. */
  readonly compressed: Partial<Record<Coding, Buffer | undefined>>;
  readonly isHashed: boolean;
}

/**
 * Reads all files of a folder, by their path from `/`; empty when the folder is missing. No other file can be
 * requested.
 */
function readBuilt(folder: string): Map<string, BuiltFile> {
  const shipped = openShippedFolder(folder);
  const files = new Map<string, BuiltFile>();
  for (const name of shipped.list()) {
    const type = mediaTypes[extname(name)];
    const plain = type === undefined ? undefined : shipped.read(name);
    if (type === undefined || plain === undefined) continue;
    const stored = codings.map(([coding, ending]) => [coding, shipped.read(name + ending)] as const);
    const compressed: BuiltFile["compressed"] = Object.fromEntries(stored);
    files.set(`/${name}`, { type, plain, compressed, isHashed: name.startsWith("assets/") });
  }
  return files;
}

/** True when an Accept-Encoding header names the coding with a weight other than 0. */
export function accepts(header: string, coding: Coding): boolean {
  return header.split(",").some((part) => {
    const [name, weight = ""] = part.split(";").map((text) => text.trim().toLowerCase());
    return name === coding && !/^q=0(?:\.0*)?$/.test(weight);
  });
}

/** The coding to send the file in; undefined: as it is. */
function chooseCoding(file: BuiltFile, header: string): Coding | undefined {
  if (file.plain.length < compressedBytesMin) return undefined;
  if (file.compressed.br !== undefined && accepts(header, "br")) return "br";
  if (!accepts(header, "gzip")) return undefined;
  file.compressed.gzip ??= gzipSync(file.plain, { level: 9 });
  return "gzip";
}

/** Content security policy: only resources from here, plus the endpoint when it has another origin. */
function policy(endpoint: string | undefined): string {
  const connect = endpoint === undefined ? "'self'" : `'self' ${endpoint}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const notBuilt = "The console was not built. Run: npm start (which builds it), or: npm run console\n";

function wantsPage({ headers }: Exchange): boolean {
  return (headers.accept ?? "").includes("text/html");
}

/** Answers a path of `public-pages.ts`; false: none of them. `sendConsole` sends the console's own page. */
export type ServePublic = (
  exchange: Exchange,
  wantsPage: boolean,
  console: {
    readonly page: Buffer;
    readonly headers: Readonly<Record<string, string>>;
    take(): ServerResponse;
    sendConsole(res: ServerResponse): void;
  },
) => boolean;

/**
 * Answers requests for the console. `endpoint`: origin of the base URL when it differs from the console's.
 */
export function createConsole(options: {
  endpoint: () => string | undefined;
  folder?: string;
  servePublic?: ServePublic;
}): Fallback {
  let files: Map<string, BuiltFile> | undefined;
  const headers = (): Readonly<Record<string, string>> => ({
    "content-security-policy": policy(options.endpoint()),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
  });

  function send({ method, headers: asked }: Exchange, res: ServerResponse, file: BuiltFile): void {
    const coding = chooseCoding(file, String(asked["accept-encoding"] ?? ""));
    const body = (coding === undefined ? undefined : file.compressed[coding]) ?? file.plain;
    res.writeHead(200, {
      ...headers(),
      "content-type": file.type,
      "content-length": body.length,
      vary: "accept-encoding",
      ...(coding === undefined ? {} : { "content-encoding": coding }),
      // The page names the hashed files, so only the page is revalidated.
      "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    });
    res.end(method === "HEAD" ? undefined : body);
  }

  return (exchange, reply) => {
    const { method, path } = exchange;
    if (method !== "GET" && method !== "HEAD") return false;
    files ??= readBuilt(options.folder ?? builtFolder);
    const file = files.get(path);
    if (file !== undefined && path !== "/index.html") {
      send(exchange, takeOver(exchange, reply).res, file);
      return true;
    }
    const page = files.get("/index.html");
    const take = (): ServerResponse => takeOver(exchange, reply).res;
    if (page !== undefined && options.servePublic !== undefined) {
      const sendConsole = (res: ServerResponse): void => send(exchange, res, page);
      const own = { page: page.plain, headers: headers(), take, sendConsole };
      if (options.servePublic(exchange, wantsPage(exchange), own)) return true;
    }
    if (!wantsPage(exchange) || path.startsWith("/assets/")) return false;
    const res = take();
    if (page !== undefined) {
      send(exchange, res, page);
    } else {
      res.writeHead(503, { "content-type": "text/plain; charset=utf-8" });
      res.end(notBuilt);
    }
    return true;
  };
}
