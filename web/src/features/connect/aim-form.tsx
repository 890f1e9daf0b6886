/** Which upstream, at which address, with which credential. */
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { Form, FormField } from "../../forms/form.tsx";
import { useAppForm } from "../../forms/use-app-form.ts";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useLanguage } from "../../i18n/language.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { PasswordInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { Combobox } from "../../ui/inputs/multi-select.tsx";
import { More } from "../../ui/more.tsx";
import { Loaded } from "../../ui/states.tsx";
import { HeaderFields } from "../upstreams/header-fields.tsx";
import { type HeaderValues, pairFieldOf, valuesByName } from "../upstreams/values.ts";
import type { Aim } from "./choosing.ts";

type Service = Answer<"get /operator/providers">["services"][number];

/** The choice for a server that is not in the list; it is sent as no service. */
const other = "other";

export interface AimFormProps {
  readonly onAsk: (aim: Aim) => Promise<void>;
}

/** See above. */
export function AimForm({ onAsk }: AimFormProps) {
  const t = useMessages(connectMessages);
  const providers = useApiQuery("get /operator/providers", {});
  return (
    <section className="flex flex-col gap-4">
      <div>
        <h2 className="font-semibold">{t("paste")}</h2>
        <p className="text-muted">{t("pasteText")}</p>
      </div>
      <Loaded query={providers}>
        {({ services }) => (
          <ServiceForm
            services={services.filter((one) => one.hasAddress && one.ended === null)}
            onAsk={onAsk}
          />
        )}
      </Loaded>
    </section>
  );
}

/** A field that was never typed in has no value. */
function givenOptions(options: Partial<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value = ""]) => (value.trim() === "" ? [] : [[name, value]])),
  );
}

interface ServiceFormProps extends AimFormProps {
  readonly services: readonly Service[];
}

function ServiceForm({ services, onAsk }: ServiceFormProps) {
  const t = useMessages(connectMessages);
  const language = useLanguage();
  const choices = useMemo(
    () => [
      { value: other, label: t("otherService") },
      ...services.map((one) => ({ value: one.id, label: one.name })),
    ],
    [services, t],
  );
  const form = useAppForm({
    initial: {
      ...{ service: "", baseUrl: "", credential: "" },
      options: {} as Partial<Record<string, string>>,
      headers: [] as readonly HeaderValues[],
    },
    fieldOf: (path, { headers }) => (path.startsWith("headers.") ? pairFieldOf(path, { headers }) : path),
    onSubmit: ({ service, baseUrl, credential, options, headers }) =>
      onAsk({
        service: service === "" || service === other ? null : service,
        baseUrl: baseUrl.trim() === "" ? null : baseUrl.trim(),
        credential: credential.trim() === "" ? null : credential.trim(),
        options: givenOptions(options),
        headers: valuesByName(headers),
      }),
  });
  const service = services.find((one) => one.id === form.values.service);
  const optionName = (name: string): string =>
    `option.${name}` in connectMessages.en ? t(`option.${name}` as KeyOf<typeof connectMessages>) : name;
  return (
    <Form form={form} act={form.isBusy ? t("checking") : t("check")} guard={false}>
      <div className="grid gap-5 sm:grid-cols-2">
        <FormField form={form} name="service" label={t("service")}>
          {(bind) => <Combobox {...bind} choices={choices} emptyText={t("chooseService")} />}
        </FormField>
        <FormField
          form={form}
          name="credential"
          label={t("credential")}
          hint={service?.needsCredential === false ? t("credentialOptional") : t("credentialHint")}
          optional={service?.needsCredential === false}
        >
          {(bind) => <PasswordInput {...bind} autoComplete="off" />}
        </FormField>
      </div>
      {service?.options.map((option) => (
        <FormField
          key={option.name}
          form={form}
          name={`options.${option.name}`}
          label={optionName(option.name)}
          hint={serverText(option.help, language, option.helpMessage)}
          optional={!option.isRequired}
        >
          {(bind) => <TextInput {...bind} value={bind.value ?? ""} />}
        </FormField>
      ))}
      <FormField
        form={form}
        name="baseUrl"
        label={t("baseUrl")}
        optional={service !== undefined && service.baseUrl !== null}
        required={form.values.service === other}
        hint={form.values.service === other ? t("otherAddress") : <AddressHint service={service} />}
      >
        {(bind) => (
          <TextInput {...bind} type="url" mono inputMode="url" placeholder={service?.baseUrl ?? "https://"} />
        )}
      </FormField>
      <More
        summary={t("headers")}
        isFilled={form.values.headers.length > 0}
        isFaulty={form.errorAt("headers") !== undefined}
      >
        <HeaderFields form={form} />
      </More>
    </Form>
  );
}

function AddressHint({ service }: { readonly service: Service | undefined }) {
  const t = useMessages(connectMessages);
  const language = useLanguage();
  if (service === undefined) return null;
  const parts = [
    service.baseUrl === null ? undefined : t("baseUrlKnown", { url: service.baseUrl }),
    service.baseUrlForm === null ? undefined : t("baseUrlForm", { form: service.baseUrlForm }),
    service.otherBaseUrls.length === 0
      ? undefined
      : t("otherAddresses", { list: service.otherBaseUrls.join(", ") }),
    service.note === null ? undefined : serverText(service.note, language, service.noteMessage),
    service.source === null ? undefined : t("addressFrom", service.source),
  ];
  return parts
    .filter((part) => part !== undefined)
    .map((part) => (
      <span key={part} className="block">
        {part}
      </span>
    ));
}
