/** The model plaza: every model, found by filters whose state is the URL, as cards, table or chart. */
import { PackageOpen } from "lucide-react";
import { useApiQuery } from "../../api/queries.ts";
import { ModelList } from "../../features/plaza/list/list.tsx";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { Copyable } from "../../ui/code.tsx";
import { EmptyState, Loaded, Skeleton } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

/** The page. */
export function PlazaPage() {
  const t = useMessages(plazaMessages);
  const { installation } = useSession();
  const plaza = useApiQuery("get /plaza", {}, { everyMs: 60_000 });
  return (
    <>
      <PageHeader title={t("title")}>
        <p>{t("lead")}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2">
          {t("baseUrl")}
          <Copyable text={installation.baseUrl} label={t("copyBaseUrl")} />
        </p>
      </PageHeader>
      <Loaded query={plaza} skeleton={<CardSkeletons />}>
        {({ models, asOf }) =>
          models.length === 0 ? <NoModels /> : <ModelList models={models} asOf={asOf} />
        }
      </Loaded>
    </>
  );
}

function CardSkeletons() {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-4">
      {[1, 2, 3, 4, 5, 6].map((at) => (
        <Skeleton key={at} className="h-64 w-full rounded-xl" />
      ))}
    </div>
  );
}

function NoModels() {
  const t = useMessages(plazaMessages);
  const { user } = useSession();
  return (
    <EmptyState
      icon={<PackageOpen />}
      title={t("emptyTitle")}
      action={
        user?.isOperator === true && (
          <Link to="/operator/upstreams" variant="primary">
            {t("connect")}
          </Link>
        )
      }
    >
      {user?.isOperator === true ? undefined : t("emptyText")}
    </EmptyState>
  );
}
