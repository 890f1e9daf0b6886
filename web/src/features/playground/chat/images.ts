/**
 * Images, sounds and documents that a person adds to a message: which are taken, how many, how large; read as
 * data URLs. Knows no React.
 */
import type { GivenImage } from "./request.ts";

/** Bounds: an endpoint takes bodies of 32 MiB unless set otherwise, and base64 grows bytes by a third. */
export const imageBytesMax = 8 * 1024 * 1024;
const imagesBytesMax = 16 * 1024 * 1024;
export const imagesMax = 10;

const types = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "audio/wav",
  "audio/mpeg",
  "application/pdf",
]);

/** Names that browsers have for the same. */
const typesByOtherName: Readonly<Record<string, string>> = {
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/mp3": "audio/mpeg",
};

function typeOf({ type }: { readonly type: string }): string {
  return typesByOtherName[type] ?? type;
}

/** For a file field. */
export const imageTypes = [...types, ...Object.keys(typesByOtherName)].join(",");

let imagesRead = 0;

/** Why a file is not taken. */
type ImageFault = "type" | "size" | "total" | "count" | "unreadable";

/** A file that was not taken. */
interface RefusedImage {
  readonly name: string;
  readonly fault: ImageFault;
}

/** What speaks against one more file; undefined = nothing. */
export function imageFault(
  file: { readonly type: string; readonly size: number },
  has: readonly Pick<GivenImage, "bytes">[],
): ImageFault | undefined {
  if (!types.has(typeOf(file))) return "type";
  if (file.size > imageBytesMax) return "size";
  if (has.length >= imagesMax) return "count";
  const sum = has.reduce((bytes, image) => bytes + image.bytes, file.size);
  return sum > imagesBytesMax ? "total" : undefined;
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^;,]*/, `data:${typeOf(file)}`));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

/** Reads files and adds them to the existing ones. */
export async function readImages(
  files: readonly File[],
  has: readonly GivenImage[],
): Promise<{ readonly images: readonly GivenImage[]; readonly refused: readonly RefusedImage[] }> {
  const images: GivenImage[] = [];
  const refused: RefusedImage[] = [];
  for (const file of files) {
    const fault = imageFault(file, [...has, ...images]);
    if (fault !== undefined) {
      refused.push({ name: file.name, fault });
      continue;
    }
    try {
      imagesRead += 1;
      images.push({
        id: `image-${imagesRead}`,
        name: file.name,
        dataUrl: await dataUrlOf(file),
        bytes: file.size,
      });
    } catch {
      refused.push({ name: file.name, fault: "unreadable" });
    }
  }
  return { images, refused };
}
