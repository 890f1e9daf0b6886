/** An id that no model has: what was asked for, what it may have meant, and the way to all of them. */
import { SearchX } from "lucide-react";
import { useMemo } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { plazaMessages } from "../../i18n/en/pages/plaza.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { PageHeader } from "../../ui/surfaces.tsx";
import { modelPath } from "./models.ts";
import { similarModels } from "./search/similar.ts";

/** See above. */
export function UnknownModel({ id }: { readonly id: string }) {
  const t = useMessages(plazaMessages);
  const plaza = useApiQuery("get /plaza", {});
  const similar = useMemo(() => similarModels(plaza.data?.models ?? [], id), [plaza.data, id]);
  return (
    <>
      <PageHeader title={t("unknownTitle")} back={{ to: "/models", label: t("backToList") }}>
        <code dir="auto">{id}</code>
      </PageHeader>
      <EmptyState
        icon={<SearchX />}
        title={t("unknownText")}
        action={
          <Link to="/models" variant="primary">
            {t("backToList")}
          </Link>
        }
      >
        {similar.length > 0 && (
          <div className="mt-2">
            <p>{t("similar")}</p>
            <ul className="mt-1 flex flex-col gap-1">
              {similar.map((model) => (
                <li key={model.id}>
                  <Link to={modelPath(model.id)}>{model.name}</Link>{" "}
                  <code className="text-[0.9em]">{model.id}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
      </EmptyState>
    </>
  );
}
