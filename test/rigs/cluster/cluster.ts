/**
 * CLUSTER: P01 to P05, P19, P21 and P22 over hosts of our own: three Plazas, a PostgreSQL primary and its
 * replica, nginx and the counting upstream, each in a network namespace, with partitions, latency, lost
 * packets, a host without power and failovers. Needs Linux and root; `main.ts` runs in a namespace of its
 * own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Figure, Rig } from "../harness/figure.ts";
import { findNginxProgram } from "../harness/processes/nginx.ts";
import { nodeBinary, rootFolder } from "../harness/processes/processes.ts";
import type { MainOptions } from "./main.ts";
import { inNewNamespace, whyNoHosts } from "./network.ts";

const nginx = findNginxProgram();

export const skip: string | false =
  whyNoHosts() ?? (nginx === undefined ? "nginx is missing; as root: apt-get install nginx-light" : false);

export const run: Rig = async ({ size, seed }) => {
  const options: MainOptions = { size, seed, nginx: nginx ?? "nginx" };
  const words = [nodeBinary, `${rootFolder}test/rigs/cluster/main.ts`, JSON.stringify(options)];
  const [command = "", ...args] = inNewNamespace(words);
  const child = spawn(command, args, { cwd: rootFolder, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const [code] = await once(child, "close");
  const line = text.split("\n").findLast((one) => one.startsWith('{"figures"'));
  if (code !== 0 || line === undefined) throw new Error(`the cluster ended with ${code}: ${text}`);
  return (JSON.parse(line) as { figures: Figure[] }).figures;
};
