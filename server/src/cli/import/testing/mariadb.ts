/** For tests: a MariaDB server of its own on 127.0.0.1. `.ci/run` installs Debian's. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createConnection } from "mysql2/promise";
import { testCertificate, testCertificateKey } from "../../../../../test/postgres/certificate.ts";
import { closedPort } from "../../../../../test/rigs/harness/processes/ports.ts";
import { startProcess } from "../../../../../test/rigs/harness/processes/processes.ts";

/** Debian installs it in a folder that is not in the PATH of ordinary users. */
const program = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"]
  .map((folder) => join(folder, "mariadbd"))
  .find(existsSync);
const tables = "/usr/share/mysql";

/** Why there is no MariaDB for tests here; false when there is. */
export const whyNoMariadb: string | false =
  program !== undefined && existsSync(`${tables}/mysql_system_tables.sql`)
    ? false
    : "there is no mariadbd here (Debian: apt-get install mariadb-server-core)";

export const database = "new-api";
/** With characters that end a part of an address. */
const password = "p@ss:/w?rd#";

/** Runs statements as the user of the address. */
async function runAll(port: number, statements: readonly string[]): Promise<void> {
  const connection = await createConnection({ host: "127.0.0.1", port, user: "owner", password, database });
  await connection.query("set session sql_mode = 'ANSI_QUOTES'");
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

export interface Mariadb {
  readonly url: string;
  /** The same address as new-api has it in SQL_DSN. */
  readonly dsn: string;
  close(): Promise<void>;
}

/** Starts a server that offers TLS with the tests' certificate; `folder` is removed by the caller. */
export async function startMariadb(folder: string, statements: readonly string[]): Promise<Mariadb> {
  const data = join(folder, "mariadb");
  await mkdir(data);
  const settings = [
    // The first, or it is not known.
    "--no-defaults",
    `--datadir=${data}`,
    "--innodb-buffer-pool-size=8M",
    "--innodb-log-file-size=4M",
    // It refuses to run as superuser unless it is told to.
    ...(process.getuid?.() === 0 ? ["--user=root"] : []),
  ];
  const input = [
    "create database mysql;\nuse mysql;",
    readFileSync(`${tables}/mysql_system_tables.sql`, "utf8"),
    readFileSync(`${tables}/mysql_system_tables_data.sql`, "utf8"),
    "flush privileges;",
    `create database \`${database}\` character set utf8mb4;`,
    `create user 'owner'@'127.0.0.1' identified by '${password}';`,
    `grant all on \`${database}\`.* to 'owner'@'127.0.0.1';\n`,
  ].join("\n");
  const made = spawnSync(program ?? "mariadbd", [...settings, "--bootstrap"], { input, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`mariadbd --bootstrap failed: ${made.stderr}`);
  const [certificate, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  writeFileSync(certificate, testCertificate);
  writeFileSync(key, testCertificateKey, { mode: 0o600 });
  const port = await closedPort();
  const running = startProcess(program ?? "mariadbd", [
    ...settings,
    `--socket=${join(folder, "mariadb.sock")}`,
    "--bind-address=127.0.0.1",
    `--port=${port}`,
    `--ssl-cert=${certificate}`,
    `--ssl-key=${key}`,
  ]);
  // It says that it is ready on the standard error, where `waitFor` does not look.
  await new Promise<void>((resolve, reject) => {
    running.child.stderr?.on("data", () => {
      if (running.stderr().includes("ready for connections")) resolve();
    });
    void running.ended.then(() => reject(new Error(`mariadbd ended: ${running.stderr()}`)));
  });
  await runAll(port, statements);
  return {
    url: `mysql://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    dsn: `owner:${password}@tcp(127.0.0.1:${port})/${database}?charset=utf8mb4&parseTime=True&loc=Local`,
    close: async () => void (await running.stop("SIGTERM", 10_000)),
  };
}
