/**
 * Proxies before the product, each with its configuration of packaging/proxies: only addresses, ports and
 * files are replaced, and every replacement must be found. `.ci/run` installs them.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { closedPort } from "../../rigs/harness/processes/ports.ts";
import { type Running, rootFolder, startProcess } from "../../rigs/harness/processes/processes.ts";
import { type CertificateFilePair, InstalledPair } from "./certificates.ts";

export const proxyKinds = ["nginx", "caddy", "haproxy", "traefik"] as const;
export type ProxyKind = (typeof proxyKinds)[number];

/** Debian installs some in a folder that is not in the PATH of ordinary users. */
const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
const programOf = (kind: ProxyKind): string | undefined =>
  folders.map((folder) => join(folder, kind)).find(existsSync);

/** Why this proxy cannot be tested here; false when it can. */
export const whyNoProxy = (kind: ProxyKind): string | false => {
  if (programOf(kind) !== undefined) return false;
  const how = kind === "traefik" ? "put its program into the PATH" : `Debian: apt-get install ${kind}`;
  return `there is no ${kind} here (${how})`;
};

interface Place {
  /** An empty folder for the proxy. */
  readonly folder: string;
  /** Where it serves HTTPS, at 127.0.0.1. */
  readonly port: number;
  readonly plazaPort: number;
  /** Of a second Plaza, or undefined. */
  readonly secondPort: number | undefined;
  readonly files: InstalledPair;
}

/** Replaces each text, which must be there. */
function rewritten(text: string, changes: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(changes)) {
    if (!result.includes(from)) throw new Error(`${JSON.stringify(from)} is not in the configuration`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Returns the arguments, after it has written the files. */
const prepare: Readonly<Record<ProxyKind, (place: Place, shipped: string) => Promise<string[]>>> = {
  async nginx({ folder, port, plazaPort, secondPort, files }, shipped) {
    const site = rewritten(shipped, {
      "server 127.0.0.1:8080": `server 127.0.0.1:${plazaPort}`,
      ...(secondPort && { "# server 10.0.0.2:8080": `server 127.0.0.1:${secondPort}` }),
      "listen 443": `listen 127.0.0.1:${port}`,
      "/etc/plaza/tls.crt": files.chainFile,
      "/etc/plaza/tls.key": files.keyFile,
    });
    await writeFile(join(folder, "plaza.conf"), site);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${name};`,
    );
    const user = process.getuid?.() === 0 ? "user root;" : "";
    const main = `daemon off;\n${user}\npid nginx.pid;\nerror_log stderr warn;\nevents {}
http {\n  access_log off;\n  ${paths.join("\n  ")}\n  include plaza.conf;\n}\n`;
    await writeFile(join(folder, "nginx.conf"), main);
    return ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  },
  async caddy({ folder, port, plazaPort, secondPort, files }, shipped) {
    const second = secondPort === undefined ? "" : ` 127.0.0.1:${secondPort}`;
    const site = rewritten(shipped, {
      "plaza.example.com {": `https://localhost:${port} {\n\ttls ${files.chainFile} ${files.keyFile}`,
      "reverse_proxy 127.0.0.1:8080": `reverse_proxy 127.0.0.1:${plazaPort}${second}`,
    });
    const file = join(folder, "Caddyfile");
    await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    return ["run", "--config", file, "--adapter", "caddyfile"];
  },
  async haproxy({ folder, port, plazaPort, secondPort, files }, shipped) {
    const both = join(folder, "plaza.pem");
    await writeFile(
      both,
      (await readFile(files.chainFile, "utf8")) + (await readFile(files.keyFile, "utf8")),
    );
    const text = rewritten(shipped, {
      "server plaza1 127.0.0.1:8080": `server plaza1 127.0.0.1:${plazaPort}`,
      ...(secondPort && { "# server plaza2 10.0.0.2:8080": `server plaza2 127.0.0.1:${secondPort}` }),
      "bind :443": `bind 127.0.0.1:${port}`,
      "/etc/haproxy/plaza.pem": both,
    });
    const file = join(folder, "haproxy.cfg");
    await writeFile(file, text);
    return ["-db", "-f", file];
  },
  async traefik({ folder, port, plazaPort, secondPort, files }, shipped) {
    // The file ends with the static configuration, as a comment.
    const [dynamic = "", behind = ""] = shipped.split(/^# The static configuration.*\n/m);
    const dynamicFile = join(folder, "plaza.yaml");
    const site = rewritten(dynamic, {
      "plaza.example.com": "localhost",
      "http://127.0.0.1:8080": `http://127.0.0.1:${plazaPort}`,
      ...(secondPort && { '# - url: "http://10.0.0.2:8080"': `- url: "http://127.0.0.1:${secondPort}"` }),
      "/etc/plaza/tls.crt": files.chainFile,
      "/etc/plaza/tls.key": files.keyFile,
    });
    await writeFile(dynamicFile, site);
    const main = rewritten(behind.replaceAll(/^# ?/gm, ""), {
      '":443"': `"127.0.0.1:${port}"`,
      "/etc/traefik/plaza.yaml": dynamicFile,
    });
    const file = join(folder, "traefik.yaml");
    await writeFile(file, `${main}\nglobal:\n  checkNewVersion: false\n`);
    return [`--configFile=${file}`];
  },
};

const shippedFiles: Readonly<Record<ProxyKind, string>> = {
  nginx: "nginx.conf",
  caddy: "Caddyfile",
  haproxy: "haproxy.cfg",
  traefik: "traefik.yaml",
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

interface ProxyOptions {
  readonly plazaPort: number;
  readonly secondPort?: number;
  readonly pair: CertificateFilePair;
  readonly folder: string;
}

/** Starts the proxy as `localhost` with this certificate; `folder` is removed by the caller. */
export async function startProxy(
  kind: ProxyKind,
  { plazaPort, secondPort, pair, folder }: ProxyOptions,
): Promise<{ readonly port: number; readonly running: Running }> {
  const place = { folder, plazaPort, secondPort, port: await closedPort(), files: new InstalledPair(folder) };
  await mkdir(folder, { recursive: true });
  await place.files.install(pair);
  const shipped = await readFile(`${rootFolder}packaging/proxies/${shippedFiles[kind]}`, "utf8");
  const words = await prepare[kind](place, shipped);
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const running = startProcess(programOf(kind) ?? kind, words, home);
  if (await eventually(() => accepts(place.port), 10_000)) return { port: place.port, running };
  await running.stop("SIGKILL");
  throw new Error(`${kind} did not start: ${running.stderr()}`);
}
