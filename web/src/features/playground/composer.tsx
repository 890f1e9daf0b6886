/**
 * Where a message is written: text, attachments by file or paste, send and stop. Nothing that
 * was written is lost when sending fails.
 */
import { Paperclip, SendHorizontal, Square } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useRef } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { toastError } from "../../ui/overlays/toast.tsx";
import { imageTypes, readImages } from "./chat/images.ts";
import type { GivenImage } from "./chat/request.ts";
import { ImageList } from "./image-list.tsx";

/** What is being written. */
interface Draft {
  readonly text: string;
  readonly images: readonly GivenImage[];
}

export interface ComposerProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onSend: () => void;
  readonly canSend: boolean;
  /** An answer is under way. */
  readonly isBusy: boolean;
  readonly onStop: () => void;
  /** Below the field, as in a warning. */
  readonly note?: string | undefined;
}

/** See `ComposerProps`. */
export function Composer(props: ComposerProps) {
  const { draft, onChange, onSend, canSend, isBusy, onStop, note } = props;
  const t = useMessages(playgroundMessages);
  const file = useRef<HTMLInputElement>(null);
  const latest = useRef(draft);
  latest.current = draft;

  const add = async (files: readonly File[]) => {
    const { images, refused } = await readImages(files, latest.current.images);
    for (const { name, fault } of refused) toastError(t("imageNotTaken", { name }), t(`image.${fault}`));
    if (images.length > 0) onChange({ ...latest.current, images: [...latest.current.images, ...images] });
  };
  const paste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void add(files);
  };
  const press = (event: KeyboardEvent) => {
    // While an input method composes, Enter is its own.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  return (
    <div className="flex flex-col gap-2 rounded-xl border border-control bg-surface p-2 shadow-card focus-within:border-accent">
      {draft.images.length > 0 && (
        <div className="px-1 pt-2">
          <ImageList
            images={draft.images}
            onRemove={(id) => onChange({ ...draft, images: draft.images.filter((image) => image.id !== id) })}
          />
        </div>
      )}
      <textarea
        aria-label={t("message")}
        placeholder={t("messagePlaceholder")}
        value={draft.text}
        rows={3}
        dir="auto"
        onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
        onKeyDown={press}
        onPaste={paste}
        className="field-sizing-content max-h-[40dvh] min-h-16 w-full resize-none bg-transparent px-2 py-1 outline-none"
      />
      <div className="flex items-center gap-2">
        <input
          ref={file}
          type="file"
          accept={imageTypes}
          multiple
          hidden
          aria-label={t("addImages")}
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <IconButton label={`${t("addImages")}. ${t("imagesHint")}`} onClick={() => file.current?.click()}>
          <Paperclip aria-hidden className="size-5" />
        </IconButton>
        <span className="min-w-0 flex-1 text-small text-warn">{note}</span>
        {isBusy ? (
          <Button icon={<Square aria-hidden className="size-3.5 fill-current" />} onClick={onStop}>
            {t("stop")}
          </Button>
        ) : (
          <Button
            variant="primary"
            icon={<SendHorizontal aria-hidden className="size-4" />}
            disabled={!canSend}
            onClick={onSend}
          >
            {t("send")}
          </Button>
        )}
      </div>
    </div>
  );
}
