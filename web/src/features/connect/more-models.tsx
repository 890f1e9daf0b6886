/** Lists the models of a connected upstream when it opens. */
import { useEffect, useRef, useState } from "react";
import { connectMessages } from "../../i18n/en/connect.ts";
import { useMessages } from "../../i18n/messages.ts";
import { ErrorState, Skeleton } from "../../ui/states.tsx";
import type { Aim } from "./choosing.ts";

export interface MoreModelsProps {
  readonly upstreamId: string;
  readonly onAsk: (aim: Aim) => Promise<void>;
}

/** See above. */
export function MoreModels({ upstreamId, onAsk }: MoreModelsProps) {
  const t = useMessages(connectMessages);
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const askedFor = useRef("");
  useEffect(() => {
    const asking = `${upstreamId} ${tries}`;
    if (askedFor.current === asking) return;
    askedFor.current = asking;
    setError(null);
    onAsk({ upstreamId }).catch(setError);
  }, [upstreamId, tries, onAsk]);
  if (error !== null) {
    return <ErrorState error={error} title={t("failed")} onRetry={() => setTries(tries + 1)} />;
  }
  return (
    <div className="flex flex-col gap-3" aria-busy>
      <p className="text-muted">{t("checking")}</p>
      <Skeleton className="h-10 w-full" />
      <Skeleton className="h-10 w-full" />
    </div>
  );
}
