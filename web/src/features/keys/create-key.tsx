/** Making a key: the form, then its secret, once, with a call that is ready to paste. */
import { ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { Form } from "../../forms/form.tsx";
import { type AppForm, useAppForm } from "../../forms/use-app-form.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { uiMessages } from "../../i18n/en/ui.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock, CopyButton } from "../../ui/code.tsx";
import { useTimeZone } from "../../ui/figures.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { Notice } from "../../ui/surfaces.tsx";
import { curlCall } from "../overview/first-call.ts";
import { MainKeyFields, RestrictionFields, useFaultMessages } from "./form.tsx";
import { bodyOf, faultsOf, type KeyFormValues, newKeyValues } from "./form-values.ts";

type Made = Answer<"post /keys">;

/** The dialog; what is typed stays when it is closed and opened again. */
export function CreateKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const t = useMessages(keysMessages);
  const zone = useTimeZone();
  const faultMessages = useFaultMessages();
  const [made, setMade] = useState<Made | null>(null);
  const [isMore, setMore] = useState(false);
  const form = useAppForm({
    initial: newKeyValues,
    check: (values) => faultsOf(values, faultMessages),
    route: "post /keys",
    sent: (values) => ({ body: bodyOf(values, zone, Date.now()) }),
    onDone: (answer) => {
      setMade(answer);
      setMore(false);
      form.reset(newKeyValues);
    },
  });
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      wide
      mustAnswer={made !== null}
      title={t(made === null ? "createTitle" : "secretTitle")}
      foot={
        made === null ? undefined : (
          <Button variant="primary" onClick={close}>
            {t("done")}
          </Button>
        )
      }
    >
      {made === null ? (
        <NewKeyFields form={form} isMore={isMore} setMore={setMore} onCancel={onClose} />
      ) : (
        <NewSecret made={made} />
      )}
    </Dialog>
  );
}

interface NewKeyFieldsProps {
  readonly form: AppForm<KeyFormValues>;
  readonly isMore: boolean;
  readonly setMore: (isMore: boolean) => void;
  readonly onCancel: () => void;
}

function NewKeyFields({ form, isMore, setMore, onCancel }: NewKeyFieldsProps) {
  const t = useMessages(keysMessages);
  const tUi = useMessages(uiMessages);
  const hasHiddenFault = form.otherErrors.length > 0;
  useEffect(() => {
    if (hasHiddenFault) setMore(true);
  }, [hasHiddenFault, setMore]);
  return (
    <Form
      form={form}
      act={t("create")}
      also={<Button onClick={onCancel}>{tUi("cancel")}</Button>}
      guard={false}
    >
      <MainKeyFields form={form} isNew />
      <div className="flex flex-col gap-5">
        <button
          type="button"
          aria-expanded={isMore}
          onClick={() => setMore(!isMore)}
          className="inline-flex w-fit items-center gap-1.5 rounded text-muted hover:text-ink"
        >
          <ChevronRight aria-hidden className={`size-4 transition-transform ${isMore ? "rotate-90" : ""}`} />
          {t("more")}
        </button>
        {isMore && <RestrictionFields form={form} />}
      </div>
    </Form>
  );
}

function NewSecret({ made }: { readonly made: Made }) {
  const t = useMessages(keysMessages);
  const { installation } = useSession();
  const plaza = useApiQuery("get /plaza", {});
  const usable = plaza.data?.models.filter(
    ({ id, status }) => status === "available" && (made.key.models === null || made.key.models.includes(id)),
  );
  const model = usable?.[0]?.id ?? made.key.models?.[0];
  const sample = { baseUrl: installation.baseUrl, model: model ?? "", key: made.secret };
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warn">{t("secretText")}</Notice>
      <div className="flex items-center gap-2 rounded-xl border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 font-mono break-all">{made.secret}</code>
        <CopyButton text={made.secret} size="normal">
          {t("copySecret")}
        </CopyButton>
      </div>
      {model !== undefined && (
        <div className="flex flex-col gap-2">
          <h3 className="font-medium">{t("firstCall")}</h3>
          <CodeBlock language="bash" code={curlCall(sample)} />
        </div>
      )}
    </div>
  );
}
