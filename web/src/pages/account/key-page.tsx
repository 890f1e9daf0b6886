/** One key: what it is, what it used, and its settings. */
import type { ReactNode } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { useKeyActs } from "../../features/keys/acts.tsx";
import { KeyPrefix, KeyStatus, settingText } from "../../features/keys/cells.tsx";
import { type ApiKey, settingNames, valuesOfKey } from "../../features/keys/form-values.ts";
import { KeySettings } from "../../features/keys/settings.tsx";
import { last30DaysLink } from "../../features/requests/query.ts";
import { formatMoney } from "../../format/money.ts";
import { keysMessages } from "../../i18n/en/pages/keys.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Money, TokenCount, useTimeZone, When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, Facts, PageHeader } from "../../ui/surfaces.tsx";

/** See above. */
export function KeyPage() {
  const t = useMessages(keysMessages);
  const id = useParam("id");
  const key = useApiQuery("get /keys/{id}", { params: { id } });
  const name = key.data?.name ?? "";
  return (
    <>
      <PageHeader
        title={t("keyTitle", { name })}
        shown={<bdi>{name === "" ? id : name}</bdi>}
        back={{ to: "/keys", label: t("backToList") }}
        actions={key.data && <HeadActs apiKey={key.data} />}
      >
        {key.data && <KeyStatus status={key.data.status} />}
      </PageHeader>
      <Loaded query={key}>
        {(found) => (
          <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
            {found.status === "revoked" ? (
              <FixedSettings apiKey={found} />
            ) : (
              <KeySettings key={found.id} apiKey={found} />
            )}
            <KeyFacts apiKey={found} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function HeadActs({ apiKey }: { readonly apiKey: ApiKey }) {
  const t = useMessages(keysMessages);
  const acts = useKeyActs();
  if (apiKey.status === "revoked") return null;
  return (
    <>
      {apiKey.status === "disabled" ? (
        <Button onClick={() => acts.switchOn(apiKey)}>{t("switchOn")}</Button>
      ) : (
        <Button onClick={() => acts.ask("switchOff", apiKey)}>{t("switchOff")}</Button>
      )}
      <Button variant="danger" onClick={() => acts.ask("revoke", apiKey)}>
        {t("revoke")}
      </Button>
      {acts.dialog}
    </>
  );
}

function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const t = useMessages(keysMessages);
  const rows = last30DaysLink({ key: [apiKey.id] });
  const { budget } = apiKey;
  const facts: (readonly [ReactNode, ReactNode])[] = [
    [t("key"), <KeyPrefix key="prefix" prefix={apiKey.visiblePrefix} />],
    [
      t("created"),
      <span key="created">
        <When at={apiKey.createdAt} as="day" />{" "}
        <bdi className="text-muted">
          {apiKey.createdBy === null
            ? t("byOperator")
            : t("createdBy", { name: apiKey.createdBy.name ?? t("goneUser") })}
        </bdi>
      </span>,
    ],
    [t("lastUsed"), <When key="used" at={apiKey.lastUsedAt} />],
    [
      t("requests30"),
      <Link key="requests" to={rows}>
        <TokenCount value={apiKey.last30Days.requests} exact />
      </Link>,
    ],
    [
      t("spend30"),
      <Link key="charge" to={rows}>
        <Money value={apiKey.last30Days.charge} />
      </Link>,
    ],
  ];
  if (budget !== null) {
    facts.push([
      t("budget"),
      <span key="budget">
        {t("budgetPer", { amount: formatMoney(budget.amount), period: t(`period.${budget.period}`) })}
        <span className="block text-muted">
          {t("budgetSpent", { spent: formatMoney(budget.spent) })} · {t("budgetResets")}{" "}
          <When at={budget.resetsAt} />
        </span>
      </span>,
    ]);
  }
  return (
    <Card title={t("facts")}>
      <Facts rows={facts} />
    </Card>
  );
}

function FixedSettings({ apiKey }: { readonly apiKey: ApiKey }) {
  const t = useMessages(keysMessages);
  const language = useLanguage();
  const values = valuesOfKey(apiKey, useTimeZone());
  const titles = {
    name: "name",
    expiresAt: "expiry",
    models: "models",
    limits: "limits",
    budget: "budget",
    ips: "ips",
    project: "project",
    tags: "tags",
  } as const;
  return (
    <Card title={t("settings")}>
      <p className="mb-4 text-muted">{t("readOnlyRevoked")}</p>
      <Facts
        rows={settingNames.map((name) => [
          t(titles[name]),
          <bdi key={name}>{settingText(values, name, t, language)}</bdi>,
        ])}
      />
    </Card>
  );
}
