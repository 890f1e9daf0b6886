/** The model plaza: every model, found by filters whose state is the URL, as cards, table or chart. */
import { useApiQuery } from "../../api/queries.ts";
import { ModelList } from "../../features/plaza/list/list.tsx";
import { ListPlaceholder } from "../../features/plaza/list/placeholder.tsx";
import { plazaDefaults, viewOf } from "../../features/plaza/list/state.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Copyable } from "../../ui/code.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { Later } from "../../ui/later.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Loaded } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";

// Seldom seen: there are models.
const { Part: NoModels } = lazyPart(() =>
  import("../../features/plaza/list/none.tsx").then((file) => file.NoModels),
);

/** The page. */
export function PlazaPage() {
  const t = useMessages(plazaMessages);
  const { installation } = useSession();
  const plaza = useApiQuery("get /plaza", {}, { everyMs: 60_000 });
  const { values } = useFilters(plazaDefaults);
  const placeholder = <ListPlaceholder view={viewOf(values.view)} />;
  return (
    <>
      <PageHeader title={t("title")}>
        <p>{t("lead")}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2">
          {t("baseUrl")}
          <Copyable text={installation.baseUrl} label={t("copyBaseUrl")} />
        </p>
      </PageHeader>
      <Loaded query={plaza} skeleton={placeholder}>
        {({ models, asOf }) =>
          models.length === 0 ? (
            <NoModels />
          ) : (
            <Later placeholder={placeholder}>
              <ModelList models={models} asOf={asOf} />
            </Later>
          )
        }
      </Loaded>
    </>
  );
}
