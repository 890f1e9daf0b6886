/**
 * Writes a backup file: a line that names the format, a line of JSON, then chunks of at most one mebibyte.
 * What is in the chunks, `parts.ts` says; the whole layout is in docs/decisions/0016-backups.md.
 */
import {
  type ChunkCodec,
  createDigests,
  createEncryption,
  type KeyDerivation,
  newDerivation,
} from "./chunks.ts";

export const formatVersion = 1;
export const magic = "plaza-backup ";
export const chunkBytesMax = 1024 ** 2;
/** The length of a chunk is 31 bits; this one marks the last chunk. */
export const lastMark = 2 ** 31;

/** Receives the bytes of a file in order; resolves when the next ones may come. */
export type WriteBytes = (bytes: Buffer) => Promise<void>;

export interface ContainerWriter {
  write(bytes: Buffer): Promise<void>;
  /** Writes the last chunk. Without it the file is not a backup. */
  end(): Promise<void>;
}

/** Begins a file. Encrypts when there is a passphrase. `derivation`: a weaker one makes tests faster. */
export async function beginContainer(
  out: WriteBytes,
  passphrase: string | undefined,
  derivation: KeyDerivation = newDerivation(),
): Promise<ContainerWriter> {
  const encryption = passphrase === undefined ? null : derivation;
  const header = Buffer.from(`${magic}${formatVersion}\n${JSON.stringify({ encryption })}\n`);
  const codec: ChunkCodec =
    passphrase === undefined ? createDigests(header) : await createEncryption(passphrase, derivation, header);
  await out(header);
  let number = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  async function writeChunk(isLast: boolean): Promise<void> {
    const content = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length + (isLast ? lastMark : 0));
    await out(Buffer.concat([length, codec.seal(content, number, isLast)]));
    number += 1;
  }

  return {
    async write(bytes) {
      for (let rest = bytes; rest.length > 0; ) {
        const part = rest.subarray(0, chunkBytesMax - waitingBytes);
        // Copied: the caller may read into the same memory again.
        waiting.push(Buffer.from(part));
        waitingBytes += part.length;
        rest = rest.subarray(part.length);
        if (waitingBytes === chunkBytesMax) await writeChunk(false);
      }
    },
    end: () => writeChunk(true),
  };
}
