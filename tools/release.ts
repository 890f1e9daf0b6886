/**
 * Makes a release in `dist/VERSION/`: `npm run release -- VERSION`. docs/operate/release.md has what is in it
 * and how to check it.
 */
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type Target, targets } from "./release/executable.ts";
import { makeRelease } from "./release/make.ts";
import { checkRelease, ReleaseFailure } from "./release/preconditions.ts";
import { root } from "./release/root.ts";

const help = `Usage: npm run release -- VERSION [options]

Makes the npm package, executables, images, checksums, SBOM and provenance of this commit.

  --targets LIST   executables to make, with commas between them: ${Object.keys(targets).join(",")} (all);
                   "none" makes none
  --out FOLDER     where to write (dist/VERSION)
  --no-images      make no images, for which packages of Debian are loaded
  --url URL        where the files will be published, for the Homebrew formula
                   (https://plaza.example.com/releases/VERSION)
  --allow-dirty    release files that are not committed, to try it out
  --help           print this text
`;

function readTargets(list: string | undefined): Target[] {
  const known = Object.keys(targets) as Target[];
  if (list === undefined) return known;
  const names = list === "none" ? [] : list.split(",");
  const unknown = names.find((name) => !known.some((target) => target === name));
  if (unknown !== undefined)
    throw new ReleaseFailure(`There is no target "${unknown}": ${known.join(", ")}.`);
  return known.filter((target) => names.includes(target));
}

/** Returns the URL without a slash at its end. */
function readUrl(text: string): string {
  // It is written into a text of Ruby.
  if (!/^https:\/\/[\w.:/~+-]+$/.test(text))
    throw new ReleaseFailure(`--url must begin with https://; it is "${text}".`);
  return text.replace(/\/+$/, "");
}

function readWords() {
  const string = { type: "string" } as const;
  const boolean = { type: "boolean" } as const;
  const options = {
    targets: string,
    out: string,
    url: string,
    "no-images": boolean,
    "allow-dirty": boolean,
    help: boolean,
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new ReleaseFailure(`${(error as Error).message}\n\n${help}`);
  }
}

async function run(): Promise<void> {
  const { values, positionals } = readWords();
  const [version] = positionals;
  if (values.help === true) return void process.stdout.write(help);
  if (version === undefined || positionals.length > 1) throw new ReleaseFailure(help);
  const made = readTargets(values.targets);
  const url = readUrl(values.url ?? `https://plaza.example.com/releases/${version}`);
  const hasImages = values["no-images"] !== true;
  const release = checkRelease(version, values["allow-dirty"] === true);
  const folder = values.out ?? join(root, "dist", version);
  const startMs = performance.now();
  const seconds = () => ((performance.now() - startMs) / 1000).toFixed(1).padStart(5);
  const report = (line: string) => void process.stderr.write(`${seconds()} s  ${line}\n`);
  const sizes = await makeRelease({ release, folder, targets: made, hasImages, url, report });
  report(`done: ${relative(process.cwd(), folder) || "."}`);
  for (const [name, bytes] of sizes)
    process.stdout.write(`${(bytes / 1e6).toFixed(2).padStart(8)} MB  ${name}\n`);
}

try {
  await run();
} catch (error) {
  if (!(error instanceof ReleaseFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
