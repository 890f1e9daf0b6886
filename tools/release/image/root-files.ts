/**
 * What is in an image: Node with its libraries and the few files of a system that it reads, then the product.
 * No shell, no package manager.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TarEntry } from "modern-tar";
import type { Files } from "../product.ts";
import { root } from "../root.ts";
import type { Libraries } from "./libraries.ts";

/** The user and group of the process: no account of any machine. */
export const userId = 65_532;

/** Where the data goes: the only folder besides /tmp that is written to. */
export const dataFolder = "/data";

export const command = "/usr/bin/plaza";

const productFolder = "opt/plaza";
const commandFile = "server/bin/plaza.mjs";

/** Files in /etc by name: the user's name, and that names are looked up in /etc/hosts first. */
const settings: Readonly<Record<string, string>> = {
  group: `root:x:0:\nplaza:x:${userId}:\n`,
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  passwd: `root:x:0:0:root:/:/sbin/nologin\nplaza:x:${userId}:${userId}:plaza:${dataFolder}:/sbin/nologin\n`,
};

/** Folders that runtimes mount something on, or that the process writes to. */
const folders: readonly { path: string; mode: number; owner: number }[] = [
  { path: "data", mode: 0o700, owner: userId },
  { path: "dev", mode: 0o755, owner: 0 },
  { path: "proc", mode: 0o555, owner: 0 },
  { path: "sys", mode: 0o555, owner: 0 },
  { path: "tmp", mode: 0o1777, owner: 0 },
];

function fileEntry(path: string, body: Buffer, mtime: Date, mode = 0o644): TarEntry {
  return { header: { name: path, size: body.length, mtime, mode, uid: 0, gid: 0 }, body };
}

function folderEntry(path: string, mtime: Date, mode = 0o755, owner = 0): TarEntry {
  const header = { name: `${path}/`, size: 0, mtime, mode, uid: owner, gid: owner };
  return { header: { ...header, type: "directory" } };
}

function linkEntry(path: string, to: string, mtime: Date): TarEntry {
  const header = { name: path, size: 0, mtime, mode: 0o777, uid: 0, gid: 0 };
  return { header: { ...header, type: "symlink", linkname: to } };
}

/** Adds the folders that entries are in; sorts all by path. */
function complete(entries: readonly TarEntry[], mtime: Date, known: ReadonlySet<string>): TarEntry[] {
  const names = new Set([...known, ...entries.map(({ header }) => header.name)]);
  const added: TarEntry[] = [];
  for (const { header } of entries) {
    const parts = header.name.split("/").filter(Boolean);
    for (let depth = 1; depth < parts.length; depth += 1) {
      const path = parts.slice(0, depth).join("/");
      if (names.has(`${path}/`)) continue;
      names.add(`${path}/`);
      added.push(folderEntry(path, mtime));
    }
  }
  return [...entries, ...added].sort((one, other) => (one.header.name < other.header.name ? -1 : 1));
}

export interface RootParts {
  readonly libraries: Libraries;
  /** The platform's Node, stripped. */
  readonly node: Buffer;
  /** The server, the console and the catalog. */
  readonly product: Files;
  /** THIRD-PARTY-LICENSES. */
  readonly licences: string;
  /** Of the release; every time in the layer that changes with it. */
  readonly time: Date;
}

/**
 * Returns the layers, lower first. The lower one has nothing of the version in it, so that an upgrade loads
 * the upper one alone.
 */
export function rootLayers({ libraries, node, product, licences, time }: RootParts): TarEntry[][] {
  const never = new Date(0);
  const system = [
    ...Object.entries(settings).map(([name, text]) => fileEntry(`etc/${name}`, Buffer.from(text), never)),
    ...folders.map(({ path, mode, owner }) => folderEntry(path, never, mode, owner)),
    ...[...libraries.files].map(([path, body]) => fileEntry(path, body, never, 0o755)),
    ...libraries.packages.flatMap(({ name, control, copyright }) => [
      fileEntry(`usr/share/doc/${name}/copyright`, copyright, never),
      fileEntry(`var/lib/dpkg/status.d/${name}`, control, never),
    ]),
    // Scanners of images look here for the distribution of the packages.
    fileEntry("etc/os-release", readFileSync("/etc/os-release"), never),
    fileEntry("usr/bin/node", node, never, 0o755),
  ];
  const lower = complete(system, never, new Set());
  const program = readFileSync(join(root, "tools/release/entry/image.mjs"));
  const licence = readFileSync(join(root, "LICENSE"), "utf8");
  const upper = [
    ...[...product].map(([path, body]) => fileEntry(`${productFolder}/${path}`, body, time)),
    fileEntry(`${productFolder}/${commandFile}`, program, time, 0o755),
    fileEntry("usr/share/doc/plaza/copyright", Buffer.from(`${licence}\n${licences}`), time),
    linkEntry(command.slice(1), `../../${productFolder}/${commandFile}`, time),
  ];
  return [lower, complete(upper, time, new Set(lower.map(({ header }) => header.name)))];
}
