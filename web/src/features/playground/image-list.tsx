/** Attachments beside a message: seen, and taken away where they may be. */
import { AudioLines, FileText, X } from "lucide-react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { type GivenImage, mediaTypeOf } from "./chat/request.ts";

export interface ImageListProps {
  readonly images: readonly GivenImage[];
  readonly onRemove?: (id: string) => void;
}

/** Nothing without images. */
export function ImageList({ images, onRemove }: ImageListProps) {
  const t = useMessages(playgroundMessages);
  const tUi = useMessages(uiMessages);
  if (images.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {images.map((image) => (
        <li key={image.id} className="relative">
          {mediaTypeOf(image.dataUrl).startsWith("image/") ? (
            <img
              src={image.dataUrl}
              alt={t("imageAlt", { name: image.name })}
              title={image.name}
              className="h-20 w-auto max-w-40 rounded-lg border border-line object-cover"
            />
          ) : (
            <span className="flex h-20 max-w-48 items-center gap-2 rounded-lg border border-line bg-surface px-3 text-small">
              {mediaTypeOf(image.dataUrl).startsWith("audio/") ? (
                <AudioLines aria-hidden className="size-5 shrink-0 text-muted" />
              ) : (
                <FileText aria-hidden className="size-5 shrink-0 text-muted" />
              )}
              <span dir="auto" title={image.name} className="line-clamp-3">
                {image.name}
              </span>
            </span>
          )}
          {onRemove !== undefined && (
            <button
              type="button"
              aria-label={tUi("remove", { what: image.name })}
              onClick={() => onRemove(image.id)}
              className="absolute -top-2 -right-2 grid size-6 place-items-center rounded-full border border-line bg-raised text-muted shadow-card hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
