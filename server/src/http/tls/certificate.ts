/**
 * Reads the certificate that Plaza serves from its two PEM files, and says in one sentence what is wrong with
 * them. Both are judged together: a pair that does not match is never returned.
 */
import { constants, createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { quote } from "../../lib/quote.ts";

/** The settings that name the files. */
export interface CertificateFiles {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** What the two files contain. */
export interface CertificatePair {
  /** PEM, the server's own certificate first. */
  readonly chain: string;
  /** PEM. */
  readonly key: string;
}

/** A private key and the certificates for it. */
export interface Certificate extends CertificatePair {
  /** True when the first certificate is for a host of this name. */
  isFor(name: string): boolean;
  /** When the first certificate of the chain expires, as wall time in milliseconds. */
  readonly expiresAtMs: number;
}

/** For TLS 1.3, and behind them for 1.2. */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
];

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const encryptedPattern = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

async function readText(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? message})`;
    throw new Error(`${name}: the file ${quote(file)} ${reason}`);
  }
}

function parseChain(text: string, file: string): [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(certificatePattern) ?? [];
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun > blocks.length) throw new Error(`tlsCert: ${quote(file)} ends inside a certificate`);
  let own: X509Certificate | undefined;
  let others: X509Certificate[];
  try {
    [own, ...others] = blocks.map((block) => new X509Certificate(block));
  } catch {
    throw new Error(`tlsCert: a certificate in ${quote(file)} is damaged`);
  }
  if (own === undefined) throw new Error(`tlsCert: ${quote(file)} has no certificate in PEM form`);
  return [own, ...others];
}

function parseKey(text: string, file: string): KeyObject {
  if (encryptedPattern.test(text)) {
    const how = "write it without a passphrase (openssl pkey -in KEY -out NEW_KEY)";
    throw new Error(`tlsKey: the key in ${quote(file)} is encrypted; ${how}`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error(`tlsKey: ${quote(file)} has no whole private key in PEM form`);
  }
}

/**
 * What new connections are made with: TLS 1.2 and 1.3, with forward secrecy and authenticated ciphers, and no
 * renegotiation. Throws OpenSSL's error for a pair that it refuses.
 */
export function contextOptionsOf({ chain, key }: CertificatePair): SecureContextOptions {
  return {
    cert: chain,
    key,
    minVersion: "TLSv1.2",
    ciphers: ciphers.join(":"),
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** True when the settings ask for HTTPS, if only by one of the two. */
export const isTlsSet = ({ tlsCert, tlsKey }: CertificateFiles): boolean =>
  tlsCert !== undefined || tlsKey !== undefined;

function bothOf({ tlsCert, tlsKey }: CertificateFiles): { tlsCert: string; tlsKey: string } {
  if (tlsCert !== undefined && tlsKey !== undefined) return { tlsCert, tlsKey };
  const [given, missing] = tlsCert === undefined ? ["tlsKey", "tlsCert"] : ["tlsCert", "tlsKey"];
  const how = "set both PLAZA_TLS_CERT and PLAZA_TLS_KEY, or neither";
  throw new Error(`${given} is set without ${missing}: ${how}`);
}

/** What may stand between the files of several certificates. */
const separator = /\s*,\s*/;

/**
 * The settings of each certificate; both name several files, separated by commas, for several certificates.
 * Throws a readable Error when a certificate would be without a key, or the other way round.
 */
export function filesOfEach(files: CertificateFiles): readonly [CertificateFiles, ...CertificateFiles[]] {
  const { tlsCert, tlsKey } = bothOf(files);
  const keys = tlsKey.trim().split(separator);
  const [first, ...others] = tlsCert
    .trim()
    .split(separator)
    .map((file, at): CertificateFiles => ({ tlsCert: file, tlsKey: keys[at] }));
  if (first === undefined || keys.length !== others.length + 1) {
    const count = `${others.length + 1} in tlsCert, ${keys.length} in tlsKey`;
    throw new Error(`tlsKey: enter as many files as in tlsCert, in the same order (${count})`);
  }
  return [first, ...others];
}

/** Reads the files as they are. Rejects with a readable Error when one is missing. */
export async function readPair(files: CertificateFiles): Promise<CertificatePair> {
  const { tlsCert, tlsKey } = bothOf(files);
  // One after the other, so that the same files always have the same fault.
  const chain = await readText("tlsCert", tlsCert);
  return { chain, key: await readText("tlsKey", tlsKey) };
}

/**
 * Returns the pair with what is known of it. Throws a readable Error when a file is damaged, when the key is
 * encrypted, or when it is not the key of the first certificate. An expired certificate is one as any other.
 */
export function checkPair({ chain, key }: CertificatePair, files: CertificateFiles): Certificate {
  const { tlsCert, tlsKey } = bothOf(files);
  const certificates = parseChain(chain, tlsCert);
  if (!certificates[0].checkPrivateKey(parseKey(key, tlsKey))) {
    const hint = "the server's own certificate must be the first of a chain";
    throw new Error(`tlsKey: the key in ${quote(tlsKey)} does not match ${quote(tlsCert)}; ${hint}`);
  }
  try {
    createSecureContext(contextOptionsOf({ chain, key }));
  } catch (error) {
    throw new Error(`tlsCert: ${quote(tlsCert)} cannot be used (${(error as Error).message})`);
  }
  const expiresAtMs = Math.min(...certificates.map(({ validTo }) => Date.parse(validTo)));
  const isFor = (name: string): boolean => certificates[0].checkHost(name) !== undefined;
  return { chain, key, expiresAtMs, isFor };
}

/** Reads and checks one pair. Rejects with a readable Error when it cannot be used. */
export const readCertificate = async (files: CertificateFiles): Promise<Certificate> =>
  checkPair(await readPair(files), files);

/** The same for each pair that the settings name. */
export async function checkCertificates(files: CertificateFiles): Promise<void> {
  for (const one of filesOfEach(files)) await readCertificate(one);
}
