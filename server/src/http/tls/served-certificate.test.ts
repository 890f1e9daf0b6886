/** Which pairs of files are taken, what is said of the others, and when a new certificate is used. */
import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  localhostTestCertificate,
  localhostTestKey,
  mediaTestCertificate,
  mediaTestKey,
} from "../../lib/net/testing/certificate.ts";
import { createLog } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { readCertificate } from "./certificate.ts";
import { ServedCertificate } from "./served-certificate.ts";

interface Files {
  readonly tlsCert: string;
  readonly tlsKey: string;
  write(chain: string, key: string): void;
}

const localhostPair = [localhostTestCertificate, localhostTestKey] as const;
const mediaPair = [mediaTestCertificate, mediaTestKey] as const;

function filesIn(context: TestContext): Files & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "plaza-tls-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const tlsCert = join(folder, "cert.pem");
  const tlsKey = join(folder, "key.pem");
  return {
    folder,
    tlsCert,
    tlsKey,
    write(chain, key) {
      writeFileSync(tlsCert, chain);
      writeFileSync(tlsKey, key);
    },
  };
}

/** The localhost pair in use, with the lines it logs. */
async function serve(files: Files, nowMs = Date.now()) {
  const lines: Record<string, unknown>[] = [];
  const clock: Clock & { nowMs: number } = {
    nowMs,
    wallMs: () => clock.nowMs,
    elapsedMs: () => clock.nowMs,
  };
  const log = createLog({ level: "info", clock, write: (line) => void lines.push(JSON.parse(line)) });
  files.write(...localhostPair);
  const served = new ServedCertificate(await readCertificate(files), { files, clock, log });
  const taken: string[] = [];
  served.onChange(({ chain }) => void taken.push(chain));
  return { served, lines, clock, taken, events: () => lines.map(({ event }) => event) };
}

test("a pair is read, alone and as a chain in which the first to expire counts", async (context) => {
  const files = filesIn(context);
  files.write(...localhostPair);
  const alone = await readCertificate(files);
  assert.equal(new Date(alone.expiresAtMs).toISOString(), "2126-10-30T21:08:50.000Z");
  files.write(localhostTestCertificate + mediaTestCertificate, localhostTestKey);
  const chain = await readCertificate(files);
  assert.equal(new Date(chain.expiresAtMs).toISOString(), "2126-10-28T11:16:03.000Z");
});

test("what is wrong with the files is said in one sentence", async (context) => {
  const files = filesIn(context);
  const encrypted = createPrivateKey(localhostTestKey)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" })
    .toString();
  const half = localhostTestCertificate.slice(0, 300);
  const damaged = localhostTestCertificate.replace(/MIIB.{20}/, "MIIB");
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["", localhostTestKey, /^tlsCert: ".*cert\.pem" has no certificate in PEM form$/],
    [half, localhostTestKey, /^tlsCert: ".*cert\.pem" ends inside a certificate$/],
    [mediaTestCertificate + half, mediaTestKey, /^tlsCert: ".*cert\.pem" ends inside a certificate$/],
    [damaged, localhostTestKey, /^tlsCert: a certificate in ".*cert\.pem" is damaged$/],
    [localhostTestCertificate, "", /^tlsKey: ".*key\.pem" has no whole private key in PEM form$/],
    [localhostTestCertificate, localhostTestKey.slice(0, 90), /^tlsKey: .* has no whole private key/],
    [localhostTestCertificate, encrypted, /^tlsKey: the key in ".*" is encrypted; write it without/],
    [localhostTestCertificate, mediaTestKey, /^tlsKey: the key in ".*" does not match ".*cert\.pem"; the/],
    [mediaTestCertificate + localhostTestCertificate, localhostTestKey, /does not match/],
  ];
  for (const [chain, key, message] of cases) {
    files.write(chain, key);
    await assert.rejects(readCertificate(files), { message });
  }
  const missing = join(files.folder, "none.pem");
  await assert.rejects(readCertificate({ ...files, tlsCert: missing }), {
    message: `tlsCert: the file "${missing}" does not exist`,
  });
  await assert.rejects(readCertificate({ ...files, tlsKey: files.folder }), /cannot be read \(EISDIR\)/);
  for (const [given, missingOne] of [
    ["tlsCert", "tlsKey"],
    ["tlsKey", "tlsCert"],
  ] as const)
    await assert.rejects(readCertificate({ ...files, [missingOne]: undefined }), {
      message: `${given} is set without ${missingOne}: set both PLAZA_TLS_CERT and PLAZA_TLS_KEY, or neither`,
    });
});

test("a changed pair is taken, however the files are replaced; an unchanged one is not", async (context) => {
  const files = filesIn(context);
  const { served, taken, events } = await serve(files);
  await served.look();
  files.write(...localhostPair);
  await served.look();
  assert.deepEqual(taken, [], "written again");
  files.write(...mediaPair);
  await served.look();
  assert.deepEqual(taken, [mediaTestCertificate]);
  assert.equal(served.current.key, mediaTestKey);
  for (const [name, text] of [
    ["cert.pem", localhostTestCertificate],
    ["key.pem", localhostTestKey],
  ] as const) {
    writeFileSync(join(files.folder, "new"), text);
    renameSync(join(files.folder, "new"), join(files.folder, name));
  }
  await served.look();
  assert.deepEqual(taken, [mediaTestCertificate, localhostTestCertificate], "renamed");
  assert.deepEqual(events(), ["tls_certificate_changed", "tls_certificate_changed"]);
});

test("a folder behind a symlink is swapped at once, as Kubernetes does", async (context) => {
  const { folder } = filesIn(context);
  const at = (name: string): string => join(folder, name);
  const pairAt = (name: string): Files => {
    const tlsCert = `${at(name)}.crt`;
    const tlsKey = `${at(name)}.key`;
    return { tlsCert, tlsKey, write() {} };
  };
  for (const [name, [chain, key]] of [
    ["old", localhostPair],
    ["new", mediaPair],
  ] as const) {
    writeFileSync(pairAt(name).tlsCert, chain);
    writeFileSync(pairAt(name).tlsKey, key);
  }
  const link = (name: string): void => {
    for (const ending of ["crt", "key"]) {
      symlinkSync(at(`${name}.${ending}`), at("next"));
      renameSync(at("next"), at(`now.${ending}`));
    }
  };
  link("old");
  const { served, taken } = await serve(pairAt("now"));
  link("new");
  await served.look();
  assert.deepEqual(taken, [mediaTestCertificate]);
});

test("a pair that does not match is warned of once it lasts, and the old one stays", async (context) => {
  const files = filesIn(context);
  const { served, lines, taken, events } = await serve(files);
  writeFileSync(files.tlsCert, mediaTestCertificate);
  await served.look();
  assert.deepEqual(events(), [], "the key may be on its way");
  await served.look();
  await served.look();
  assert.deepEqual(events(), ["tls_certificate_refused"], "once");
  assert.match(String(lines[0]?.["fault"]), /does not match/);
  rmSync(files.tlsKey);
  await served.look();
  await served.look();
  assert.deepEqual(events(), ["tls_certificate_refused", "tls_certificate_refused"], "another reason");
  assert.deepEqual(taken, []);
  assert.equal(served.current.chain, localhostTestCertificate);
  writeFileSync(files.tlsKey, mediaTestKey);
  await served.look();
  assert.deepEqual(taken, [mediaTestCertificate]);
  files.write(localhostTestCertificate, mediaTestKey);
  await served.look();
  files.write(...mediaPair);
  await served.look();
  assert.equal(events().length, 3, "back before it lasted");
});

test("from fourteen days before its end a certificate is warned of, once a day", async (context) => {
  const files = filesIn(context);
  const dayMs = 86_400_000;
  const endMs = Date.parse("2126-10-30T21:08:50Z");
  const { served, lines, clock } = await serve(files, endMs - 15 * dayMs);
  await served.look();
  assert.equal(lines.length, 0);
  for (const [daysLeft, warnings] of [
    [13.9, 1],
    [13.5, 1],
    [12.8, 2],
    [-0.1, 3],
  ] as const) {
    clock.nowMs = endMs - daysLeft * dayMs;
    await served.look();
    assert.equal(lines.length, warnings, `${daysLeft}`);
  }
  assert.deepEqual(
    lines.map(({ level, event, isExpired }) => ({ level, event, isExpired })),
    [false, false, true].map((isExpired) => ({ level: "warn", event: "tls_certificate_expires", isExpired })),
  );
  files.write(...mediaPair);
  await served.look();
  assert.equal(lines.length, 5, "the next one is warned of at once");
});
