/** How an upstream is doing, as a dot and a few words. */
import type { ShownUpstreamDocument } from "@plaza/contract/api/catalog.ts";
import { operatorUpstreamsMessages } from "../../i18n/en/pages/operator-upstreams.ts";
import { useMessages } from "../../i18n/messages.ts";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import type { Standing } from "./standing.ts";

const tones: Record<Standing["kind"], Tone> = {
  well: "good",
  troubled: "warn",
  out: "warn",
  down: "bad",
  unused: "neutral",
};

interface StandingBadgeProps {
  readonly upstream: ShownUpstreamDocument;
  readonly standing: Standing;
}

/** Credentials that cannot be opened come before everything else. */
export function StandingBadge({ upstream, standing }: StandingBadgeProps) {
  const t = useMessages(operatorUpstreamsMessages);
  if (upstream.credentialsFault !== null)
    return (
      <StatusBadge tone="bad" title={upstream.credentialsFault}>
        {t("state.unreadable")}
      </StatusBadge>
    );
  return (
    <StatusBadge tone={tones[standing.kind]}>
      {t(`state.${standing.kind}`, { count: standing.count })}
    </StatusBadge>
  );
}
