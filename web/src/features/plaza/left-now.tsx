/**
 * What is left of the user's limits, read from the endpoint with the selected key. Shown only to signed-in
 * users with a key.
 */
import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { plazaTabsMessages } from "../../i18n/en/pages/plaza-tabs.ts";
import { useMessages } from "../../i18n/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { type LimitsLeft, limitsLeftIn } from "../playground/chat/limits-left.ts";
import { callEndpoint } from "../playground/endpoint.ts";
import { KeyChoice } from "../playground/key-choice.tsx";
import { LimitsNow } from "../playground/limits-now.tsx";
import { useEndpoint } from "../playground/use-endpoint.ts";
import { useKeys } from "../playground/use-keys.ts";

/** What the headers of `GET /v1/models/{id}` say for a key; read every half minute while visible. */
function useLimitsLeft(modelId: string, keyId: string | undefined) {
  const endpoint = useEndpoint();
  return useQuery<LimitsLeft>({
    queryKey: ["limits-left", endpoint.baseUrl, keyId, modelId],
    enabled: keyId !== undefined,
    staleTime: 5_000,
    refetchInterval: 30_000,
    retry: false,
    queryFn: async ({ signal }) => {
      const answer = await callEndpoint(endpoint, keyId ?? "", `/models/${encodeURIComponent(modelId)}`, {
        signal,
      });
      await answer.arrayBuffer();
      return limitsLeftIn(answer.headers);
    },
  });
}

/** Empty for visitors without a key. */
export function LeftNow({ modelId }: { readonly modelId: string }) {
  const t = useMessages(plazaTabsMessages);
  const keys = useKeys([modelId]);
  const left = useLimitsLeft(modelId, keys.chosen?.id);
  if (keys.isAbsent || keys.chosen === undefined) return null;
  const isNone = left.data !== undefined && left.data.requests === null && left.data.tokens === null;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <KeyChoice keys={keys} models={[modelId]} className="min-w-48 flex-1" />
        <Button
          size="small"
          variant="quiet"
          busy={left.isFetching}
          icon={<RotateCw aria-hidden className="size-4" />}
          onClick={() => void left.refetch()}
        >
          {t("ask")}
        </Button>
      </div>
      <h3 className="font-medium">{t("leftNow")}</h3>
      {left.data !== undefined && !isNone && <LimitsNow limits={left.data} />}
      {left.isPending && <Skeleton className="h-9 w-full" />}
      <p className="text-small text-faint">
        {left.isError ? t("leftFailed") : isNone ? t("leftNone") : `${t("leftText")}`}
      </p>
    </div>
  );
}
