/**
 * Headers added to every call to an upstream, as fields of a form. Values only go in: of stored ones only the
 * names are known.
 */
import { Plus, X } from "lucide-react";
import { useFieldArray } from "react-hook-form";
import { FieldGroup, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextInput } from "../../ui/inputs/inputs.tsx";
import type { HeaderValues } from "./values.ts";

/** As the server has it. */
const headersMax = 16;

/** What the form has beside them does not matter here. */
interface WithHeaders {
  readonly headers: readonly HeaderValues[];
}

interface HeaderFieldsProps<Values extends WithHeaders> {
  readonly form: AppForm<Values>;
}

export function HeaderFields<Values extends WithHeaders>(props: HeaderFieldsProps<Values>) {
  const t = useMessages(operatorUpstreamsMessages);
  const form = props.form as unknown as AppForm<WithHeaders>;
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "headers" });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t("headersText")}</p>
      <FieldGroup form={form} name="headers" label={t("headers")} hideLabel>
        {fields.map(({ id }, at) => (
          <HeaderRow key={id} form={form} at={at} onRemove={() => remove(at)} />
        ))}
        <Button
          size="small"
          className="w-fit"
          disabled={fields.length >= headersMax}
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => append({ name: "", value: "", isStored: false }, { shouldFocus: false })}
        >
          {t("addHeader")}
        </Button>
      </FieldGroup>
    </div>
  );
}

interface HeaderRowProps {
  readonly form: AppForm<WithHeaders>;
  readonly at: number;
  readonly onRemove: () => void;
}

function HeaderRow({ form, at, onRemove }: HeaderRowProps) {
  const t = useMessages(operatorUpstreamsMessages);
  const row = form.values.headers[at];
  return (
    <div className="flex items-start gap-2">
      <FormField
        form={form}
        name={`headers.${at}.name`}
        label={t("headerName")}
        hideLabel
        className="min-w-0 flex-1 sm:w-64 sm:flex-none"
      >
        {({ value, onChange }) => (
          <TextInput
            mono
            value={value}
            placeholder="x-team"
            onChange={(name) => {
              onChange(name);
              // A stored value belongs to its name.
              form.setAt(`headers.${at}.isStored`, false);
            }}
          />
        )}
      </FormField>
      <FormField
        form={form}
        name={`headers.${at}.value`}
        label={t("headerValue")}
        hideLabel
        className="flex-1"
      >
        {(bind) => (
          <TextInput
            {...bind}
            mono
            type="password"
            autoComplete="new-password"
            placeholder={row?.isStored === true ? t("headerStored") : t("headerNotSet")}
          />
        )}
      </FormField>
      <IconButton
        label={t("removeOption", { name: row === undefined || row.name === "" ? t("newHeader") : row.name })}
        onClick={onRemove}
      >
        <X aria-hidden className="size-4" />
      </IconButton>
    </div>
  );
}
