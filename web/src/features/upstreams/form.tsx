/** Settings of one upstream: address, credentials that only go in, places, timers, behaviour. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { useFieldArray } from "react-hook-form";
import { FieldGroup, Form, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { NumberInput, TextArea, TextInput } from "../../ui/inputs/inputs.tsx";
import { Card, Notice } from "../../ui/surfaces.tsx";
import { HeaderFields } from "./header-fields.tsx";
import type { UpstreamValues } from "./values.ts";

interface UpstreamFormProps {
  readonly form: AppForm<UpstreamValues>;
  readonly upstream: ShownUpstreamDocument;
  readonly note: ReactNode;
}

/** What plaza.yaml lists is shown, not changed. */
export function UpstreamForm({ form, upstream, note }: UpstreamFormProps) {
  const t = useMessages(operatorUpstreamsMessages);
  const isReadOnly = upstream.source === "file";
  return (
    <Form form={form} className="flex max-w-4xl flex-col gap-5" {...(isReadOnly ? {} : { act: t("save") })}>
      {note}
      <fieldset disabled={isReadOnly} className="flex min-w-0 flex-col gap-5">
        <AddressCard form={form} upstream={upstream} />
        <CredentialCard form={form} upstream={upstream} />
        <Card title={t("headers")}>
          <HeaderFields form={form} />
        </Card>
        <ConcurrencyCard form={form} />
        <BehaviourCard form={form} />
      </fieldset>
    </Form>
  );
}

type PartProps = Pick<UpstreamFormProps, "form" | "upstream">;

function AddressCard({ form, upstream }: PartProps) {
  const t = useMessages(operatorUpstreamsMessages);
  const isMoved = form.values.baseUrl.trim() !== upstream.baseUrl;
  return (
    <Card title={t("address")}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">{t("addressText")}</p>
        <FormField form={form} name="baseUrl" label={t("baseUrl")} hint={t("baseUrlHint")}>
          {(bind) => <TextInput {...bind} type="url" mono />}
        </FormField>
        {isMoved && upstream.credentials > 0 && form.values.credentials === "keep" && (
          <Notice tone="warn">{t("baseUrlWarning")}</Notice>
        )}
        <OptionFields form={form} />
      </div>
    </Card>
  );
}

function OptionFields({ form }: Pick<PartProps, "form">) {
  const t = useMessages(operatorUpstreamsMessages);
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "options" });
  return (
    <FieldGroup form={form} name="options" label={t("options")} optional>
      {fields.map(({ id }, at) => {
        const name = form.values.options[at]?.name ?? "";
        return (
          <div key={id} className="flex items-start gap-2">
            <FormField
              form={form}
              name={`options.${at}.name`}
              label={t("optionName")}
              hideLabel
              className="w-48 shrink"
            >
              {(bind) => <TextInput {...bind} mono />}
            </FormField>
            <FormField
              form={form}
              name={`options.${at}.value`}
              label={t("optionValue")}
              hideLabel
              className="flex-1"
            >
              {(bind) => <TextInput {...bind} mono />}
            </FormField>
            <IconButton
              label={t("removeOption", { name: name === "" ? t("newOption") : name })}
              onClick={() => remove(at)}
            >
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
        );
      })}
      <Button
        size="small"
        className="w-fit"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => append({ name: "", value: "" }, { shouldFocus: false })}
      >
        {t("addOption")}
      </Button>
    </FieldGroup>
  );
}

function CredentialCard({ form, upstream }: PartProps) {
  const t = useMessages(operatorUpstreamsMessages);
  const count = upstream.credentials;
  return (
    <Card title={t("credentials")}>
      <div className="flex flex-col gap-4">
        {upstream.credentialsFault !== null && (
          <Notice tone="bad" title={t("unreadable")}>
            {upstream.credentialsFault} {t("unreadableText")}
          </Notice>
        )}
        <p className="text-muted">
          {count === 0 ? t("credentialNone") : t("credentialCount", { count })} {t("credentialsText")}
        </p>
        <FormField form={form} name="credentials" label={t("credentials")} hideLabel>
          {(bind) => (
            <RadioGroup
              {...bind}
              choices={(["keep", "replace", "none"] as const).map((value) => ({
                value,
                label: t(`credentials.${value}`),
              }))}
            />
          )}
        </FormField>
        {form.values.credentials === "replace" && (
          <FormField
            form={form}
            name="newCredentials"
            label={t("newCredentials")}
            hint={t("newCredentialsHint")}
          >
            {(bind) => <TextArea {...bind} rows={3} mono />}
          </FormField>
        )}
      </div>
    </Card>
  );
}

const timerNames = ["connect", "firstByte", "firstToken", "idle", "total"] as const;

function ConcurrencyCard({ form }: Pick<PartProps, "form">) {
  const t = useMessages(operatorUpstreamsMessages);
  return (
    <Card title={t("places")}>
      <p className="mb-4 text-muted">{t("concurrencyText")}</p>
      <div className="grid max-w-lg gap-4 sm:grid-cols-2">
        <FormField form={form} name="concurrency" label={t("concurrency")}>
          {(bind) => <NumberInput {...bind} min={1} placeholder={t("unbounded")} />}
        </FormField>
        <FormField form={form} name="queue" label={t("queue")}>
          {(bind) => <NumberInput {...bind} min={0} placeholder={t("queueDefault")} />}
        </FormField>
      </div>
      <fieldset className="mt-5 min-w-0">
        <legend className="font-medium">{t("timers")}</legend>
        <p className="mb-3 text-muted">{t("timersText")}</p>
        <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-4">
          {timerNames.map((name) => (
            <FormField key={name} form={form} name={name} label={t(`${name}Timer`)}>
              {(bind) => (
                <NumberInput
                  {...bind}
                  min={0}
                  step="any"
                  unit={t("seconds")}
                  {...(name === "firstByte" ? { placeholder: t("byModel") } : {})}
                />
              )}
            </FormField>
          ))}
        </div>
      </fieldset>
    </Card>
  );
}

function BehaviourCard({ form }: Pick<PartProps, "form">) {
  const t = useMessages(operatorUpstreamsMessages);
  return (
    <Card title={t("behaviour")}>
      <div className="grid gap-6 sm:grid-cols-2">
        <FormField form={form} name="affinity" label={t("affinity")} hint={t("affinityHint")}>
          {(bind) => (
            <RadioGroup
              {...bind}
              choices={(["key", "none"] as const).map((value) => ({
                value,
                label: t(`affinity.${value}`),
              }))}
            />
          )}
        </FormField>
        <FormField form={form} name="onDisconnect" label={t("onDisconnect")}>
          {(bind) => (
            <RadioGroup
              {...bind}
              choices={(["stop", "finish"] as const).map((value) => ({
                value,
                label: t(`leaves.${value}`),
              }))}
            />
          )}
        </FormField>
      </div>
    </Card>
  );
}
