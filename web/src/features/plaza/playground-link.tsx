/** The way from a model to the playground. */

import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { Link } from "../../ui/button.tsx";

/** The way to a whole conversation with this model. */
export function PlaygroundLink({ modelId }: { readonly modelId: string }) {
  const t = useMessages(plazaTabsMessages);
  return (
    <Link to={pageTo("/playground", { model: [modelId] })} variant="plain">
      {t("openPlayground")}
    </Link>
  );
}
