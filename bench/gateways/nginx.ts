/**
 * nginx as the lower bound for the cost of proxying: one worker, kept connections, no logs, a separate
 * folder.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, outputTail, startChild, stopChild } from "./child.ts";
import type { Gateway } from "./gateway.ts";

const readyTimeoutMs = 5000;

/** A port that was free a moment ago, for gateways that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** As long as Plaza's own. */
const refusal =
  '{"error":{"message":"Incorrect API key provided: sk-plaza-abcd…wxyz. No such key.","type":"authentication_error","param":null,"code":"invalid_api_key"}}';

function configuration(port: number, upstreamPort: number): string {
  const proxy = `proxy_pass http://upstream_kept/v1/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";`;
  return `daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
${process.getuid?.() === 0 ? "user root;" : ""}
pid nginx.pid;
error_log stderr warn;
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  client_body_buffer_size 256k;
  client_max_body_size 32m;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream upstream_kept {
    server 127.0.0.1:${upstreamPort};
    keepalive 4096;
    keepalive_requests 1000000000;
  }
  server {
    default_type application/json;
    listen 127.0.0.1:${port} backlog=4096;
    location /v1/ {
      ${proxy}
    }
    location /refused/ {
      return 401 '${refusal}';
    }
    location /stream/v1/ {
      ${proxy}
      proxy_buffering off;
    }
  }
}
`;
}

/** True when something listens on the port. */
export async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/**
 * Starts nginx before an upstream and waits until it accepts connections. `folder` must exist; a new one is
 * created inside.
 */
export async function startNginx(
  program: string,
  upstreamPort: number,
  folder: string,
  cores: readonly number[],
): Promise<Gateway> {
  const home = mkdtempSync(join(folder, "nginx-"));
  const port = await freePort();
  writeFileSync(join(home, "nginx.conf"), configuration(port, upstreamPort));
  const child = startChild("nginx", program, ["-p", home, "-c", "nginx.conf", "-e", "stderr"], { cores });
  const deadline = performance.now() + readyTimeoutMs;
  while (!(await accepts(port))) {
    if (hasEnded(child) || performance.now() > deadline) {
      await stopChild(child);
      throw new Error(`nginx did not start:\n${outputTail(child)}`);
    }
    await sleep(10);
  }
  return {
    name: "nginx",
    pid: child.pid,
    port,
    jsonPath: "/v1/chat/completions",
    streamPath: "/stream/v1/chat/completions",
    refusedPath: "/refused/v1/chat/completions",
    key: "sk-not-checked-by-nginx",
    stop: () => stopChild(child),
  };
}
