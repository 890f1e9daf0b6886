/**
 * For tests: a store that speaks as much of S3's protocol as Plaza uses, written from its documentation
 * (https://docs.aws.amazon.com/AmazonS3/latest/API). It checks the signature of every call as
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html says.
 */
import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const bucket = "backups";
const accessKeyId = "AKIDEXAMPLE";
const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const region = "eu-test-1";
/** Lists give so few keys at once, so that they have pages. */
const keysPerPage = 2;

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Received {
  readonly method: string;
  /** As it came, escaped. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

type Failure = number | "break" | "lose" | "spoil";

export interface FakeStore {
  /** Variables that lead commands here. */
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, Buffer>;
  /** Uploads that are neither completed nor abandoned. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** Method and query of every call. */
  readonly calls: string[];
  /**
   * Answers the next calls that match with an error, or breaks the connection: before the work, or after it
   * (`lose`). `spoil`: answers as ever, and the object has other bytes.
   */
  fail(matches: RegExp, times: number, how: Failure): void;
  stop(): Promise<void>;
}

const fault = (status: number, code: string, message: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

const byName = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1);

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The error for a call that is not signed with the key; undefined for one that is. */
function signatureFault({ method, path, query, headers, body }: Received): Answer | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, id, day = "", where = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  if (id !== accessKeyId) return fault(403, "InvalidAccessKeyId", "The access key does not exist.");
  const digest = String(headers["x-amz-content-sha256"]);
  if (digest !== sha256(body)) return fault(400, "XAmzContentSHA256Mismatch", "Another body.");
  const signed = names.split(";");
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name)))
    return fault(403, "AccessDenied", "There were headers present in the request which were not signed");
  const time = String(headers["x-amz-date"]);
  const skewMs = Math.abs(
    Date.now() - Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5")),
  );
  if (!(skewMs < 15 * 60_000)) return fault(403, "RequestTimeTooSkewed", "Another time.");
  const canonical = [
    method,
    path,
    [...query]
      .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
      .sort(byName)
      .map(([name, value]) => `${name}=${value}`)
      .join("&"),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    names,
    digest,
  ].join("\n");
  const scope = `${day}/${where}/s3/aws4_request`;
  const key = ["s3", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${secretAccessKey}`, day), region));
  const expected = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString("hex");
  if (where === region && signature === expected) return undefined;
  return fault(403, "SignatureDoesNotMatch", "The request signature does not match &amp; is refused.");
}

const etagOf = (content: Buffer): string => `"${createHash("md5").update(content).digest("hex")}"`;

/** What the store answers to a signed call. */
function createAnswers(
  objects: Map<string, Buffer>,
  uploads: Map<string, Map<number, Buffer>>,
): (received: Received) => Answer {
  function list(query: URLSearchParams): Answer {
    const from = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "")).sort();
    const page = keys.filter((key) => key > from).slice(0, keysPerPage);
    const last = page.at(-1);
    const next = last !== undefined && last !== keys.at(-1);
    const token = next ? `<NextContinuationToken>${last}</NextContinuationToken>` : "";
    const contents = page.map((key) => `<Contents><Key>${key.replaceAll("&", "&amp;")}</Key></Contents>`);
    return {
      status: 200,
      body: `<ListBucketResult><IsTruncated>${next}</IsTruncated>${contents.join("")}${token}</ListBucketResult>`,
    };
  }

  function read(key: string, { method, headers }: Received): Answer {
    const content = objects.get(key);
    if (content === undefined) return fault(404, "NoSuchKey", "The specified key does not exist.");
    const etag = etagOf(content);
    if (method === "HEAD")
      return { status: 200, headers: { etag, "content-length": String(content.length) } };
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag)
      return fault(412, "PreconditionFailed", "Another object.");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (first === undefined) return { status: 200, headers: { etag }, body: content };
    return { status: 206, headers: { etag }, body: content.subarray(Number(first), Number(last) + 1) };
  }

  /** Joins the named parts, all of which but the last must have 5 MiB. */
  function complete(key: string, uploadId: string, xml: string): Answer {
    const parts = uploads.get(uploadId);
    if (parts === undefined) return fault(404, "NoSuchUpload", "The specified upload does not exist.");
    const named = [...xml.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)];
    const contents = named.map(([, number]) => parts.get(Number(number)) ?? Buffer.alloc(0));
    const isRight = named.every(
      ([, , etag], index) => etag?.replaceAll("&#34;", '"') === etagOf(contents[index] as Buffer),
    );
    if (!isRight || named.length === 0) return fault(400, "InvalidPart", "A part was not found.");
    if (contents.slice(0, -1).some(({ length }) => length < 5 * 1024 ** 2))
      return fault(400, "EntityTooSmall", "A part is too small.");
    uploads.delete(uploadId);
    objects.set(key, Buffer.concat(contents));
    return { status: 200, body: "<CompleteMultipartUploadResult/>" };
  }

  function answer(received: Received): Answer {
    const { method, path, query, body } = received;
    const refused = signatureFault(received);
    if (refused !== undefined) return refused;
    const [, name, ...rest] = decodeURIComponent(path).split("/");
    const key = rest.join("/");
    if (name !== bucket) return fault(404, "NoSuchBucket", "The specified bucket does not exist.");
    const uploadId = query.get("uploadId") ?? "";
    if (method === "GET" && key === "") return list(query);
    if (method === "GET" || method === "HEAD") return read(key, received);
    if (method === "POST" && query.has("uploads")) {
      const id = randomUUID();
      uploads.set(id, new Map());
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (method === "POST") return complete(key, uploadId, body.toString());
    if (method === "PUT") {
      uploads.get(uploadId)?.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (query.has("uploadId")) uploads.delete(uploadId);
    else objects.delete(key);
    return { status: 204 };
  }

  return answer;
}

export async function startFakeStore(): Promise<FakeStore> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const calls: string[] = [];
  let failing: { matches: RegExp; times: number; how: Failure } | undefined;
  const answer = createAnswers(objects, uploads);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url = "", headers } = request;
    const [path = "", search = ""] = url.split("?", 2);
    calls.push(`${method} ${url}`);
    const query = new URLSearchParams(search);
    const work = () => answer({ method, path, query, headers, body: Buffer.concat(parts) });
    if (failing !== undefined && failing.times > 0 && failing.matches.test(`${method} ${url}`)) {
      failing.times -= 1;
      if (failing.how === "spoil") {
        const { status, body, headers: answered } = work();
        const key = decodeURIComponent(path).split("/").slice(2).join("/");
        objects.set(key, Buffer.concat([objects.get(key) ?? Buffer.alloc(0), Buffer.from("x")]));
        response.writeHead(status, answered).end(body);
        return;
      }
      if (failing.how === "lose") work();
      if (typeof failing.how === "string") request.socket.destroy();
      else response.writeHead(failing.how).end("<Error><Code>SlowDown</Code></Error>");
      return;
    }
    const answered = work();
    response.writeHead(answered.status, answered.headers).end(answered.body);
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: region,
    },
    objects,
    uploads,
    calls,
    fail(matches, times, how) {
      failing = { matches, times, how };
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
