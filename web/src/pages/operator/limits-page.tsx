import { FileCode2 } from "lucide-react";
import { call } from "../../api/call.ts";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form, FormField } from "../../forms/form.tsx";
import type { AppForm } from "../../forms/use-app-form.ts";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorSettingsMessages } from "../../i18n/en/pages/operator-settings.ts";
import { useMessages } from "../../i18n/messages.ts";
import { NumberInput } from "../../ui/inputs/inputs.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, Notice, PageHeader } from "../../ui/surfaces.tsx";

// The lower part of the page: nothing moves when it comes.
const { Part: OwnLimits } = lazyPart(() =>
  import("../../features/limits/own-limits.tsx").then((file) => file.OwnLimits),
);

type Catalog = Answer<"get /operator/catalog">;
type Limits = Catalog["limits"];

const names = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;
type Name = (typeof names)[number];
type Whose = "limits" | "installation";
type LimitValues = Readonly<Record<Whose, Limits>>;

function valuesOf({ limits, installation }: LimitValues): LimitValues {
  return { limits, installation };
}

/** See the file's comment. */
export function LimitsPage() {
  const t = useMessages(operatorSettingsMessages);
  const catalog = useApiQuery("get /operator/catalog", {});
  return (
    <>
      <PageHeader title={t("limitsTitle")}>{t("limitsLead")}</PageHeader>
      <Loaded query={catalog}>
        {(value) => (
          <>
            <LimitView catalog={value} />
            <OwnLimits limits={value.limits} models={value.models} />
          </>
        )}
      </Loaded>
    </>
  );
}

function LimitView({ catalog }: { readonly catalog: Catalog }) {
  const t = useMessages(operatorSettingsMessages);
  const edit = useEdit({
    thing: catalog,
    valuesOf,
    read: () => call("get /operator/catalog"),
    route: "put /operator/limits",
    sent: (values, revision) => ({ body: { ...values, revision } }),
    onDone: () => toast(t("limitsSaved")),
  });
  const isFile = catalog.limitsSource === "file";
  const nameOf = (field: string) => {
    const [whose, name] = field.split(".") as [Whose, Name];
    return `${t(whose === "limits" ? "ofAccounts" : "ofInstallation")}: ${t(name)}`;
  };
  return (
    <div className="flex max-w-4xl flex-col gap-5">
      {isFile ? (
        <Notice icon={<FileCode2 />} title={t("fromFile")}>
          {t("fromFileText")}
        </Notice>
      ) : (
        <p className="text-muted">{t(catalog.limitsSource === "demo" ? "fromDemo" : "fromConsole")}</p>
      )}
      <Form form={edit.form} {...(isFile ? {} : { act: t("save") })}>
        <ConflictNote edit={edit} nameOf={nameOf} />
        <fieldset disabled={isFile} className="flex min-w-0 flex-col gap-5">
          <LimitCard form={edit.form} whose="limits" />
          <LimitCard form={edit.form} whose="installation" />
        </fieldset>
      </Form>
    </div>
  );
}

interface LimitCardProps {
  readonly form: AppForm<LimitValues>;
  readonly whose: Whose;
}

function LimitCard({ form, whose }: LimitCardProps) {
  const t = useMessages(operatorSettingsMessages);
  const isOfAccounts = whose === "limits";
  return (
    <Card title={t(isOfAccounts ? "ofAccounts" : "ofInstallation")}>
      <p className="mb-4 text-muted">
        {t(isOfAccounts ? "ofAccountsText" : "ofInstallationText")} {t("zeroHint")}
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {names.map((name) => (
          <FormField key={name} form={form} name={`${whose}.${name}`} label={t(name)}>
            {(bind) => <NumberInput {...bind} min={0} placeholder={t("noLimit")} />}
          </FormField>
        ))}
      </div>
    </Card>
  );
}
