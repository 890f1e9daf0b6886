/**
 * Open source nginx before several processes: it notices a stopped process only by refused connections. As L4
 * (stream module) and as L7, with the configurations of docs/operate/operations.md.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../measure/clock.ts";
import type { Balancer } from "./balancer.ts";
import { closedPort } from "./ports.ts";
import { startProcess } from "./processes.ts";

/** Debian installs nginx in a folder that is not in the PATH of ordinary users. */
const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
const packages = ["nginx-light", "libnginx-mod-stream"];
const installMs = 300_000;
const readyMs = 5_000;

/** An nginx that supports both. */
interface Nginx {
  readonly program: string;
  /** The line that loads the stream module; empty if it is built in. */
  readonly loadStream: string;
}

/** The program, with or without the module. */
export const findNginxProgram = (): string | undefined =>
  folders.map((folder) => join(folder, "nginx")).find(existsSync);

function findNginx(): Nginx | undefined {
  const program = findNginxProgram();
  if (program === undefined) return undefined;
  const { stderr } = spawnSync(program, ["-V"], { encoding: "utf8" });
  if (/--with-stream(\s|$)/.test(stderr)) return { program, loadStream: "" };
  const [, modules = "/usr/lib/nginx/modules"] = /--modules-path=(\S+)/.exec(stderr) ?? [];
  const file = join(modules, "ngx_stream_module.so");
  return existsSync(file) ? { program, loadStream: `load_module ${file};` } : undefined;
}

function install(): void {
  // Runlevel 1 keeps Debian from starting nginx as a service.
  const env = { ...process.env, RUNLEVEL: "1", DEBIAN_FRONTEND: "noninteractive" };
  for (const words of [["update"], ["install", "-y", "--no-install-recommends", ...packages]])
    execFileSync("apt-get", words, { env, timeout: installMs, stdio: "ignore" });
}

/**
 * Finds nginx with its stream module, or installs it with apt-get as root; otherwise returns a sentence that
 * says what to do.
 */
export function requireNginx(): Nginx | string {
  const found = findNginx();
  if (found !== undefined) return found;
  try {
    if (process.getuid?.() === 0) install();
  } catch {
    // Reported below.
  }
  return (
    findNginx() ?? `nginx with its stream module is missing; as root: apt-get install ${packages.join(" ")}`
  );
}

const local = (port: number): string => `127.0.0.1:${port}`;

/** Of processes by their addresses, `host:port`. */
const servers = (addresses: readonly string[]): string =>
  addresses.map((address) => `server ${address} max_fails=1 fail_timeout=1s;`).join("\n    ");

const streamPart = (port: number, ports: readonly number[]): string => `stream {
  upstream plaza {
    ${servers(ports.map(local))}
  }
  server {
    listen ${local(port)};
    proxy_pass plaza;
    proxy_connect_timeout 1s;
    proxy_timeout 15m;
  }
}`;

const httpPart = (at: string, addresses: readonly string[], keptSeconds: number): string => `http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream plaza {
    ${servers(addresses)}
    keepalive 64;
    keepalive_timeout ${keptSeconds}s;
  }
  server {
    listen ${at};
    client_max_body_size 32m;
    location / {
      proxy_pass http://plaza;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_connect_timeout 1s;
      proxy_read_timeout 15m;
      proxy_next_upstream error timeout;
    }
  }
}`;

const whole = (loaded: string, part: string): string => `${loaded}
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? "user root;" : ""}
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
${part}
`;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function start(program: string, port: number, configuration: string): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), "plaza-nginx-"));
  writeFileSync(join(folder, "nginx.conf"), configuration);
  const running = startProcess(program, ["-p", folder, "-c", "nginx.conf", "-e", "stderr"]);
  const close = async (): Promise<void> => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  if (await eventually(() => accepts(port), readyMs)) return { port, close };
  await close();
  throw new Error(`nginx did not start: ${running.stderr()}`);
}

/** Forwards bytes, each connection to one of the ports. */
export async function startNginxL4(
  { program, loadStream }: Nginx,
  ports: readonly number[],
): Promise<Balancer> {
  const port = await closedPort();
  return start(program, port, whole(loadStream, streamPart(port, ports)));
}

/**
 * The configuration of an L7 that listens at `at` before these addresses, all `host:port`, as one process
 * that leaves none behind.
 */
export const nginxL7Text = (at: string, addresses: readonly string[], keptSeconds: number): string =>
  `master_process off;\n${whole("", httpPart(at, addresses, keptSeconds))}`;

/** Forwards requests over connections kept for `keptSeconds`, which must be less than the lame-duck time. */
export async function startNginxL7(
  { program }: Nginx,
  ports: readonly number[],
  keptSeconds: number,
): Promise<Balancer> {
  const port = await closedPort();
  return start(program, port, whole("", httpPart(local(port), ports.map(local), keptSeconds)));
}
