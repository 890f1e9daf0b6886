/** One key: what it is, what it used, and its settings. */
import type { ReactNode } from "react";
import { useAnswer } from "../../api/queries.ts";
import { formatMoney } from "../../format/money.ts";
import { keysWords } from "../../i18n/en/pages/keys.ts";
import { useLanguage, useWords } from "../../i18n/words.ts";
import { Button, Link } from "../../ui/button.tsx";
import { Money, TokenCount, useTimeZone, When } from "../../ui/figures.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Card, Facts, PageHeader } from "../../ui/surfaces.tsx";
import { last30DaysLink } from "../requests/query.ts";
import { useKeyActs } from "./acts.tsx";
import { KeyPrefix, KeyStatus, settingText } from "./cells.tsx";
import { type ApiKey, settingNames, valuesOfKey } from "./form-values.ts";
import { KeySettings } from "./settings.tsx";

/** See above. */
export function KeyPage() {
  const say = useWords(keysWords);
  const id = useParam("id");
  const key = useAnswer("get /keys/{id}", { params: { id } });
  const name = key.data?.name ?? "";
  return (
    <>
      <PageHeader
        title={say("keyTitle", { name })}
        shown={<bdi>{name === "" ? id : name}</bdi>}
        back={{ to: "/keys", label: say("backToList") }}
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
              <KeySettings key={found.id} apiKey={found} reload={key.refetch} />
            )}
            <KeyFacts apiKey={found} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function HeadActs({ apiKey }: { readonly apiKey: ApiKey }) {
  const say = useWords(keysWords);
  const acts = useKeyActs();
  if (apiKey.status === "revoked") return null;
  return (
    <>
      {apiKey.status === "disabled" ? (
        <Button onClick={() => acts.switchOn(apiKey)}>{say("switchOn")}</Button>
      ) : (
        <Button onClick={() => acts.ask("switchOff", apiKey)}>{say("switchOff")}</Button>
      )}
      <Button look="danger" onClick={() => acts.ask("revoke", apiKey)}>
        {say("revoke")}
      </Button>
      {acts.dialog}
    </>
  );
}

function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const say = useWords(keysWords);
  const rows = last30DaysLink({ key: [apiKey.id] });
  const { budget } = apiKey;
  const facts: (readonly [ReactNode, ReactNode])[] = [
    [say("key"), <KeyPrefix key="prefix" prefix={apiKey.visiblePrefix} />],
    [
      say("created"),
      <span key="created">
        <When at={apiKey.createdAt} as="day" />{" "}
        <bdi className="text-muted">
          {apiKey.createdBy === null
            ? say("byOperator")
            : say("createdBy", { name: apiKey.createdBy.name ?? say("goneUser") })}
        </bdi>
      </span>,
    ],
    [say("lastUsed"), <When key="used" at={apiKey.lastUsedAt} />],
    [
      say("requests30"),
      <Link key="requests" to={rows}>
        <TokenCount value={apiKey.last30Days.requests} exact />
      </Link>,
    ],
    [
      say("spend30"),
      <Link key="charge" to={rows}>
        <Money value={apiKey.last30Days.charge} />
      </Link>,
    ],
  ];
  if (budget !== null) {
    facts.push([
      say("budget"),
      <span key="budget">
        {say("budgetPer", { amount: formatMoney(budget.amount), period: say(`period.${budget.period}`) })}
        <span className="block text-muted">
          {say("budgetSpent", { spent: formatMoney(budget.spent) })} · {say("budgetResets")}{" "}
          <When at={budget.resetsAt} />
        </span>
      </span>,
    ]);
  }
  return (
    <Card title={say("facts")}>
      <Facts rows={facts} />
    </Card>
  );
}

function FixedSettings({ apiKey }: { readonly apiKey: ApiKey }) {
  const say = useWords(keysWords);
  const language = useLanguage();
  const values = valuesOfKey(apiKey, useTimeZone());
  const titles = {
    name: "name",
    expiresAt: "expiry",
    models: "models",
    limits: "limits",
    budget: "budget",
    ips: "ips",
  } as const;
  return (
    <Card title={say("settings")}>
      <p className="mb-4 text-muted">{say("readOnlyRevoked")}</p>
      <Facts
        rows={settingNames.map((name) => [
          say(titles[name]),
          <bdi key={name}>{settingText(values, name, say, language)}</bdi>,
        ])}
      />
    </Card>
  );
}
