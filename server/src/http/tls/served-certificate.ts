/**
 * The certificate in use: looks at its files again and again, takes a new pair that is whole, and keeps the
 * old one otherwise. The files are compared by what they contain, so that it does not matter how they are
 * replaced: written, renamed, or behind a symlink that is swapped. Warns before the certificate expires.
 */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Registry } from "../../lib/telemetry/metrics.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Schedule } from "../../lib/time/schedule.ts";
import {
  type Certificate,
  type CertificateFiles,
  checkPair,
  filesOfEach,
  isTlsSet,
  readCertificate,
  readPair,
} from "./certificate.ts";

const lookMs = 2_000;
const dayMs = 86_400_000;
/** How long before its end a certificate is warned of, once a day. */
const warnedMs = 14 * dayMs;

export interface ServedCertificateOptions {
  readonly files: CertificateFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** A class because it holds a certificate for as long as the process serves. */
export class ServedCertificate {
  readonly #options: ServedCertificateOptions;
  readonly #users: ((certificate: Certificate) => void)[] = [];
  #current: Certificate;
  #isLooking = false;
  /** What was wrong at the last look; files that are being replaced are wrong for a moment. */
  #fault: string | undefined;
  #hasWarned = false;
  #warnAgainMs = 0;

  constructor(current: Certificate, options: ServedCertificateOptions) {
    this.#current = current;
    this.#options = options;
    this.#warnOfEnd();
  }

  get current(): Certificate {
    return this.#current;
  }

  /** Calls `use` with every certificate that takes the place of the current one. */
  onChange(use: (certificate: Certificate) => void): void {
    this.#users.push(use);
  }

  /** Takes a changed pair. Call it regularly; it never rejects, and only one look runs at a time. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { files } = this.#options;
      const pair = await readPair(files);
      const { chain, key } = this.#current;
      const isSame = pair.chain === chain && pair.key === key;
      this.#take(isSame ? this.#current : checkPair(pair, files));
    } catch (error) {
      this.#refuse((error as Error).message);
    }
    this.#warnOfEnd();
    this.#isLooking = false;
  }

  #take(next: Certificate): void {
    this.#fault = undefined;
    this.#hasWarned = false;
    if (next === this.#current) return;
    this.#current = next;
    this.#warnAgainMs = 0;
    for (const use of this.#users) use(next);
    const { files, log } = this.#options;
    log.info("tls_certificate_changed", { file: files.tlsCert, expiresAt: isoOf(next) });
  }

  #refuse(fault: string): void {
    const isLasting = this.#fault === fault;
    if (!isLasting) this.#hasWarned = false;
    this.#fault = fault;
    if (!isLasting || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn("tls_certificate_refused", { fault });
  }

  #warnOfEnd(): void {
    const { clock, files, log } = this.#options;
    const nowMs = clock.wallMs();
    const leftMs = this.#current.expiresAtMs - nowMs;
    if (leftMs >= warnedMs || nowMs < this.#warnAgainMs) return;
    this.#warnAgainMs = nowMs + dayMs;
    const isExpired = leftMs <= 0;
    log.warn("tls_certificate_expires", {
      file: files.tlsCert,
      expiresAt: isoOf(this.#current),
      isExpired,
    });
  }
}

const isoOf = ({ expiresAtMs }: Certificate): string => new Date(expiresAtMs).toISOString();

/** The certificates in use; the first is also for callers that ask for another name, or for none. */
export type ServedCertificates = readonly [ServedCertificate, ...ServedCertificate[]];

/**
 * Reads the certificates and follows their files; undefined when the settings name none. Rejects with a
 * readable Error when one cannot be used.
 */
export async function openCertificates(
  options: ServedCertificateOptions & { readonly schedule: Schedule; readonly registry: Registry },
): Promise<{ readonly certificates: ServedCertificates; stop(): void } | undefined> {
  const { files, clock, schedule, registry } = options;
  if (!isTlsSet(files)) return undefined;
  const open = async (one: CertificateFiles): Promise<ServedCertificate> =>
    new ServedCertificate(await readCertificate(one), { ...options, files: one });
  const [first, ...others] = filesOfEach(files);
  const certificates: ServedCertificates = [await open(first), ...(await Promise.all(others.map(open)))];
  const endMs = (): number => Math.min(...certificates.map(({ current }) => current.expiresAtMs));
  registry.gauge({
    name: "plaza_tls_certificate_expires_seconds",
    help: "Time until the first served certificate expires; negative afterwards.",
    read: (set) => set((endMs() - clock.wallMs()) / 1_000),
  });
  const stop = schedule.every(lookMs, () => {
    for (const certificate of certificates) void certificate.look();
  });
  return { certificates, stop };
}
