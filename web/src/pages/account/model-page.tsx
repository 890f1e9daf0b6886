/**
 * One model: its facts beside the tabs *Try it*, *Code*, *Cost* and *Price history*. The tab is in the URL.
 */
import { isFor, operationPaths } from "@plaza/contract/operations.ts";
import { isApiError } from "../../api/error.ts";
import { useFreshStatus } from "../../api/fresh-status.ts";
import { useApiQuery } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { sampleOperationOf } from "../../features/playground/code/sample-operations.ts";
import { Deprecation, ModelStatus } from "../../features/plaza/model-facts.tsx";
import { FactsCard, HealthCard, LimitsCard, PriceCard } from "../../features/plaza/model-overview.tsx";
import { PlaygroundLink } from "../../features/plaza/playground-link.tsx";
import { UnknownModel } from "../../features/plaza/unknown-model.tsx";
import { operationMessages } from "../../i18n/en/operations.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useLanguage } from "../../i18n/language.ts";
import { useMessages } from "../../i18n/messages.ts";
import { serverText } from "../../i18n/server-text.ts";
import { useSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { When } from "../../ui/figures.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useParam } from "../../ui/navigation.tsx";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** Not needed to read the rest, so it does not delay the page. */
const { Part: StatusCard } = lazyPart(() =>
  import("../../features/status/status-card.tsx").then((file) => file.StatusCard),
);

type ModelDetail = Answer<"get /plaza/{model}">;

const tabNames = ["try", "code", "cost", "history"] as const;
type TabName = (typeof tabNames)[number];

/** Chats and embeddings are tried here, and there is code for some operations alone. */
function tabsOf(model: ModelDetail): readonly TabName[] {
  const hasCode = sampleOperationOf(model.operations) !== undefined;
  const isTried = isFor(model, "chat") || isFor(model, "embeddings");
  return tabNames.filter((name) => (name === "try" ? isTried : name !== "code" || hasCode));
}
const defaults = { tab: "try" };

// One tab is seen at a time: each loads when it is first opened.
const { Part: TryBeside } = lazyPart(() =>
  import("../../features/plaza/try-beside.tsx").then((file) => file.TryBeside),
);
const { Part: EmbedTab } = lazyPart(() =>
  import("../../features/plaza/embed/embed-tab.tsx").then((file) => file.EmbedTab),
);
const { Part: CodeTab } = lazyPart(() =>
  import("../../features/plaza/code-tab.tsx").then((file) => file.CodeTab),
);
const { Part: CostTab } = lazyPart(() =>
  import("../../features/plaza/cost-tab.tsx").then((file) => file.CostTab),
);
const { Part: HistoryTab } = lazyPart(() =>
  import("../../features/plaza/history-tab.tsx").then((file) => file.HistoryTab),
);

/** The page. */
export function ModelPage() {
  const t = useMessages(plazaMessages);
  const id = useParam("model");
  const model = useApiQuery("get /plaza/{model}", { params: { model: id } });
  if (model.data !== undefined) return <ModelView key={id} model={model.data} />;
  if (isApiError(model.error, "model_not_found") || isApiError(model.error, "not_found")) {
    return <UnknownModel id={id} />;
  }
  return (
    <>
      <PageHeader title={id} back={{ to: "/models", label: t("backToList") }} />
      {model.error === null ? (
        <div className="flex flex-col gap-4">
          <Skeleton className="h-10 w-full max-w-md" />
          <Skeleton className="h-64 w-full rounded-xl" />
        </div>
      ) : (
        <ErrorState error={model.error} onRetry={() => void model.refetch()} />
      )}
    </>
  );
}

function ModelView({ model: read }: { readonly model: ModelDetail }) {
  const model = useFreshStatus(read);
  const t = useMessages(plazaMessages);
  const language = useLanguage();
  const { account } = useSession();
  const { values, set } = useFilters(defaults);
  const names = tabsOf(model);
  const tab: TabName = names.find((name) => name === values.tab) ?? names[0] ?? "cost";
  const operation = sampleOperationOf(model.operations);
  return (
    <>
      <PageHeader
        title={model.name}
        shown={<span dir="auto">{model.name}</span>}
        back={{ to: "/models", label: t("backToList") }}
        actions={account !== null && isFor(model, "chat") && <PlaygroundLink modelId={model.id} />}
      >
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Copyable text={model.id} label={t("copyId")} />
          <ModelStatus model={model} />
          <Deprecation at={model.deprecatedAt} />
        </div>
        {model.description !== null && (
          <p dir="auto" className="mt-2">
            {serverText(model.description, language, model.descriptionMessage)}
          </p>
        )}
      </PageHeader>
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {!isFor(model, "chat") && <OtherPath model={model} />}
          <Tabs
            label={t("tabs")}
            value={tab}
            onChange={(next) => set({ tab: next })}
            tabs={[
              {
                value: "try",
                label: t("try"),
                content: isFor(model, "chat") ? <TryBeside model={model} /> : <EmbedTab model={model} />,
              },
              {
                value: "code",
                label: t("code"),
                content: operation && <CodeTab modelId={model.id} operation={operation} />,
              },
              { value: "cost", label: t("cost"), content: <CostTab model={model} /> },
              { value: "history", label: t("history"), content: <HistoryTab history={model.history} /> },
            ].filter(({ value }) => names.some((name) => name === value))}
          />
        </div>
        <aside className="grid min-w-0 gap-4 md:max-xl:grid-cols-2" aria-label={t("facts")}>
          <PriceCard model={model} />
          <StatusCard
            modelId={model.id}
            waiting={({ hasFailed }) => !hasFailed && <Skeleton className="h-32 w-full rounded-xl" />}
          />
          <FactsCard model={model} />
          <LimitsCard model={model} />
          <HealthCard model={model} />
          <p className="text-small text-faint">
            {t("asOf")} <When at={model.asOf} as="exact" />
          </p>
        </aside>
      </div>
    </>
  );
}

/** Where a model that answers no chats is called. */
function OtherPath({ model: { operations } }: { readonly model: ModelDetail }) {
  const t = useMessages(plazaMessages);
  const tOperation = useMessages(operationMessages);
  const what = operations.map((name) => tOperation(`operation.${name}`)).join(", ");
  const served = operations.map((name) => operationPaths[name]).find(({ isServed }) => isServed);
  return (
    <Notice tone={served === undefined ? "warn" : "neutral"} title={t("noChats")}>
      {served === undefined ? t("notServedYet", { what }) : t("calledAt", { what, path: served.path })}
    </Notice>
  );
}
