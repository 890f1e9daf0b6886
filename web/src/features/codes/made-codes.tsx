/** The codes just made, once: to copy or to download. Closing without either asks first. */
import { Download } from "lucide-react";
import { useState } from "react";
import type { Answer } from "../../api/routes.ts";
import { operatorCodesMessages } from "../../i18n/en/pages/operator-codes.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { codeSheet } from "./sheet.ts";

interface MadeCodesProps {
  readonly made: Answer<"post /operator/code-batches">;
  readonly onClose: () => void;
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then; the codes need not stay in memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** See above. */
export function MadeCodes({ made: { batch, codes }, onClose }: MadeCodesProps) {
  const t = useMessages(operatorCodesMessages);
  const [isKept, setKept] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const download = () => {
    save(`codes-${batch.id}.csv`, codeSheet({ codes, amount: batch.amount, expiresAt: batch.expiresAt }));
    setKept(true);
  };
  return (
    <Dialog
      open
      mustAnswer
      onClose={onClose}
      title={t("madeTitle", { count: codes.length })}
      foot={
        <>
          <span onClickCapture={() => setKept(true)}>
            <CopyButton text={codes.join("\n")} size="normal">
              {t("copyAll")}
            </CopyButton>
          </span>
          <Button icon={<Download aria-hidden className="size-4" />} onClick={download}>
            {t("download")}
          </Button>
          <Button variant="primary" onClick={() => (isKept ? onClose() : setAsking(true))}>
            {t("done")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Notice tone="warn">{t("once")}</Notice>
        <textarea
          readOnly
          aria-label={t("codes")}
          value={codes.join("\n")}
          rows={Math.min(12, codes.length + 1)}
          className="control font-mono text-[0.9em]"
        />
        {isAsking && !isKept && (
          <Notice
            tone="bad"
            title={t("leaveTitle")}
            action={
              <Button size="small" variant="danger" onClick={onClose}>
                {t("closeAnyway")}
              </Button>
            }
          >
            {t("leaveText")}
          </Notice>
        )}
      </div>
    </Dialog>
  );
}
