/** What lies over the page: dialog, question before an act, drawer from the side. Knows no page. */
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { uiWords } from "../words/ui.ts";
import { useWords } from "../words/words.ts";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { ErrorNote } from "./states.tsx";

const backdropClass =
  "fixed inset-0 z-40 bg-shade transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";

export interface DialogProps {
  readonly open: boolean;
  /** Escape, the cross, or a press beside it. */
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  /** Buttons at its foot. */
  readonly foot?: ReactNode;
  readonly wide?: boolean;
  /** Only a button inside closes it. */
  readonly mustAnswer?: boolean;
}

/** A dialog in the middle; focus stays inside and returns to where it was. On phones it fills the width at the bottom. */
export function Dialog(props: DialogProps) {
  const say = useWords(uiWords);
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
                    <IconButton label={say("close")} size="small">
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

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children?: ReactNode;
  /** What the acting button says: the verb, not "OK". */
  readonly act: string;
  readonly danger?: boolean;
  /** The dialog closes when it is done, and shows the error when it throws. */
  readonly onAct: () => unknown;
}

/** Asks before something is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const say = useWords(uiWords);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    props.onClose();
  };
  const act = async () => {
    setBusy(true);
    setError(null);
    try {
      await props.onAct();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={props.open}
      onClose={close}
      title={props.title}
      foot={
        <>
          <Button onClick={close}>{say("cancel")}</Button>
          <Button
            look={props.danger === true ? "danger" : "primary"}
            busy={isBusy}
            onClick={() => void act()}
          >
            {props.act}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-muted">
        {props.children}
        {error !== null && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}

export interface DrawerProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly side?: "left" | "right";
  readonly foot?: ReactNode;
}

/** A panel from the side: the menu on phones, filters, the detail of a row. */
export function Drawer(props: DrawerProps) {
  const say = useWords(uiWords);
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
                <IconButton label={say("close")} size="small">
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
