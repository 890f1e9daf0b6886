/** The Compose files: what they set exists, they confine the container, and a stop has the time it needs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { programOf, whyNot } from "../../tools/release/check/tools.ts";
import { imageConfig } from "../../tools/release/image/image.ts";
import { root } from "../../tools/release/root.ts";
import { assertKnownSettings, stopSecondsOf } from "./settings-used.ts";

interface Service {
  readonly image: string;
  /** Null: the value of the variable outside, where it is set. */
  readonly environment: Readonly<Record<string, string | null>>;
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly tmpfs: readonly string[];
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
  readonly healthcheck: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, { ipv4_address: string } | null>>;
}

const folder = join(root, "packaging/compose");
const files = ["compose.yaml", "compose.postgres.yaml"] as const;
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const servicesOf = (file: string): Readonly<Record<string, Service>> =>
  parse(textOf(file), { merge: true }).services;
const plazasOf = (file: string): Service[] =>
  Object.values(servicesOf(file)).filter(({ image }) => image.startsWith("plaza:"));

/** What .env must have. */
const env = {
  VERSION: "0.2.0",
  POSTGRES_PASSWORD: "0123abcd",
  PLAZA_SECRET_KEY: Buffer.alloc(32).toString("base64"),
  PLAZA_PUBLIC_URL: "https://plaza.example.com/v1",
};

/** Puts values in the place of variables, as Compose does. */
function filled(text: string): string {
  const values: Readonly<Record<string, string>> = env;
  return text.replaceAll(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_, name, fallback) => values[name] ?? fallback ?? "",
  );
}

test("two files, one and two Plazas, whose settings exist and are understood", () => {
  assert.deepEqual(
    files.map((file) => plazasOf(file).length),
    [1, 2],
  );
  for (const file of files) {
    assertKnownSettings(textOf(file));
    for (const { environment, stop_grace_period: grace } of plazasOf(file)) {
      const values = Object.entries(environment).flatMap(([name, value]) =>
        value === null ? [] : [[name, filled(value)]],
      );
      assert.ok(Number.parseInt(grace, 10) > stopSecondsOf(Object.fromEntries(values)), grace);
    }
  }
});

test("every Plaza is confined, has a volume of its own, and the image's health check", () => {
  const { Healthcheck: check } = imageConfig({ version: "0.0.0", commit: "" });
  for (const file of files) {
    for (const service of plazasOf(file)) {
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ["ALL"]);
      assert.deepEqual(service.security_opt, ["no-new-privileges:true"]);
      assert.deepEqual(service.tmpfs, ["/tmp"]);
      assert.deepEqual(service.healthcheck, {
        test: check.Test,
        interval: `${check.Interval / 1e9}s`,
        timeout: `${check.Timeout / 1e9}s`,
        start_period: `${check.StartPeriod / 1e9}s`,
        retries: check.Retries,
      });
    }
    const volumes = plazasOf(file).flatMap((service) => service.volumes);
    assert.equal(new Set(volumes).size, plazasOf(file).length);
    for (const volume of volumes) assert.match(volume, /:\/data$/);
  }
});

test("plain HTTP is not open to other machines", () => {
  for (const file of files)
    for (const { ports = [] } of plazasOf(file))
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
});

test("nginx has the configuration that is tested, with the addresses of both Plazas", () => {
  const { nginx, ...services } = servicesOf("compose.postgres.yaml");
  const addressOf = (service: Service | undefined) => service?.networks?.["front"]?.ipv4_address ?? "";
  const plazas = Object.values(services).filter(({ image }) => image.startsWith("plaza:"));
  const shipped = readFileSync(join(root, "packaging/proxies/nginx.conf"), "utf8");
  const line = (address: string) => `  server ${address}:8080 max_fails=1 fail_timeout=1s;\n`;
  const expected = shipped
    .replace(/^# nginx before Plaza: \S+ /, "# nginx before the two Plazas of compose.postgres.yaml. ")
    .replace(line("127.0.0.1"), plazas.map(addressOf).map(line).join(""))
    .replace(/ {2}# server 10\.0\.0\.2.*\n/, "");
  assert.equal(textOf("nginx.conf"), expected);
  for (const { environment } of plazas)
    assert.equal(environment["PLAZA_TRUSTED_PROXIES"], `${addressOf(nginx)}/32`);
});

test("Compose reads them", { skip: whyNot("compose") }, () => {
  const copy = mkdtempSync(join(tmpdir(), "plaza-compose-"));
  try {
    for (const file of files) {
      // The program does not take variables from .env.
      writeFileSync(join(copy, file), filled(textOf(file)));
      const words = ["-format", "json", "-no-interpolation", join(copy, file)];
      const { services } = JSON.parse(
        execFileSync(programOf("compose"), words, { cwd: copy, encoding: "utf8" }),
      );
      assert.deepEqual(Object.keys(services).sort(), Object.keys(servicesOf(file)).sort());
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
});
