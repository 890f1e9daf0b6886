/** Recovery codes, shown once. */
import { Download } from "lucide-react";
import { profileMessages } from "../../i18n/en/profile.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "plaza-recovery-codes.txt";
  link.click();
  URL.revokeObjectURL(address);
}

/** Closes only by saying that they were kept. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const t = useMessages(profileMessages);
  const text = `${codes.join("\n")}\n`;
  return (
    <Dialog
      open
      mustAnswer
      onClose={onClose}
      title={t("codesTitle")}
      foot={
        <Button variant="primary" onClick={onClose}>
          {t("codesKept")}
        </Button>
      }
    >
      <p className="text-muted">{t("codesText")}</p>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-xl bg-sunken p-4 font-mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text}>{t("copyCodes")}</CopyButton>
        <Button
          size="small"
          icon={<Download aria-hidden className="size-4" />}
          onClick={() => download(text)}
        >
          {t("downloadCodes")}
        </Button>
      </div>
    </Dialog>
  );
}
