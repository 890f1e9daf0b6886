/** nginx before an upstream behind TLS, configured as `gateways/nginx.ts` does it before one without. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startChild, stopChild } from "../gateways/child.ts";
import type { Gateway } from "../gateways/gateway.ts";

const startMs = 500;

function configuration(port: number, upstreamPort: number): string {
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
    listen 127.0.0.1:${port} backlog=4096;
    location /v1/ {
      proxy_pass https://upstream_kept/v1/;
      proxy_ssl_session_reuse on;
      proxy_ssl_server_name on;
      proxy_ssl_name media.test;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

export async function startTlsNginx(
  program: string,
  upstreamPort: number,
  folder: string,
  cores: readonly number[],
): Promise<Gateway> {
  const home = mkdtempSync(join(folder, "nginx-tls-"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  const { port } = address;
  writeFileSync(join(home, "nginx.conf"), configuration(port, upstreamPort));
  const child = startChild("nginx", program, ["-p", home, "-c", "nginx.conf", "-e", "stderr"], { cores });
  await sleep(startMs);
  const path = "/v1/chat/completions";
  const key = "sk-not-checked-by-nginx";
  return {
    name: "nginx",
    pid: child.pid,
    port,
    jsonPath: path,
    streamPath: path,
    key,
    stop: () => stopChild(child),
  };
}
