/** A call as code in three languages, in a dialog. */
import { Code } from "lucide-react";
import { useMemo, useState } from "react";
import { playgroundMessages } from "../../i18n/en/pages/playground.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { codeSample, type SampleLanguage, sampleLanguages, shownCode } from "./code-samples.ts";
import { useEndpoint } from "./use-endpoint.ts";

interface SentCodeProps {
  /** The JSON that was sent. */
  readonly body: string;
}

/** The button and its dialog. */
export function SentCodeButton({ body }: SentCodeProps) {
  const t = useMessages(playgroundMessages);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="quiet"
        size="small"
        icon={<Code aria-hidden className="size-4" />}
        onClick={() => setOpen(true)}
      >
        {t("code")}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("codeTitle")} wide>
        {isOpen && <SentCode body={body} />}
      </Dialog>
    </>
  );
}

/** The code itself. */
function SentCode({ body }: SentCodeProps) {
  const t = useMessages(playgroundMessages);
  const { baseUrl } = useEndpoint();
  const [language, setLanguage] = useState<SampleLanguage>("curl");
  const code = useMemo(
    () => codeSample(language, { baseUrl, body: JSON.parse(body) as Record<string, unknown>, text: body }),
    [language, baseUrl, body],
  );
  const shown = useMemo(() => shownCode(code), [code]);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        {t("codeText")}
        {shown !== code && ` ${t("codeShortened")}`}
      </p>
      <RadioGroup
        inline
        label={t("language")}
        value={language}
        onChange={setLanguage}
        choices={sampleLanguages.map((value) => ({ value, label: t(`language.${value}`) }))}
      />
      <CodeBlock
        code={shown}
        copy={code}
        language={language === "curl" ? "bash" : language}
        className="[&_pre]:max-h-[55dvh] [&_pre]:overflow-y-auto"
      />
    </div>
  );
}
