/** How to make a first request, for accounts that made none yet. */

import { isFor } from "@plaza/contract/operations.ts";
import { KeyRound, MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useApiQuery } from "../../api/queries.ts";
import { overviewMessages } from "../../i18n/en/pages/overview.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { RadioGroup } from "../../ui/inputs/choices.tsx";
import { Card } from "../../ui/surfaces.tsx";
import { curlCall, keyPlaceholder, pythonCall, typescriptCall } from "./first-call.ts";

const samples = {
  curl: { label: "curl", language: "bash", write: curlCall },
  python: { label: "Python", language: "python", write: pythonCall },
  typescript: { label: "TypeScript", language: "typescript", write: typescriptCall },
} as const;

type SampleName = keyof typeof samples;

/** See above. */
export function FirstRequestCard() {
  const t = useMessages(overviewMessages);
  const { installation } = useSession();
  const plaza = useApiQuery("get /plaza", {});
  const [name, setName] = useState<SampleName>("curl");
  const model = plaza.data?.models.find((one) => one.status === "available" && isFor(one, "chat"))?.id;
  const { language, write } = samples[name];
  return (
    <Card
      title={t("firstTitle")}
      action={
        <RadioGroup
          inline
          label={t("language")}
          value={name}
          choices={(Object.keys(samples) as SampleName[]).map((value) => ({
            value,
            label: samples[value].label,
          }))}
          onChange={setName}
        />
      }
    >
      <div className="flex flex-col gap-4">
        {plaza.data !== undefined && model === undefined ? (
          <p className="text-muted">{t("noModel")}</p>
        ) : (
          <>
            <CodeBlock
              language={language}
              code={write({ baseUrl: installation.baseUrl, model: model ?? "…", key: keyPlaceholder })}
            />
            <p className="text-muted">
              {t("firstKey")} {t("firstText")}
            </p>
          </>
        )}
        <div className="flex flex-wrap gap-2">
          <Link
            to={pageTo("/keys", { new: "1" })}
            variant="primary"
            icon={<KeyRound aria-hidden className="size-4" />}
          >
            {t("createKey")}
          </Link>
          <Link to="/playground" variant="plain" icon={<MessageSquareText aria-hidden className="size-4" />}>
            {t("tryInPlayground")}
          </Link>
        </div>
      </div>
    </Card>
  );
}
