/** The kept prompts of an account: use one, delete one, keep what is written now. */
import { BookMarked, Trash2 } from "lucide-react";
import { useState } from "react";
import { playgroundToolsMessages } from "../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Playground } from "./chat/playground-store.ts";
import { dropPrompt, type KeptPrompt, keepPrompt, usePrompts } from "./kept/prompt-library.ts";

export interface PromptDialogProps {
  readonly accountId: string;
  readonly playground: Playground;
}

/** The button and its dialog. */
export function PromptButton(props: PromptDialogProps) {
  const t = useMessages(playgroundToolsMessages);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<BookMarked aria-hidden className="size-4" />} onClick={() => setOpen(true)}>
        {t("prompts")}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("promptsTitle")}>
        {isOpen && <Prompts {...props} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function Prompts({ accountId, playground, onClose }: PromptDialogProps & { readonly onClose: () => void }) {
  const t = useMessages(playgroundToolsMessages);
  const prompts = usePrompts(accountId);
  const [name, setName] = useState("");
  const use = ({ system, text, parameters }: KeptPrompt) => {
    playground.set({ system, parameters, draft: { text, images: [] } });
    onClose();
  };
  const keep = () => {
    const { system, draft, parameters } = playground.read();
    keepPrompt(accountId, { name: name.trim(), system, text: draft.text, parameters });
    setName("");
  };
  return (
    <>
      <p className="text-muted">{t("promptsLead")}</p>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") keep();
        }}
      >
        <Field label={t("promptName")} className="min-w-0 flex-1">
          <TextInput value={name} onChange={setName} maxLength={80} />
        </Field>
        <Button type="submit" variant="primary" disabled={name.trim() === ""}>
          {t("promptSave")}
        </Button>
      </form>
      {prompts.length === 0 ? (
        <EmptyState icon={<BookMarked />} title={t("promptsNone")} />
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {prompts.map((prompt) => (
            <li key={prompt.id} className="flex items-center gap-2 py-2">
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-medium">
                  {prompt.name}
                </span>
                <span dir="auto" className="block truncate text-small text-muted">
                  {prompt.system === "" ? prompt.text : prompt.system}
                </span>
              </span>
              <Button
                size="small"
                onClick={() => use(prompt)}
                aria-label={t("promptUseNamed", { name: prompt.name })}
              >
                {t("promptUse")}
              </Button>
              <IconButton
                size="small"
                label={t("promptDelete", { name: prompt.name })}
                onClick={() => dropPrompt(accountId, prompt.id)}
              >
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
