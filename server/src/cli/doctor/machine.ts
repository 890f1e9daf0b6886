/** `plaza doctor`: the Node it runs on, the data folder, the disk, the key file, what lies in the journal. */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, secretKeyFile } from "../../config/config.ts";
import { sizeText } from "../output.ts";
import { type Finding, ok, problem, reasonOf, warning } from "./finding.ts";

const nodeMin = 24;
/** Descriptors a busy process needs: two a call, and files. */
const descriptorsMin = 8_192;
const freeProblem = 256 * 1024 ** 2;
const freeWarning = 2 * 1024 ** 3;
/** Bits of a file's mode that let others than its owner in. */
const othersMask = 0o077;

function checkNode(): Finding {
  const major = Number(process.versions.node.split(".")[0]);
  const text = `Node.js ${process.versions.node}`;
  if (major >= nodeMin) return ok("Node.js", text);
  return problem("Node.js", text, `install Node.js ${nodeMin} or newer`);
}

/** The limit of open files, from Linux's own account of this process; undefined elsewhere. */
function descriptorsAllowed(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (soft === undefined) return undefined;
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

function checkDescriptors(): Finding[] {
  const allowed = descriptorsAllowed();
  if (allowed === undefined) return [];
  const text = `${allowed} may be open here`;
  if (allowed >= descriptorsMin) return [ok("open files", text)];
  const todo = `raise the limit of the service to ${descriptorsMin} or more (systemd: LimitNOFILE=65536; shell: ulimit -n)`;
  return [warning("open files", text, todo)];
}

function checkDisk(folder: string, what: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const text = `${sizeText(free)} free at ${folder}`;
    if (free < freeProblem) return problem(what, text, "make room now: on a full disk calls are refused");
    if (free < freeWarning) return warning(what, text, "make room, or move the data folder to a larger disk");
    return ok(what, text);
  } catch (error) {
    return problem(what, reasonOf(error), "check that the disk is mounted and can be read");
  }
}

function checkFolder(folder: string): Finding {
  const what = "data folder";
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const user = process.getuid?.();
    return problem(
      what,
      reasonOf(error),
      `let the user Plaza runs as read and write it${user === undefined ? "" : ` (this command runs as user ${user})`}`,
    );
  }
  return ok(what, folder);
}

function checkKeyFile(config: Config): Finding {
  const what = "sealing key";
  if (config.secretKey !== undefined) return ok(what, "given by PLAZA_SECRET_KEY");
  const file = secretKeyFile(config);
  if (!existsSync(file))
    return warning(
      what,
      `${file} is not there`,
      "the first start creates it; after a move, copy the old one",
    );
  const { mode } = statSync(file);
  if (process.platform !== "win32" && (mode & othersMask) !== 0)
    return problem(what, `${file} can be read by others`, `chmod 600 ${file}`);
  return ok(what, `${file}, readable by its owner only; keep a copy apart from the database`);
}

/** Settlements that wait in files, and those that the ledger refused. */
function checkJournal(folder: string): Finding[] {
  const what = "journal";
  let files: { name: string; bytes: number }[];
  try {
    files = readdirSync(folder).map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  } catch {
    return [];
  }
  const bytesOf = (pattern: RegExp): number =>
    files.filter(({ name }) => pattern.test(name)).reduce((sum, { bytes }) => sum + bytes, 0);
  const findings: Finding[] = [];
  const waiting = bytesOf(/^journal-.*\.jsonl$/);
  if (waiting > 0) {
    findings.push(
      warning(
        what,
        `${sizeText(waiting)} of settlements wait in ${folder}`,
        "they are handed over when the database answers, or at the next start here: keep the folder",
      ),
    );
  }
  const refused = bytesOf(/^rejected-.*\.jsonl$/);
  if (refused > 0) {
    findings.push(
      problem(
        what,
        `settlements that the ledger refused are in ${folder}/rejected-*.jsonl`,
        "each line says why: see PlazaMistake in docs/operate/operations.md, correct the ledger by hand, then move the file away",
      ),
    );
  }
  return findings.length === 0 ? [ok(what, "nothing waits")] : findings;
}

/** Everything about the machine. Changes nothing. */
export function checkMachine(config: Config): Finding[] {
  const { dataDir, requestsArchive } = config;
  const base = [checkNode(), ...checkDescriptors()];
  if (!existsSync(dataDir)) {
    const todo = "the first `plaza serve` creates it; otherwise give the right one with --data";
    return [...base, warning("data folder", `${dataDir} is not there`, todo)];
  }
  // A bucket is asked elsewhere: `archive.ts`.
  const archive =
    requestsArchive === undefined || requestsArchive.startsWith("s3://")
      ? []
      : [checkFolder(requestsArchive), checkDisk(requestsArchive, "archive")];
  return [
    ...base,
    checkFolder(dataDir),
    checkDisk(dataDir, "disk"),
    checkKeyFile(config),
    ...checkJournal(join(dataDir, "journal")),
    ...archive.map((finding) => ({ ...finding, what: "archive" })),
  ];
}
