/** A link to what is written now, without key, answers and attachments; and taking such a link in. */
import { Share2 } from "lucide-react";
import { useEffect, useState } from "react";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextArea } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import type { Playground } from "./chat/playground-store.ts";
import { readShared, sharedFragment } from "./kept/shared-link.ts";

export interface ShareButtonProps {
  readonly model: string;
  readonly playground: Playground;
}

/** The button and its dialog. */
export function ShareButton({ model, playground }: ShareButtonProps) {
  const t = useMessages(playgroundToolsMessages);
  const [link, setLink] = useState<string | undefined>();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    const { system, draft, parameters, exchanges } = playground.read();
    // Nothing is written right after sending: then the last message is what is meant.
    const text = draft.text === "" ? (exchanges.at(-1)?.text ?? "") : draft.text;
    const fragment = sharedFragment({ model, system, text, parameters });
    setLink(fragment === undefined ? undefined : `${location.origin}/playground${fragment}`);
    setOpen(true);
  };
  return (
    <>
      <Button icon={<Share2 aria-hidden className="size-4" />} onClick={open}>
        {t("share")}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("shareTitle")}>
        {link === undefined ? (
          <Notice tone="warn" title={t("shareTooLong")} />
        ) : (
          <>
            <p className="text-muted">{t("shareText")}</p>
            <Field label={t("shareLink")}>
              <TextArea value={link} onChange={() => undefined} rows={4} mono />
            </Field>
            <span>
              <CopyButton text={link} size="normal">
                {t("shareCopy")}
              </CopyButton>
            </span>
          </>
        )}
      </Dialog>
    </>
  );
}

/** Takes in the prompt of a link once, and takes it out of the address. Nothing is sent by it. */
export function useSharedPrompt(playground: Playground, onModel: (id: string) => void): void {
  const t = useMessages(playgroundToolsMessages);
  useEffect(() => {
    const shared = readShared(location.hash);
    if (shared === undefined) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    const { model, system, text, parameters } = shared;
    playground.set({ system, parameters, draft: { text, images: [] } });
    onModel(model);
    toast(t("shareTaken"), t("shareTakenText"));
  }, [playground, onModel, t]);
}
