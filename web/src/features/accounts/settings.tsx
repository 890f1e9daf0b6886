import { call } from "../../api/call.ts";
import { useApiQuery } from "../../api/queries.ts";
import { formatMoney } from "../../format/money.ts";
import { ConflictNote } from "../../forms/conflict-note.tsx";
import { Form, FormField } from "../../forms/form.tsx";
import { useEdit } from "../../forms/use-edit.ts";
import { operatorAccountsMessages } from "../../i18n/en/pages/operator-accounts.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { MoneyInput, NumberInput, TextInput } from "../../ui/inputs/inputs.tsx";
import { toast } from "../../ui/overlays/toast.tsx";
import { Card } from "../../ui/surfaces.tsx";
import type { Account } from "./status.tsx";

const limitNames = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;
type FieldName = Exclude<keyof ReturnType<typeof valuesOf>, "limits"> | (typeof limitNames)[number];

const hourMs = 3_600_000;

function valuesOf(account: Account) {
  const { name, limits, lowBalance, responsesKeptMs } = account;
  const keptHours = responsesKeptMs === null ? null : responsesKeptMs / hourMs;
  return { name, limits, lowBalance: lowBalance ?? "", keptHours };
}

/** See above. */
export function AccountSettings({ account }: { readonly account: Account }) {
  const t = useMessages(operatorAccountsMessages);
  const edit = useEdit({
    thing: account,
    valuesOf,
    fieldOf: (path) => (path === "responsesKeptMs" ? "keptHours" : path),
    read: () => call("get /operator/accounts/{id}", { params: { id: account.id } }),
    route: "patch /operator/accounts/{id}",
    sent: ({ name, lowBalance, keptHours, limits }, revision) => ({
      params: { id: account.id },
      body: {
        name,
        limits,
        lowBalance: lowBalance.trim() === "" ? null : lowBalance.trim(),
        responsesKeptMs: keptHours === null ? null : Math.round(keptHours * hourMs),
        revision,
      },
    }),
    onDone: () => toast(t("saved")),
  });
  const { form } = edit;
  const installation = useApiQuery("get /operator/settings", {});
  const standard = installation.data?.lowBalance;
  const hint =
    standard === undefined
      ? t("lowBalanceHint")
      : standard === null
        ? t("lowBalanceHintNone")
        : t("lowBalanceHintIs", { amount: formatMoney(standard) });
  const isClosed = account.status === "closed";
  return (
    <Card title={t("settings")}>
      <Form form={form} {...(isClosed ? {} : { act: t("save") })}>
        <ConflictNote edit={edit} nameOf={(field) => t(field.split(".").at(-1) as FieldName)} />
        <fieldset disabled={isClosed} className="flex min-w-0 flex-col gap-5">
          <div className="grid gap-4 sm:grid-cols-2">
            <FormField form={form} name="name" label={t("name")} required>
              {(bind) => <TextInput {...bind} />}
            </FormField>
            <FormField
              form={form}
              name="lowBalance"
              label={t("lowBalance")}
              hint={
                <>
                  {hint}{" "}
                  <Link to="/operator/settings" className="underline">
                    {t("lowBalanceSet")}
                  </Link>
                </>
              }
            >
              {(bind) => <MoneyInput {...bind} placeholder={t("asInstallation")} />}
            </FormField>
            <FormField form={form} name="keptHours" label={t("keptHours")} hint={t("keptHoursHint")}>
              {(bind) => <NumberInput {...bind} min={0} step="any" placeholder={t("asInstallation")} />}
            </FormField>
          </div>
          <fieldset className="min-w-0">
            <legend className="font-medium">{t("limits")}</legend>
            <p className="mb-3 text-small text-muted">{t("limitsText")}</p>
            <div className="grid gap-4 sm:grid-cols-3">
              {limitNames.map((name) => (
                <FormField key={name} form={form} name={`limits.${name}`} label={t(name)}>
                  {(bind) => <NumberInput {...bind} min={0} placeholder={t("asEvery")} />}
                </FormField>
              ))}
            </div>
          </fieldset>
        </fieldset>
      </Form>
    </Card>
  );
}
