/** Certificates made with the openssl command, as operators make them for a trial; each signs itself. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate for `localhost` and 127.0.0.1 with its key, both as PEM. */
export interface CertificateFilePair {
  readonly chain: string;
  readonly key: string;
}

/** Makes a pair in a new folder inside `folder`; `name` is the subject that tells certificates apart. */
export async function makePair(folder: string, name: string, days = 30): Promise<CertificateFilePair> {
  const at = join(folder, `made-${name}`);
  await mkdir(at, { recursive: true });
  const [cert, key] = [join(at, "cert.pem"), join(at, "key.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const words = ["req", "-x509", ...kind, ...names, "-days", String(days), "-out", cert, "-keyout", key];
  await run("openssl", words);
  return { chain: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
}

/** The files a product is started with. */
export class InstalledPair {
  readonly chainFile: string;
  readonly keyFile: string;

  constructor(folder: string) {
    this.chainFile = join(folder, "tls.crt");
    this.keyFile = join(folder, "tls.key");
  }

  get serve(): string[] {
    return ["--tls-cert", this.chainFile, "--tls-key", this.keyFile];
  }

  /** Replaces each file at once, one after the other. */
  async install({ chain, key }: CertificateFilePair): Promise<void> {
    for (const [file, text] of [
      [this.chainFile, chain],
      [this.keyFile, key],
    ] as const) {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
    }
  }
}
