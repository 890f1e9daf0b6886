/**
 * Headers added to every call to an upstream, as fields of a form. Values only go in: of stored ones only the
 * names are known.
 */
import { Plus, X } from "lucide-react";
import { FieldGroup } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import type { HeaderValues } from "./values.ts";

/** As the server has it. */
const headersMax = 16;

interface HeaderFieldsProps<Values extends object> {
  readonly form: AppForm<Values>;
  readonly headers: readonly HeaderValues[];
  readonly onChange: (headers: readonly HeaderValues[]) => void;
}

export function HeaderFields<Values extends object>({ form, headers, onChange }: HeaderFieldsProps<Values>) {
  const t = useMessages(operatorUpstreamsMessages);
  const change = (at: number, part: Partial<HeaderValues>) =>
    onChange(headers.map((one, place) => (place === at ? { ...one, ...part } : one)));
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t("headersText")}</p>
      <FieldGroup form={form} name="headers" label={t("headers")} hideLabel>
        {headers.map((header, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header's name is what is edited.
          <div key={at} className="flex items-center gap-2">
            <input
              aria-label={t("headerName")}
              value={header.name}
              placeholder="x-team"
              autoComplete="off"
              // A stored value belongs to its name.
              onChange={(event) => change(at, { name: event.currentTarget.value, isStored: false })}
              className="control max-w-64 font-mono text-[0.9em]"
            />
            <input
              aria-label={t("headerValue")}
              type="password"
              value={header.value}
              placeholder={header.isStored ? t("headerStored") : t("headerNotSet")}
              autoComplete="new-password"
              onChange={(event) => change(at, { value: event.currentTarget.value })}
              className="control font-mono text-[0.9em]"
            />
            <IconButton
              label={t("removeOption", { name: header.name === "" ? t("newHeader") : header.name })}
              onClick={() => onChange(headers.filter((_, place) => place !== at))}
            >
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
        ))}
        <Button
          size="small"
          className="w-fit"
          disabled={headers.length >= headersMax}
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => onChange([...headers, { name: "", value: "", isStored: false }])}
        >
          {t("addHeader")}
        </Button>
      </FieldGroup>
    </div>
  );
}
