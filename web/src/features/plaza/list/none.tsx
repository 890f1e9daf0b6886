/** What is said where the list of models is empty: no model at all, or none that matches. */
import { PackageOpen, SearchX } from "lucide-react";
import { plazaMessages } from "../../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../../i18n/messages.ts";
import { useSession } from "../../../shell/session.ts";
import { Button, Link } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/states.tsx";
import { cleared, type PlazaFilters } from "./state.ts";

/** None matches: the way back to all. */
export function NoneFound({ filters }: { readonly filters: PlazaFilters }) {
  const t = useMessages(plazaMessages);
  return (
    <EmptyState
      icon={<SearchX />}
      title={t("noneTitle")}
      action={<Button onClick={() => filters.set(cleared(filters.values))}>{t("clearAll")}</Button>}
    >
      {t("noneText")}
    </EmptyState>
  );
}

/** For an operator with the way to connect some. */
export function NoModels() {
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
