/**
 * Runs a release's image as a container: as its user, without capabilities, on a read-only disk, as process
 * 1. By crun; where that cannot start a container, in namespaces of unshare and chroot. The network is that
 * of this machine.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Released, startReleased } from "./released.ts";

/** What an image says of itself; times are in nanoseconds. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly StopSignal: NodeJS.Signals;
  readonly Healthcheck: { readonly Test: readonly [string, ...string[]] };
}

export interface UnpackedImage {
  readonly config: ImageConfig;
  /** The image's files, owned as it says. */
  readonly rootfs: string;
  /** Bytes of the layers as they are pulled. */
  readonly layersBytes: number;
  readonly architecture: string;
  /** `sha256:…` of the manifest. */
  readonly digest: string;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Unpacks an image archive below the folder. */
export function unpackImage(archive: string, folder: string): UnpackedImage {
  const [layout, rootfs] = [join(folder, "layout"), join(folder, "rootfs")];
  for (const path of [layout, rootfs]) mkdirSync(path, { recursive: true });
  execFileSync("tar", ["-xf", archive, "-C", layout]);
  const pathOf = ({ digest }: Blob): string => join(layout, "blobs", digest.replace(":", "/"));
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const [found] = read(join(layout, "index.json")).manifests as Blob[];
  const manifest = read(pathOf(found as Blob)) as { config: Blob; layers: Blob[] };
  const { config, architecture } = read(pathOf(manifest.config));
  for (const layer of manifest.layers)
    execFileSync("tar", ["-xzpf", pathOf(layer), "-C", rootfs, "--numeric-owner", "--same-owner"]);
  const layersBytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  return { config, rootfs, layersBytes, architecture, digest: (found as Blob).digest };
}

interface Run {
  readonly image: UnpackedImage;
  /** An empty folder for what the runtime needs, and the volume. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

export interface Runtime {
  readonly name: string;
  /** The command that runs the container until it ends. */
  readonly run: (run: Run) => [string, ...string[]];
  /** The command that runs another process in the container. */
  readonly exec: (run: Run, init: number) => [string, ...string[]];
  /** Number of the container's first process on this machine; `started` is the command's. */
  readonly initOf: (run: Run, started: number) => number;
}

const idsOf = ({ config }: UnpackedImage): [number, number] => {
  const [user = 0, group = 0] = config.User.split(":").map(Number);
  return [user, group];
};

const volumeOf = ({ image, folder }: Run): string => {
  const path = join(folder, "volume");
  if (existsSync(path)) return path;
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, ...idsOf(image));
  return path;
};

const environment = ({ image, env }: Run): string[] => [
  ...image.config.Env,
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
];

/** The mounts of a container that is run with `--read-only --tmpfs /tmp -v …:/data`. */
function mountsOf(run: Run) {
  const bind = (destination: string) => ({
    destination,
    type: "bind",
    source: volumeOf(run),
    options: ["rbind", "rw", "nosuid", "nodev"],
  });
  return [
    { destination: "/proc", type: "proc", source: "proc" },
    { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755", "size=64k"] },
    { destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"] },
    ...Object.keys(run.image.config.Volumes).map(bind),
  ];
}

const crunId = ({ folder }: Run): string => `plaza-test-${folder.replaceAll(/[^A-Za-z0-9]/g, "-")}`;

/** In a mount namespace of its own crun finds control groups of one version, where a machine has both. */
const beforeCrun = "umount -l /sys/fs/cgroup/unified 2>/dev/null; rmdir /sys/fs/cgroup/unified 2>/dev/null";
const crun = (words: string): [string, ...string[]] => [
  "unshare",
  "--mount",
  "sh",
  "-c",
  `${beforeCrun}; exec crun --cgroup-manager=disabled ${words}`,
];

const withCrun: Runtime = {
  name: "crun",
  run(run) {
    const { image, folder, words } = run;
    const [uid, gid] = idsOf(image);
    const namespaces = ["pid", "ipc", "uts", "mount"].map((type) => ({ type }));
    const spec = {
      ociVersion: "1.0.0",
      root: { path: image.rootfs, readonly: true },
      process: {
        user: { uid, gid },
        args: [...image.config.Entrypoint, ...words],
        env: environment(run),
        cwd: image.config.WorkingDir,
        capabilities: {},
        noNewPrivileges: true,
      },
      mounts: mountsOf(run),
      linux: { namespaces },
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify(spec));
    rmSync(join(folder, "pid"), { force: true });
    return crun(`run --bundle '${folder}' --pid-file '${folder}/pid' ${crunId(run)}`);
  },
  exec: (run) => crun(`exec ${crunId(run)} ${run.words.join(" ")}`),
  initOf: ({ folder }) => Number(readFileSync(join(folder, "pid"), "utf8")),
};

const withChroot: Runtime = {
  name: "unshare and chroot",
  run(run) {
    const { rootfs, config } = run.image;
    const variables = environment(run).map((one) => `'${one}'`);
    const words = [...config.Entrypoint, ...run.words];
    const script = [
      "set -e",
      `mount --bind '${rootfs}' '${rootfs}'`,
      `cd '${rootfs}'`,
      "mount -o remount,bind,ro .",
      "mount -t proc proc proc",
      "mount -t tmpfs -o mode=1777 tmpfs tmp",
      ...Object.keys(config.Volumes).map((path) => `mount --bind '${volumeOf(run)}' '.${path}'`),
      `exec setpriv --no-new-privs env -i ${variables.join(" ")} "$(command -v chroot)" --userspec=${config.User} . ${words.join(" ")}`,
    ];
    const namespaces = ["--mount", "--pid", "--ipc", "--uts"];
    return ["unshare", ...namespaces, "--fork", "--kill-child", "sh", "-c", script.join("\n")];
  },
  exec(run, init) {
    const [uid, gid] = idsOf(run.image);
    const target = [
      "--target",
      String(init),
      "--mount",
      "--pid",
      "--root",
      `--setuid=${uid}`,
      `--setgid=${gid}`,
    ];
    return ["nsenter", ...target, ...run.words];
  },
  initOf: (_, started) => Number(readFileSync(`/proc/${started}/task/${started}/children`, "utf8").trim()),
};

/** Runs a command to its end; it has no environment but a PATH, and that of the image. */
function runToEnd(run: Run, [file, ...words]: readonly [string, ...string[]]) {
  const variables = Object.fromEntries(environment(run).map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const env = { ...variables, PATH: process.env["PATH"] };
  return spawnSync(file, words, { cwd: run.folder, env, encoding: "utf8" });
}

export interface Runtimes {
  /** undefined when no container can be started here. */
  readonly runtime: Runtime | undefined;
  /** Why a better one was not taken, or none. */
  readonly reasons: readonly string[];
}

/** Finds a runtime that can start the image here: each prints its version once. */
export function findRuntime(image: UnpackedImage, folder: string, version: string): Runtimes {
  const reasons: string[] = [];
  for (const runtime of [withCrun, withChroot]) {
    const run = { image, folder, env: {}, words: ["--version"] };
    const { status, stdout, stderr, error } = runToEnd(run, runtime.run(run));
    if (status === 0 && stdout === `${version}\n`) return { runtime, reasons };
    reasons.push(`${runtime.name} cannot run the image here: ${(error?.message ?? stderr).trim()}`);
  }
  return { runtime: undefined, reasons };
}

export interface Container extends Released {
  /** Number of its first process on this machine. */
  readonly init: number;
  /** Runs the image's health check inside, as it is configured. */
  checkHealth(): HealthCheck;
  /** Ends it at once, where it still runs. */
  kill(): void;
}

interface HealthCheck {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the image's own command and resolves when it is ready. `stop` sends the image's signal. */
export async function startContainer(
  runtime: Runtime,
  image: UnpackedImage,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Container> {
  const run = { image, folder, env, words: image.config.Cmd };
  const released = await startReleased(runtime.run(run), folder, { PATH: process.env["PATH"] ?? "" });
  const init = runtime.initOf(run, released.pid);
  return {
    ...released,
    init,
    checkHealth() {
      const [kind, ...words] = image.config.Healthcheck.Test;
      if (kind !== "CMD") throw new Error(`a health check of the kind ${kind} needs a shell`);
      const check = { ...run, words };
      return runToEnd(check, runtime.exec(check, init));
    },
    kill() {
      try {
        process.kill(init, "SIGKILL");
      } catch {
        // It has ended.
      }
    },
    stop() {
      process.kill(init, image.config.StopSignal);
      return released.ended();
    },
  };
}
