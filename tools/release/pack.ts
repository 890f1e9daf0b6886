/** Gzipped tars whose bytes depend on their files and the release's time alone. */
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import type { Files } from "./product.ts";

/** Packs files, sorted by path, as `FOLDER/PATH` of user 0. `programs`: the executable ones. */
export async function packFiles(
  files: Files,
  folder: string,
  time: Date,
  programs: readonly string[] = [],
): Promise<Buffer> {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = sorted.map(([path, body]) => {
    const mode = programs.includes(path) ? 0o755 : 0o644;
    const header = { name: `${folder}/${path}`, size: body.length, mtime: time, mode, uid: 0, gid: 0 };
    return { header, body };
  });
  // zlib writes a gzip header without a time.
  return gzipSync(await packTar(entries), { level: 9 });
}
