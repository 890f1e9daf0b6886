/**
 * What lies over the page: dialog, question before an act, drawer from the side. Their machinery loads once
 * the page is idle, or when one is first opened. Knows no page.
 */

import { type ReactNode, useEffect, useState } from "react";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../button.tsx";
import { whenIdle } from "../idle.ts";
import { lazyPart } from "../lazy-part.tsx";
import { ErrorNote } from "../states.tsx";
import type { DialogProps, DrawerProps } from "./dialog-props.ts";

const load = () => import("./dialog-body.tsx");
const { Part: DialogBody } = lazyPart(() => load().then((file) => file.DialogBody));
const { Part: DrawerBody } = lazyPart(() => load().then((file) => file.DrawerBody));

/** True from the first opening on: what closes must stay to fade out. */
function useOnceOpen(open: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(open);
  useEffect(() => {
    if (open) setWasOpen(true);
    else whenIdle(load);
  }, [open]);
  return open || wasOpen;
}

/**
 * A centred dialog; focus stays inside and is restored afterwards. On phones it fills the width at the
 * bottom.
 */
export function Dialog(props: DialogProps) {
  if (!useOnceOpen(props.open)) return null;
  return <DialogBody {...props} />;
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
  const t = useMessages(uiMessages);
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
          <Button onClick={close}>{t("cancel")}</Button>
          <Button
            variant={props.danger === true ? "danger" : "primary"}
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

/** A panel from the side: the menu on phones, filters, the detail of a row. */
export function Drawer(props: DrawerProps) {
  if (!useOnceOpen(props.open)) return null;
  return <DrawerBody {...props} />;
}
