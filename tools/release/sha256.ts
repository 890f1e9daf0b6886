/** Checksums as a release has them. */
import { createHash } from "node:crypto";

/** The checksum in hexadecimal. */
export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
