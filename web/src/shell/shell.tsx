/**
 * The frame around every page: menu, account, skip link, progress of
 * navigation, expired session. Knows no page.
 */
import { useRouter, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useReach } from "../api/reachable.ts";
import { shellMessages } from "../i18n/en/shell.ts";
import { useMessages } from "../i18n/messages.ts";
import { IconButton, Link } from "../ui/button.tsx";
import { TimeZoneContext } from "../ui/figures.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { PageLink } from "../ui/navigation.tsx";
import { Drawer } from "../ui/overlays/dialog.tsx";
import { Notice } from "../ui/surfaces.tsx";
import { BalanceChip } from "./balance-chip.tsx";
import { isCurrent, type NavGroup, navGroups } from "./menu-entries.ts";
import { OfflineNotice } from "./offline-notice.tsx";
import { usePreloadedPages } from "./preload-pages.ts";
import { useSession, useSessionExpired } from "./session.ts";
import { UserMenu } from "./user-menu.tsx";
import { VisitorMenu } from "./visitor-menu.tsx";

// Seen seldom: loads when it is needed.
const { Part: SessionExpiredDialog } = lazyPart(() =>
  import("./session-expired-dialog.tsx").then((file) => file.SessionExpiredDialog),
);

/** The frame; pages are drawn inside. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const t = useMessages(shellMessages);
  useFocusAfterNavigation();
  usePreloadedPages(session.user?.isOperator === true);
  const groups = navGroups(session);
  return (
    <TimeZoneContext value={session.user?.timeZone ?? undefined}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-lg focus:bg-raised focus:px-4 focus:py-2 focus:shadow-float"
      >
        {t("skip")}
      </a>
      <NavigationBar />
      <div className="mx-auto flex min-h-dvh max-w-[92rem]">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r border-line lg:flex print:hidden">
          <Brand name={session.installation.name} />
          <nav aria-label={t("mainMenu")} className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
            <NavList groups={groups} />
          </nav>
          <div className="border-t border-line p-3">
            {session.user === null ? <VisitorMenu /> : <UserMenu />}
          </div>
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <PhoneBar groups={groups} />
          <main id="main" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 outline-none sm:px-8 sm:py-8">
            <Warnings />
            {children}
          </main>
        </div>
      </div>
      <SessionExpiredRegion />
    </TimeZoneContext>
  );
}

function Brand({ name }: { readonly name: string }) {
  const session = useSession();
  return (
    <div className="flex flex-col gap-2 px-5 pt-5 pb-4">
      <PageLink to={session.user === null ? "/models" : "/"} className="flex min-w-0 items-center gap-2.5">
        <img src="/favicon.svg" alt="" className="size-7" />
        <span className="truncate text-lead font-semibold tracking-tight">{name}</span>
      </PageLink>
      {session.account !== null && <BalanceChip accountName={session.account.name} />}
    </div>
  );
}

function SessionExpiredRegion() {
  if (useSessionExpired() === null) return null;
  return <SessionExpiredDialog />;
}

function NavList({ groups, onPick }: { readonly groups: readonly NavGroup[]; readonly onPick?: () => void }) {
  const t = useMessages(shellMessages);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  return groups.map((group) => (
    <div key={group.word ?? ""} className="mb-4">
      {group.word !== null && <p className="px-2.5 pb-1 text-tiny font-medium text-faint">{t(group.word)}</p>}
      <ul className="flex flex-col gap-0.5">
        {group.entries.map(({ to, word, icon: Icon }) => {
          const isHere = isCurrent(to, pathname);
          return (
            <li key={to}>
              <PageLink
                to={to}
                onClick={onPick}
                aria-current={isHere ? "page" : undefined}
                className={`flex min-h-9 items-center gap-2.5 rounded-lg px-2.5 ${
                  isHere
                    ? "bg-accent-soft font-medium text-accent-ink"
                    : "text-muted hover:bg-hover hover:text-ink"
                }`}
              >
                <Icon aria-hidden className="size-[1.1rem] shrink-0" />
                {t(word)}
              </PageLink>
            </li>
          );
        })}
      </ul>
    </div>
  ));
}

function PhoneBar({ groups }: { readonly groups: readonly NavGroup[] }) {
  const session = useSession();
  const t = useMessages(shellMessages);
  const [isOpen, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-surface px-3 py-2 lg:hidden print:hidden">
      <IconButton label={t("menu")} aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden className="size-5" />
      </IconButton>
      <span className="min-w-0 flex-1 truncate font-semibold">{session.installation.name}</span>
      {session.user === null ? <VisitorMenu compact /> : <UserMenu compact />}
      <Drawer open={isOpen} onClose={() => setOpen(false)} title={session.installation.name} side="left">
        {session.account !== null && (
          <div className="mb-4">
            <BalanceChip accountName={session.account.name} />
          </div>
        )}
        <nav aria-label={t("mainMenu")}>
          <NavList groups={groups} onPick={() => setOpen(false)} />
        </nav>
      </Drawer>
    </header>
  );
}

/** What to know before reading any page. */
function Warnings() {
  const session = useSession();
  const t = useMessages(shellMessages);
  const { isReached } = useReach();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const isSuspended = session.account?.status === "suspended";
  const isDemo = session.installation.demoOnly && session.user?.isOperator === true && pathname === "/";
  if (isReached && !isSuspended && !isDemo) return null;
  return (
    <div className="mb-6 flex flex-col gap-3">
      <OfflineNotice />
      {isSuspended && <Notice tone="bad" title={t("suspended")} />}
      {isDemo && (
        <Notice
          tone="accent"
          title={t("demoOnly")}
          action={
            <Link to="/operator/upstreams" variant="plain" size="small">
              {t("connectUpstream")}
            </Link>
          }
        />
      )}
    </div>
  );
}

function NavigationBar() {
  const t = useMessages(shellMessages);
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  if (!isLoading) return null;
  return (
    <div
      role="progressbar"
      aria-label={t("loadingPage")}
      className="fixed inset-x-0 top-0 z-50 h-0.5 overflow-hidden"
    >
      <div className="h-full w-2/5 animate-[slide-bar_1s_ease-in-out_infinite] bg-accent" />
    </div>
  );
}

/** After navigation, keyboard and screen reader go on at the new page's heading. */
function useFocusAfterNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        const target = document.querySelector<HTMLElement>("main h1") ?? document.getElementById("main");
        target?.focus({ preventScroll: true });
      }),
    [router],
  );
}
