/**
 * Where a bucket is and who may use it: `s3://bucket/prefix`, and the variables that AWS's own tools read.
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `storage`: the store cannot be used like this, or not now. `not_found`: it has no such object or bucket.
 * `exists`: an object of that name is there and is not replaced.
 */
export type ObjectStoreErrorCode = "storage" | "not_found" | "exists";

/** Every function of this folder throws this; the message says what to do next. */
export class ObjectStoreError extends Error {
  readonly code: ObjectStoreErrorCode;

  constructor(code: ObjectStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ObjectStoreError";
    this.code = code;
  }
}

export interface Bucket {
  readonly name: string;
  /** What comes before the names of objects: empty, or ends with a slash. */
  readonly prefix: string;
  /** The URL of the bucket itself, without a slash at its end. */
  readonly url: URL;
  readonly region: string;
  readonly keys: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const wrong = (message: string): ObjectStoreError => new ObjectStoreError("storage", message);

/** Empty variables count as unset, as compose files pass them. */
const settingOf = (env: Environment, ...names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== "");

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.username === "")
    return url;
  throw wrong("AWS_ENDPOINT_URL must be a URL, like https://s3.example.com");
}

/** A store of one's own has its buckets in paths; AWS has them in the host's name. */
function urlOf(bucket: string, region: string, env: Environment): URL {
  const endpoint = settingOf(env, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
  if (endpoint !== undefined) {
    const url = endpointOf(endpoint);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${bucket}`;
    return url;
  }
  const host = `s3.${region}.amazonaws.com`;
  // A certificate for all buckets covers no names with dots.
  return bucket.includes(".") ? new URL(`https://${host}/${bucket}`) : new URL(`https://${bucket}.${host}`);
}

/** Reads `s3://bucket/rest`; returns `rest` as it is. Throws ObjectStoreError with what is missing. */
export function readAddress(
  text: string,
  env: Environment,
): { bucket: Omit<Bucket, "prefix">; rest: string } {
  const [, name = "", rest = ""] = /^s3:\/\/([^/]*)\/?(.*)$/.exec(text) ?? [];
  if (!bucketPattern.test(name)) throw wrong(`${text} names no bucket: write it as s3://bucket/prefix`);
  const accessKeyId = settingOf(env, "AWS_ACCESS_KEY_ID");
  const secretAccessKey = settingOf(env, "AWS_SECRET_ACCESS_KEY");
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw wrong("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the credentials of the bucket");
  const sessionToken = settingOf(env, "AWS_SESSION_TOKEN");
  const region = settingOf(env, "AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1";
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return { bucket: { name, url: urlOf(name, region, env), region, keys }, rest };
}
