/** What the whole installation does now, moving by itself. `?wall=1` is for a display on a wall. */
import { Maximize, Minimize } from "lucide-react";
import { useEffect } from "react";
import { ConnectionState, PauseButton } from "../../features/live/connection.tsx";
import { Figures } from "../../features/live/figures.tsx";
import {
  ErrorCodesCard,
  ModelsCard,
  ProcessesCard,
  UpstreamErrorsCard,
} from "../../features/live/last-minute.tsx";
import { LatencyCard } from "../../features/live/latency-card.tsx";
import { RequestsCard } from "../../features/live/requests-card.tsx";
import { LiveContext, useLive, useLiveFeed } from "../../features/live/use-live.ts";
import { fillScreen, useWallLook } from "../../features/live/wall.ts";
import { operatorLiveMessages } from "../../i18n/en/operator-live.ts";
import { useMessages } from "../../i18n/messages.ts";
import { useSession } from "../../shell/session.ts";
import { Button } from "../../ui/button.tsx";
import { useFilters } from "../../ui/filter-bar.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Notice, PageHeader } from "../../ui/surfaces.tsx";

const defaults = { wall: "" };

const wallButtonId = "live-wall";

/**
 * The frame around the page changes with the wall display, and the page is made anew: its button keeps the
 * focus.
 */
const turned = { isJust: false };

function useFocusAfterTurn(): void {
  useEffect(() => {
    if (!turned.isJust) return;
    turned.isJust = false;
    document.getElementById(wallButtonId)?.focus();
  }, []);
}

/** See above. */
export function LivePage() {
  const t = useMessages(operatorLiveMessages);
  const { installation } = useSession();
  const { values, set } = useFilters(defaults);
  const feed = useLiveFeed();
  const isWall = values.wall === "1";
  useWallLook(isWall);
  useFocusAfterTurn();
  const turn = () => {
    turned.isJust = true;
    void fillScreen(!isWall);
    set({ wall: isWall ? "" : "1" });
  };
  return (
    <LiveContext value={feed}>
      <PageHeader
        title={isWall ? installation.name : t("title")}
        actions={
          <div className="flex flex-wrap items-center gap-3">
            <ConnectionState />
            <PauseButton />
            <Button
              id={wallButtonId}
              icon={
                isWall ? (
                  <Minimize aria-hidden className="size-4" />
                ) : (
                  <Maximize aria-hidden className="size-4" />
                )
              }
              onClick={turn}
            >
              {t(isWall ? "closeWall" : "openWall")}
            </Button>
          </div>
        }
      >
        {isWall ? undefined : t("lead")}
      </PageHeader>
      <Troubles />
      <div className="flex flex-col gap-4">
        <Figures isWall={isWall} />
        {isWall ? <WallCards /> : <PageCards />}
        <ProcessesCard />
      </div>
    </LiveContext>
  );
}

function PageCards() {
  return (
    <>
      <RequestsCard />
      <div className="grid gap-4 xl:grid-cols-2">
        <LatencyCard of="firstToken" />
        <LatencyCard of="duration" />
      </div>
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        <UpstreamErrorsCard />
        <ErrorCodesCard />
        <ModelsCard />
      </div>
    </>
  );
}

/** Fits a display of 1,920 by 1,080 pixels, but for the processes. */
function WallCards() {
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <RequestsCard className="md:col-span-2" height={200} />
      <UpstreamErrorsCard />
      <LatencyCard of="firstToken" isShort />
      <LatencyCard of="duration" isShort />
      <ModelsCard />
    </div>
  );
}

/** Why there are no figures, or not all. */
function Troubles() {
  const t = useMessages(operatorLiveMessages);
  const isWhole = useLive(({ snapshot }) => snapshot?.isWhole ?? true);
  const error = useLive(({ status }) =>
    status.kind === "waiting" && status.error !== null && status.error.code !== "network_lost"
      ? status.error
      : null,
  );
  if (isWhole && error === null) return null;
  return (
    <div className="mb-4 flex flex-col gap-3">
      {error !== null && (
        <Notice tone="bad" title={t("failedTitle")}>
          <ErrorNote error={error} />
        </Notice>
      )}
      {!isWhole && <Notice tone="warn" title={t("notWhole")} />}
    </div>
  );
}
