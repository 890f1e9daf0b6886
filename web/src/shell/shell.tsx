/**
 * The frame around every page: menu, account, skip link, progress of
 * navigation, expired session. Knows no page.
 */
import { useRouter, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffect, useState } from "react";
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
import { barEntries, isCurrent, type NavEntry, type NavGroup, navGroups } from "./menu-entries.ts";
import { OfflineNotice } from "./offline-notice.tsx";
import { useOverlays } from "./overlays.tsx";
import { usePreloadedPages } from "./preload-pages.ts";
import { SearchButton } from "./search-button.tsx";
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
  const overlays = useOverlays(groups.flatMap(({ entries }) => entries));
  return (
    <TimeZoneContext value={session.user?.timeZone ?? undefined}>
      <SkipLink />
      <NavigationBar />
      <div className="mx-auto flex min-h-dvh max-w-[92rem]">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r border-line lg:flex print:hidden">
          <Brand name={session.installation.name} onSearch={overlays.openPalette} />
          <nav
            aria-label={t("mainMenu")}
            className="min-h-0 flex-1 overflow-y-auto px-3 pb-4 [@media(max-height:47.99rem)]:pb-1"
          >
            <NavList groups={groups} isDense />
          </nav>
          <div className="border-t border-line p-3">
            {session.user === null ? <VisitorMenu /> : <UserMenu />}
          </div>
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <PhoneBar groups={groups} onSearch={overlays.openPalette} />
          <main
            id="main"
            tabIndex={-1}
            className="min-w-0 flex-1 px-4 pt-6 pb-[calc(var(--bottom-bar)+1.5rem)] outline-none sm:px-8 sm:pt-8 sm:pb-8"
          >
            <Warnings />
            {children}
          </main>
        </div>
      </div>
      <SessionExpiredRegion />
      {overlays.drawn}
    </TimeZoneContext>
  );
}

/** Only the page, for a display on a wall. */
export function BareShell({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  return (
    <TimeZoneContext value={session.user?.timeZone ?? undefined}>
      <main id="main" tabIndex={-1} className="min-h-dvh min-w-0 px-4 py-4 outline-none">
        {children}
      </main>
      <SessionExpiredRegion />
    </TimeZoneContext>
  );
}

function Brand({ name, onSearch }: { readonly name: string; readonly onSearch: () => void }) {
  const session = useSession();
  return (
    <div className="flex flex-col gap-2 px-5 pt-5 pb-4 [@media(max-height:47.99rem)]:gap-1.5 [@media(max-height:47.99rem)]:pt-3 [@media(max-height:47.99rem)]:pb-2">
      <div className="flex items-center gap-2">
        <PageLink
          to={session.user === null ? "/models" : "/"}
          className="flex min-w-0 flex-1 items-center gap-2.5"
        >
          <img src="/favicon.svg" alt="" className="size-7" />
          <span className="truncate text-lead font-semibold tracking-tight">{name}</span>
        </PageLink>
        {/* In low windows the menu needs the line that the button takes. */}
        <span className="[@media(min-height:48rem)]:hidden">
          <SearchButton compact onPress={onSearch} />
        </span>
      </div>
      {session.account !== null && <BalanceChip accountName={session.account.name} />}
      <div className="[@media(max-height:47.99rem)]:hidden">
        <SearchButton onPress={onSearch} />
      </div>
    </div>
  );
}

function SessionExpiredRegion() {
  if (useSessionExpired() === null) return null;
  return <SessionExpiredDialog />;
}

interface NavListProps {
  readonly groups: readonly NavGroup[];
  readonly onPick?: () => void;
  /** As high as the window allows, so that all lines fit into one of 700 pixels. */
  readonly isDense?: boolean;
}

function NavList({ groups, onPick, isDense = false }: NavListProps) {
  const t = useMessages(shellMessages);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  return groups.map((group) => (
    <div key={group.word ?? ""} className={isDense ? "mb-1 last:mb-0" : "mb-4"}>
      {group.word !== null && <p className="px-2.5 pb-1 text-tiny font-medium text-faint">{t(group.word)}</p>}
      <ul className={isDense ? "flex flex-col" : "flex flex-col gap-0.5"}>
        {group.entries.map(({ to, word, icon: Icon }) => {
          const isHere = isCurrent(to, pathname);
          return (
            <li key={to}>
              <PageLink
                to={to}
                onClick={onPick}
                aria-current={isHere ? "page" : undefined}
                className={`flex items-center gap-2.5 rounded-lg px-2.5 ${
                  isDense ? "min-h-[clamp(24px,(100dvh-11.5rem)/24,2.4rem)] leading-tight" : "min-h-11"
                } ${
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

interface PhoneBarProps {
  readonly groups: readonly NavGroup[];
  readonly onSearch: () => void;
}

function PhoneBar({ groups, onSearch }: PhoneBarProps) {
  const session = useSession();
  const t = useMessages(shellMessages);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  const bar = barEntries(session, pathname);
  return (
    <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-surface px-3 py-2 lg:hidden print:hidden">
      <IconButton
        label={t("menu")}
        aria-expanded={isOpen}
        onClick={open}
        className={bar.length > 0 ? "max-sm:!hidden" : undefined}
      >
        <MenuIcon aria-hidden className="size-5" />
      </IconButton>
      <span className="min-w-0 flex-1 truncate font-semibold">{session.installation.name}</span>
      <SearchButton compact onPress={onSearch} />
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
      {bar.length > 0 && <BottomBar entries={bar} pathname={pathname} isOpen={isOpen} onMore={open} />}
    </header>
  );
}

const barItemClass =
  "flex min-h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 px-0.5 text-[0.7rem] leading-tight";

interface BottomBarProps {
  readonly entries: readonly NavEntry[];
  readonly pathname: string;
  readonly isOpen: boolean;
  readonly onMore: () => void;
}

/** On phones: the pages used most within reach of the thumb, and the menu. */
function BottomBar({ entries, pathname, isOpen, onMore }: BottomBarProps) {
  const t = useMessages(shellMessages);
  return (
    <nav
      aria-label={t("quickMenu")}
      data-bottom-bar
      className="fixed inset-x-0 bottom-0 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom,0px)] sm:hidden"
    >
      {entries.map(({ to, word, shortWord = word, icon: Icon }) => {
        const isHere = isCurrent(to, pathname);
        return (
          <PageLink
            key={to}
            to={to}
            aria-current={isHere ? "page" : undefined}
            className={`${barItemClass} ${isHere ? "font-medium text-accent-ink" : "text-muted"}`}
          >
            <Icon aria-hidden className="size-5 shrink-0" />
            <span className="max-w-full truncate">{t(shortWord)}</span>
          </PageLink>
        );
      })}
      <button
        type="button"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={onMore}
        className={`${barItemClass} text-muted`}
      >
        <MenuIcon aria-hidden className="size-5 shrink-0" />
        {t("more")}
      </button>
    </nav>
  );
}

const firstControl =
  ":is(a[href], button, input, select, textarea, summary, [tabindex='0']):not(:disabled, [type=hidden])";

/** The first stop of the keyboard: leads past the menu to the first control of the page. */
function SkipLink() {
  const t = useMessages(shellMessages);
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    const main = document.getElementById("main");
    const controls = main?.querySelectorAll<HTMLElement>(firstControl) ?? [];
    const first = [...controls].find((one) => one.checkVisibility());
    (first ?? main)?.focus();
  };
  return (
    // biome-ignore lint/a11y/useValidAnchor: it is a link within the page; only its target is more exact.
    <a
      href="#main"
      onClick={skip}
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-lg focus:bg-raised focus:px-4 focus:py-2 focus:shadow-float"
    >
      {t("skip")}
    </a>
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
