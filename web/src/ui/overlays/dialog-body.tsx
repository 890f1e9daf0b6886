/** Dialog and drawer on Base UI; loaded by `dialog.tsx`. Knows no page. */
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { IconButton } from "../button.tsx";
import { classNames } from "../class-names.ts";
import type { DialogProps, DrawerProps } from "./dialog-props.ts";

const backdropClass =
  "fixed inset-0 z-40 bg-shade transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";

/**
 * The element focused before a dialog opened, to restore it. Read while rendering, because a field with
 * `autoFocus` takes the focus before any effect runs. True, the default, when that element is gone.
 */
function useFormerFocus(open: boolean): () => HTMLElement | true {
  const former = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) former.current = document.activeElement;
  wasOpen.current = open;
  return () => (former.current instanceof HTMLElement && former.current.isConnected ? former.current : true);
}

/**
 * A centred dialog; focus stays inside and is restored afterwards. On phones it fills the width at the
 * bottom.
 */
export function DialogBody(props: DialogProps) {
  const t = useMessages(uiMessages);
  const formerFocus = useFormerFocus(props.open);
  return (
    <BaseDialog.Root
      open={props.open}
      disablePointerDismissal={props.mustAnswer === true}
      onOpenChange={(open, details) => {
        if (open) return;
        if (props.mustAnswer === true && details.reason === "escape-key") return;
        props.onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropClass} />
        <BaseDialog.Viewport className="fixed inset-0 z-40 flex items-end justify-center sm:items-center sm:p-6">
          <BaseDialog.Popup
            finalFocus={formerFocus}
            className={classNames(
              "float-in flex max-h-[92dvh] w-full flex-col rounded-t-2xl bg-raised shadow-float outline-none sm:rounded-2xl",
              props.wide === true ? "sm:max-w-3xl" : "sm:max-w-lg",
            )}
          >
            <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-2">
              <BaseDialog.Title className="pt-1 text-lg font-semibold">{props.title}</BaseDialog.Title>
              {props.mustAnswer !== true && (
                <BaseDialog.Close
                  render={
                    <IconButton label={t("close")} size="small">
                      <X aria-hidden className="size-4" />
                    </IconButton>
                  }
                />
              )}
            </header>
            <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 pt-1 pb-5">
              {props.children}
            </div>
            {props.foot !== undefined && (
              <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
                {props.foot}
              </footer>
            )}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** A panel from the side: the menu on phones, filters, the detail of a row. */
export function DrawerBody(props: DrawerProps) {
  const t = useMessages(uiMessages);
  const fromLeft = props.side === "left";
  return (
    <BaseDialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropClass} />
        <BaseDialog.Popup
          className={classNames(
            "fixed inset-y-0 z-40 flex w-[min(30rem,100vw)] flex-col bg-raised shadow-float outline-none transition-transform duration-150",
            fromLeft
              ? "left-0 max-w-[20rem] data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
              : "right-0 data-ending-style:translate-x-full data-starting-style:translate-x-full",
          )}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-3">
            <BaseDialog.Title className="font-semibold">{props.title}</BaseDialog.Title>
            <BaseDialog.Close
              render={
                <IconButton label={t("close")} size="small">
                  <X aria-hidden className="size-4" />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{props.children}</div>
          {props.foot !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {props.foot}
            </footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
