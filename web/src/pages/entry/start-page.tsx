/**
 * The first run after the operator is there: an upstream, then the first completion.
 * Two screens; the step is in the URL.
 */

import { useEffect } from "react";
import { ConnectPanel } from "../../features/connect/panel.tsx";
import { CallStep } from "../../features/start/call-step.tsx";
import { Steps } from "../../features/start/steps.tsx";
import { startMessages } from "../../i18n/en/start.ts";
import { useMessages } from "../../i18n/messages.ts";
import { pageTo } from "../../shell/page-search.ts";
import { NotYoursPage } from "../../shell/page-states.tsx";
import { Plain } from "../../shell/plain-page.tsx";
import { useSession } from "../../shell/session.ts";
import { Link } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";

/** Most connected models that the address carries on; ids hold no comma. */
const preferredMax = 50;
const defaults = { step: "connect", model: "" };

/** See above. */
export function StartPage() {
  const t = useMessages(startMessages);
  const { user, installation } = useSession();
  const filters = useFilters(defaults);
  const { step, model } = filters.values;
  // Each step is a page of its own for screen readers.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the step changes.
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
  }, [step]);
  if (user?.isOperator !== true) return <NotYoursPage />;
  if (step === "call") {
    return (
      <Plain
        wide
        title={t("callTitle")}
        lead={
          <>
            <Steps at={3} />
            <p>{t("callLead")}</p>
          </>
        }
      >
        <CallStep
          preferred={model.split(",")}
          onConnect={() => filters.set({ step: "connect", model: "" })}
        />
      </Plain>
    );
  }
  const toCall = (connected: readonly string[]) =>
    filters.set({ step: "call", model: connected.slice(0, preferredMax).join(",") });
  return (
    <Plain
      wide
      title={t("connectTitle")}
      lead={
        <>
          <Steps at={2} />
          <p>{t("connectLead")}</p>
        </>
      }
    >
      <ConnectPanel
        onConnected={(result) => toCall([...result.added, ...result.joined])}
        {...(installation.demoOnly ? { onDemo: () => toCall([]) } : {})}
      />
      <p className="border-t border-line pt-4 text-right">
        <Link to={pageTo("/start", { step: "call" })}>{t("skip")}</Link>
      </p>
    </Plain>
  );
}
