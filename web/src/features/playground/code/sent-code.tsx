/** A call as code for six packages and curl, in a dialog. */
import { Code } from "lucide-react";
import { useMemo, useState } from "react";
import { playgroundMessages } from "../../../i18n/en/pages/playground.ts";
import { playgroundToolsMessages } from "../../../i18n/en/pages/playground-tools.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { Button, type ButtonSize, type ButtonVariant } from "../../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../../ui/code.tsx";
import { RadioGroup } from "../../../ui/inputs/choices.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useEndpoint } from "../use-endpoint.ts";
import { codeSample, sampleLanguages, shownCode } from "./code-samples.ts";
import { type SdkName, sdkNames, sdkPackages, sdkSample } from "./sdk-samples.ts";

interface SentCodeProps {
  /** The JSON that was sent. */
  readonly body: string;
}

const kinds = [...sampleLanguages, ...sdkNames] as const;
type Kind = (typeof kinds)[number];

const isSdk = (kind: Kind): kind is SdkName => sdkNames.some((name) => name === kind);

const packages: Partial<Record<Kind, string>> = {
  python: "pip install openai",
  typescript: "npm install openai",
};

function installOf(kind: Kind): string | undefined {
  return isSdk(kind) ? `npm install ${sdkPackages[kind]}` : packages[kind];
}

/** The button and its dialog. */
export function SentCodeButton({ body }: SentCodeProps) {
  const t = useMessages(playgroundMessages);
  return (
    <CodeButton bodyOf={() => body} variant="quiet" size="small">
      {t("code")}
    </CodeButton>
  );
}

export interface CodeButtonProps {
  /** Asked for when the dialog is opened. */
  readonly bodyOf: () => string;
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly disabled?: boolean;
  readonly children: string;
}

/** A button that shows a body as code. */
export function CodeButton({ bodyOf, children, ...look }: CodeButtonProps) {
  const t = useMessages(playgroundMessages);
  const [body, setBody] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        {...look}
        icon={<Code aria-hidden className="size-4" />}
        onClick={() => {
          setBody(bodyOf());
          setOpen(true);
        }}
      >
        {children}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("codeTitle")} wide>
        {isOpen && body !== undefined && <SentCode body={body} />}
      </Dialog>
    </>
  );
}

/** The code itself. */
function SentCode({ body }: SentCodeProps) {
  const t = useMessages(playgroundMessages);
  const tTools = useMessages(playgroundToolsMessages);
  const { baseUrl } = useEndpoint();
  const [kind, setKind] = useState<Kind>("curl");
  const code = useMemo(() => {
    const parsed = JSON.parse(body) as Record<string, unknown>;
    if (isSdk(kind)) return sdkSample(kind, baseUrl, parsed);
    return codeSample(kind, { baseUrl, body: parsed, text: body });
  }, [kind, baseUrl, body]);
  const install = installOf(kind);
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
        value={kind}
        onChange={setKind}
        choices={kinds.map((value) => ({
          value,
          label: isSdk(value) ? tTools(`sdk.${value}`) : t(`language.${value}`),
        }))}
      />
      <CodeBlock
        code={shown}
        copy={code}
        language={kind === "curl" ? "bash" : kind === "python" ? "python" : "typescript"}
        className="[&_pre]:max-h-[50dvh] [&_pre]:overflow-y-auto"
      />
      {install !== undefined && (
        <p className="flex flex-wrap items-center gap-2 text-small text-muted">
          {tTools("install")} <Copyable text={install} />
        </p>
      )}
    </div>
  );
}
