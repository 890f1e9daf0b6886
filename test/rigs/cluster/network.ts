/**
 * Hosts of our own: network namespaces joined by a bridge, each with an address. All of it belongs to
 * processes and nothing has a name in the system, so the kernel removes everything with the rig, however it
 * ends. Knows nothing of Plaza.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import type { RunAs } from "../../postgres/binaries.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { type Running, startProcess } from "../harness/processes/processes.ts";

/** Addresses are from the range for tests of networks (RFC 2544). */
const addressOf = (last: number): string => `198.18.0.${last}`;
/** The switch, where the rig and its load run. */
const switchAddress = addressOf(1);
/** The address by which Plaza knows the database; it moves to the server that is the primary. */
export const databaseAddress = addressOf(50);
const bridge = "br0";
const readyMs = 5_000;
/** The switch may lose the first, while it still opens the port. */
const announcements = 3;
const announceMs = 100;

/** Ends a process with its parent, even one that is killed. */
const withParent = ["--pdeathsig", "KILL"];

/** What must work in a namespace; each line as an operator would type it. */
const needs = `set -e
ip link set lo up
ip link add ${bridge} type bridge
ip link add p1 type veth peer name p2
ip link set p1 master ${bridge}
iptables -w -A INPUT -m statistic --mode random --probability 0.5 -j DROP
iptables -w -t nat -A OUTPUT -p tcp -d ${databaseAddress} -j REDIRECT --to-ports 1
setpriv ${withParent.join(" ")} true`;

/** Why hosts cannot be made here, as a sentence; undefined = they can. */
export function whyNoHosts(): string | undefined {
  const tried = spawnSync("unshare", ["--net", "--", "sh", "-c", needs], { encoding: "utf8" });
  if (tried.status === 0) return undefined;
  const [why = tried.error?.message ?? "it failed"] = tried.stderr?.split("\n") ?? [];
  return `hosts cannot be made here (root, iproute2, iptables and util-linux are needed): ${why}`;
}

/** The command that runs another one in a new network namespace, which ends with its parent. */
export const inNewNamespace = (words: readonly string[]): readonly string[] => [
  "unshare",
  "--net",
  "--",
  "setpriv",
  ...withParent,
  "--",
  ...words,
];

function run(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    throw new Error(`${command} ${args.join(" ")}: ${stderr?.toString() ?? String(error)}`);
  }
}

export interface Host {
  readonly name: string;
  readonly address: string;
  /** Starts a program here; it ends with the rig. */
  start(words: readonly string[], options?: StartOptions): Running;
  /** From now on nothing reaches it and nothing leaves it; nothing is told of that, as without power. */
  goDark(): void;
  comeBack(): void;
  /** Drops all packets to and from these addresses, silently. */
  cutOffFrom(addresses: readonly string[]): void;
  /** Drops this share of arriving packets, at random. Not repeated by a seed. */
  lose(percent: number): void;
  /** Sends new connections to the database to this local port instead. */
  redirectDatabase(port: number): void;
  /** Ends what `cutOffFrom`, `lose` and `redirectDatabase` began. */
  heal(): void;
  /** Gives it the database's address, and tells its neighbours; the host that had it must have gone. */
  takeDatabaseAddress(): Promise<void>;
  dropDatabaseAddress(): void;
  /** SIGKILL to everything started here. */
  killAll(): Promise<void>;
}

interface StartOptions {
  readonly env?: Record<string, string>;
  readonly as?: RunAs | undefined;
}

/** Called once, in a namespace of the rig's own (`inNewNamespace`). */
export function makeSwitch(): void {
  run("ip", ["link", "set", "lo", "up"]);
  run("ip", ["link", "add", bridge, "type", "bridge"]);
  run("ip", ["address", "add", `${switchAddress}/24`, "dev", bridge]);
  run("ip", ["link", "set", bridge, "up"]);
}

/** A process that keeps a new namespace; resolves when it is in it. */
async function openNamespace(name: string): Promise<number> {
  const [command = "", ...words] = inNewNamespace(["sleep", "infinity"]);
  const keeper = spawn(command, words, { stdio: "ignore" });
  keeper.unref();
  const { pid } = keeper;
  if (pid === undefined) throw new Error(`no namespace for ${name}`);
  process.once("exit", () => keeper.kill("SIGKILL"));
  const own = readlinkSync("/proc/self/ns/net");
  const isApart = () => readlinkSync(`/proc/${pid}/ns/net`) !== own;
  if (!(await eventually(isApart, readyMs, 2))) throw new Error(`no namespace for ${name}`);
  return pid;
}

/** Makes a host with the address 198.18.0.`last`, with one more port for the database's address. */
export async function makeHost(name: string, last: number): Promise<Host> {
  const address = addressOf(last);
  const keeper = await openNamespace(name);
  const enter = ["nsenter", "--target", String(keeper), "--net", "--"];
  const inside = (...words: readonly string[]): void => {
    const [command = "", ...args] = [...enter, ...words];
    run(command, args);
  };
  const ports = [`${name}-0`, `${name}-1`] as const;
  for (const [index, port] of ports.entries()) {
    const peer = ["peer", "name", `eth${index}`, "netns", String(keeper)];
    run("ip", ["link", "add", port, "type", "veth", ...peer]);
    run("ip", ["link", "set", port, "master", bridge, "up"]);
  }
  const kernel = "/proc/sys/net/ipv4/conf";
  // A port answers for its own addresses only, and says so when it comes up: as routers that share one do.
  inside("sh", "-c", `echo 1 > ${kernel}/all/arp_notify; echo 1 > ${kernel}/eth1/arp_notify`);
  inside("sh", "-c", `echo 1 > ${kernel}/all/arp_ignore; echo 0 > ${kernel}/all/rp_filter`);
  inside("ip", "link", "set", "lo", "up");
  inside("ip", "address", "add", `${address}/24`, "dev", "eth0");
  inside("ip", "link", "set", "eth0", "up");
  const filter = (...words: readonly string[]) => inside("iptables", "-w", ...words);
  const started: Running[] = [];
  return {
    name,
    address,
    start(words, { env = {}, as } = {}) {
      const user = as === undefined ? [] : [`--reuid=${as.uid}`, `--regid=${as.gid}`, "--clear-groups"];
      const [command = "", ...args] = [...enter, "setpriv", ...user, ...withParent, "--", ...words];
      const running = startProcess(command, args, env);
      started.push(running);
      return running;
    },
    goDark() {
      for (const port of ports) run("ip", ["link", "set", port, "down"]);
    },
    comeBack() {
      for (const port of ports) run("ip", ["link", "set", port, "up"]);
    },
    cutOffFrom(addresses) {
      const list = addresses.join(",");
      filter("-A", "INPUT", "-s", list, "-j", "DROP");
      filter("-A", "OUTPUT", "-d", list, "-j", "DROP");
    },
    lose(percent) {
      const match = ["-m", "statistic", "--mode", "random", "--probability", String(percent / 100)];
      filter("-A", "INPUT", "!", "-i", "lo", ...match, "-j", "DROP");
    },
    redirectDatabase(port) {
      const to = ["-p", "tcp", "-d", databaseAddress, "-j", "REDIRECT", "--to-ports", String(port)];
      filter("-t", "nat", "-A", "OUTPUT", ...to);
    },
    heal() {
      filter("-F");
      filter("-t", "nat", "-F");
    },
    async takeDatabaseAddress() {
      inside("ip", "address", "add", `${databaseAddress}/32`, "dev", "eth1");
      inside("ip", "link", "set", "eth1", "up");
      // Each time the port's own address is set, the kernel announces whose the other one is (arp_notify).
      for (let told = 0; told < announcements; told++) {
        await pause(announceMs);
        inside("ip", "link", "set", "eth1", "address", `02:00:c6:12:00:${String(last).padStart(2, "0")}`);
      }
    },
    dropDatabaseAddress() {
      inside("ip", "link", "set", "eth1", "down");
      inside("ip", "address", "flush", "dev", "eth1");
    },
    async killAll() {
      await Promise.all(started.splice(0).map((running) => running.stop("SIGKILL")));
    },
  };
}
