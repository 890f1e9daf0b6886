/** Texts for faults and states of upstreams, for every page that shows them. */

import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { When } from "../../ui/figures.tsx";
import { StatusBadge, type Tone } from "../../ui/surfaces.tsx";
import type { CredentialRow, DeploymentRow } from "./troubles.ts";

type Key = KeyOf<typeof operatorHealthMessages>;

/** A key that is put together; what is unknown to this console shows as the server wrote it. */
export function wordOr(t: Translate<Key>, key: string, given: string): string {
  return Object.hasOwn(operatorHealthMessages.en, key) ? t(key as Key) : given;
}

type LastFault = CredentialRow["lastFault"];

/** "throttled, HTTP 429". */
export function faultText(t: Translate<Key>, fault: LastFault): string {
  if (fault === null) return t("noFault");
  const kind = wordOr(t, `fault.${fault.kind}`, fault.kind);
  return fault.status === null ? kind : `${kind}, HTTP ${fault.status}`;
}

/** The last fault and when it was. */
export function FaultCell({ fault }: { readonly fault: LastFault }) {
  const t = useMessages(operatorHealthMessages);
  if (fault === null) return <span className="text-faint">{t("noFault")}</span>;
  return (
    <span>
      {faultText(t, fault)}
      <span className="block text-small text-faint">
        <When at={fault.at} />
      </span>
    </span>
  );
}

type State = DeploymentRow["state"] | CredentialRow["state"];

const tones: Record<State, Tone> = {
  healthy: "good",
  active: "good",
  resting: "warn",
  probing: "warn",
  returning: "warn",
  ejected: "bad",
  out: "bad",
};

/** A state and when the next retry is. */
export function StateCell({ state, untilAt }: { readonly state: State; readonly untilAt: string | null }) {
  const t = useMessages(operatorHealthMessages);
  return (
    <span>
      <StatusBadge tone={tones[state]}>{t(`state.${state}`)}</StatusBadge>
      {untilAt !== null && (
        <span className="block text-small text-faint">
          {t("until")} <When at={untilAt} />
        </span>
      )}
    </span>
  );
}
