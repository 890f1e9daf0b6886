/**
 * Connecting an upstream: what was found or a pasted credential, then its models with their prices, then
 * done. In the first run and on the operator's page of upstreams. Writes nothing before the last button.
 */

import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { useApiMutation } from "../../api/queries.ts";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/inputs/field.tsx";
import { TextArea } from "../../ui/inputs/inputs.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import type { Aim, Checked, Connected } from "./choosing.ts";
import { MoreModels } from "./more-models.tsx";
import { Offers } from "./offers.tsx";
import { Proposals } from "./proposals.tsx";

// Forms load after the page.
const { Part: AimForm } = lazyPart(() => import("./aim-form.tsx").then((file) => file.AimForm));

export interface ConnectPanelProps {
  readonly onConnected: (result: Connected) => void;
  /** Find more models at this upstream, with its stored credentials. */
  readonly upstreamId?: string;
  /** Offers the built-in demo, which is there already. */
  readonly onDemo?: () => void;
}

interface Found {
  readonly aim: Aim;
  readonly checked: Checked;
}

/** See `ConnectPanelProps`. */
export function ConnectPanel({ onConnected, upstreamId, onDemo }: ConnectPanelProps) {
  const t = useMessages(connectMessages);
  const [found, setFound] = useState<Found | null>(null);
  const check = useApiMutation("post /operator/connect/check");
  const ask = async (aim: Aim) => {
    const checked = await check.mutateAsync({ body: aim });
    setFound({ aim, checked });
  };
  if (found !== null) {
    return (
      <div className="flex flex-col gap-5">
        <div>
          <Button
            variant="quiet"
            size="small"
            icon={<ArrowLeft aria-hidden className="size-4" />}
            onClick={() => setFound(null)}
          >
            {t("back")}
          </Button>
        </div>
        {found.checked.hasNoList && found.checked.models.length === 0 ? (
          <NameModels found={found} onFound={setFound} />
        ) : (
          <Proposals
            key={found.checked.models.length}
            aim={found.aim}
            checked={found.checked}
            onConnected={onConnected}
          />
        )}
      </div>
    );
  }
  if (upstreamId !== undefined) return <MoreModels upstreamId={upstreamId} onAsk={ask} />;
  return (
    <div className="flex flex-col gap-7">
      <Offers onAsk={ask} {...(onDemo === undefined ? {} : { onDemo })} />
      <AimForm onAsk={ask} />
    </div>
  );
}

/** For an upstream without a list: its models are named by hand, and asked for again. */
function NameModels({ found, onFound }: { readonly found: Found; readonly onFound: (found: Found) => void }) {
  const t = useMessages(connectMessages);
  const check = useApiMutation("post /operator/connect/check");
  const [text, setText] = useState("");
  const names = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const ask = () =>
    void check
      .mutateAsync({ body: { ...found.aim, models: names } })
      .then((checked) => onFound({ aim: found.aim, checked }))
      .catch(() => undefined);
  return (
    <div className="flex flex-col gap-4">
      <p>{t("noList")}</p>
      <Field label={t("modelNames")}>
        <TextArea value={text} onChange={setText} mono rows={5} />
      </Field>
      {check.error !== null && <ErrorNote error={check.error} />}
      <div>
        <Button variant="primary" busy={check.isPending} disabled={names.length === 0} onClick={ask}>
          {t("check")}
        </Button>
      </div>
    </div>
  );
}
