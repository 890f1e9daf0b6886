/**
 * Short notifications at the edge of the page. Small and without a library, because it loads with every page.
 * Knows no page.
 */
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../button.tsx";

interface News {
  readonly id: number;
  readonly isError: boolean;
  readonly title: string;
  readonly text: string | undefined;
  readonly undo: (() => unknown) | undefined;
}

/** Most toasts shown; the oldest is removed. */
const shownMax = 3;
const listeners = new Set<() => void>();
let shown: readonly News[] = [];
let nextId = 1;

function show(next: readonly News[]): void {
  shown = next.slice(-shownMax);
  for (const changed of listeners) changed();
}

/** Says that something was done; `undo` takes it back and is offered longer. */
export function toast(title: string, text?: string, undo?: () => unknown): void {
  show([...shown, { id: nextId++, isError: false, title, text, undo }]);
}

/** Says that something failed, where no form or dialog can. */
export function toastError(title: string, text?: string): void {
  show([...shown, { id: nextId++, isError: true, title, text, undo: undefined }]);
}

/** Holds the news; once, beside the pages. */
export function ToastRegion() {
  const t = useMessages(uiMessages);
  const news = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => shown,
  );
  return (
    <section
      aria-label={t("notifications")}
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-[calc(var(--bottom-bar)+1rem)] left-4 z-50 flex flex-col gap-2 sm:left-auto sm:w-88 print:hidden"
    >
      {news.map((item) => (
        <NewsItem key={item.id} item={item} />
      ))}
    </section>
  );
}

function NewsItem({ item }: { readonly item: News }) {
  const t = useMessages(uiMessages);
  const [isHeld, setHeld] = useState(false);
  const close = () => show(shown.filter((one) => one.id !== item.id));
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(
      () => show(shown.filter((one) => one.id !== item.id)),
      item.isError || item.undo !== undefined ? 12_000 : 5_000,
    );
    return () => clearTimeout(timer);
  }, [isHeld, item]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointer and focus only hold its time; nothing is pressed.
    <div
      role={item.isError ? "alert" : "status"}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex animate-[rise_140ms_ease] items-start gap-2.5 rounded-xl bg-raised px-4 py-3 shadow-float"
    >
      {item.isError ? (
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      ) : (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good" />
      )}
      <div className="min-w-0 flex-1">
        <p className="font-medium">{item.title}</p>
        {item.text !== undefined && <p className="text-muted">{item.text}</p>}
      </div>
      {item.undo !== undefined && (
        <Button
          size="small"
          className="-my-1"
          onClick={() => {
            close();
            item.undo?.();
          }}
        >
          {t("undo")}
        </Button>
      )}
      <IconButton label={t("close")} size="small" className="-my-1 -mr-2" onClick={close}>
        <X aria-hidden className="size-4" />
      </IconButton>
    </div>
  );
}
