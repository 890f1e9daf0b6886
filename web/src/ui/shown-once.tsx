/** Dialogs for what is shown once: a link, a secret. Closed by their button only. Knows no page. */

import { operatorPartsMessages } from "../i18n/en/pages/operator-parts.ts";
import { useMessages } from "../i18n/messages.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./code.tsx";
import { When } from "./figures.tsx";
import { Dialog } from "./overlays/dialog.tsx";
import { Notice } from "./surfaces.tsx";

interface ShownOnceProps {
  readonly title: string;
  readonly kind: "link" | "secret";
  readonly text: string;
  /** Of a link. */
  readonly expiresAt?: string | null;
  readonly onClose: () => void;
}

/** Open while it is drawn. */
export function ShownOnce({ title, kind, text, expiresAt, onClose }: ShownOnceProps) {
  const t = useMessages(operatorPartsMessages);
  return (
    <Dialog
      open
      mustAnswer
      onClose={onClose}
      title={title}
      foot={
        <>
          <CopyButton text={text} size="normal">
            {t(kind === "link" ? "copyLink" : "copySecret")}
          </CopyButton>
          <Button variant="primary" onClick={onClose}>
            {t("iHaveIt")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Notice tone="warn">{t(kind === "link" ? "linkOnce" : "shownOnce")}</Notice>
        <code className="rounded-lg border border-line bg-sunken p-3 font-mono text-[0.9em] break-all select-all">
          {text}
        </code>
        {expiresAt !== undefined && expiresAt !== null && (
          <p className="text-muted">
            {t("linkExpires")}: <When at={expiresAt} as="exact" />
          </p>
        )}
      </div>
    </Dialog>
  );
}
