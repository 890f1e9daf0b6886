/** Reads a backup file from its first byte to its last, in bounded memory, and checks every one of them. */
import { BackupError, damaged } from "../error.ts";
import { ByteReader } from "./byte-reader.ts";
import { type ChunkCodec, checkBytes, createDigests, createEncryption, isDerivation } from "./chunks.ts";
import { chunkBytesMax, formatVersion, lastMark, magic } from "./write.ts";

const headerBytesMax = 4_096;

async function readHeaderLine(reader: ByteReader): Promise<string> {
  const line = await reader.readLine(headerBytesMax);
  if (line === undefined) throw damaged("its beginning is not that of a backup");
  return line;
}

function encryptionIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { encryption?: unknown }).encryption;
  } catch {
    throw damaged("its header cannot be read");
  }
}

async function codecOf(reader: ByteReader, passphrase: string | undefined): Promise<ChunkCodec> {
  const first = await readHeaderLine(reader);
  const version = first.startsWith(magic) ? first.slice(magic.length) : "";
  if (!/^\d{1,6}$/.test(version)) throw damaged("its beginning is not that of a backup");
  if (Number(version) !== formatVersion) {
    const message = `the backup has format ${version}, and this Plaza reads format ${formatVersion}: use the version of Plaza that made it, or a newer one`;
    throw new BackupError("newer_backup", message);
  }
  const second = await readHeaderLine(reader);
  const header = Buffer.from(`${first}\n${second}\n`);
  const encryption = encryptionIn(second);
  if (encryption === null) return createDigests(header);
  if (!isDerivation(encryption)) throw damaged("its header cannot be read");
  if (passphrase === undefined) {
    throw new BackupError(
      "encrypted",
      "the backup is encrypted: give its passphrase with --passphrase-file, or name the variable that holds it with --passphrase-from",
    );
  }
  return createEncryption(passphrase, encryption, header);
}

/**
 * The content of a backup file, chunk by chunk. Throws BackupError at the first chunk that is not what was
 * written, when the file ends early, and when something follows its end.
 */
export async function* readContainer(
  source: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  const codec = await codecOf(reader, passphrase);
  for (let number = 0, isLast = false; !isLast; number += 1) {
    const mark = await reader.read(4);
    if (mark === undefined) throw damaged("it ends too early");
    const length = mark.readUInt32BE() % lastMark;
    isLast = mark.readUInt32BE() >= lastMark;
    if (length > chunkBytesMax) throw damaged(`chunk ${number} has no possible length`);
    const stored = await reader.read(length + checkBytes);
    if (stored === undefined) throw damaged("it ends too early");
    const content = codec.open(stored, number, isLast);
    if (content === undefined) {
      if (number > 0 || passphrase === undefined) throw damaged(`chunk ${number} is not what was written`);
      throw new BackupError(
        "encrypted",
        "the passphrase is not that of this backup, or the backup is damaged at its beginning",
      );
    }
    yield content;
  }
  if (!(await reader.isAtEnd())) throw damaged("something follows its end");
}
