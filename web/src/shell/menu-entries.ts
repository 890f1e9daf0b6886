/** What the main menu offers to whom. A new page is a line here and one in `routes.tsx`. */
import type { RegisteredRouter } from "@tanstack/react-router";
import {
  Activity,
  Boxes,
  Building2,
  ChartColumn,
  Gauge,
  HeartPulse,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquareText,
  Network,
  Radio,
  ReceiptText,
  ScrollText,
  Settings,
  Store,
  Ticket,
  UserRound,
  UsersRound,
  WalletCards,
} from "lucide-react";
import type { shellMessages } from "../i18n/en/shell.ts";
import type { KeyOf } from "../i18n/messages.ts";
import { pageTo } from "./page-search.ts";
import type { Session } from "./session.ts";

/** The path of a page: one that the router does not have does not compile. */
type PagePath = keyof RegisteredRouter["routesByPath"];

/** One line of the menu. */
export interface NavEntry {
  readonly to: PagePath;
  readonly word: KeyOf<typeof shellMessages>;
  /** Instead of `word`, where there is little room. */
  readonly shortWord?: KeyOf<typeof shellMessages>;
  readonly icon: LucideIcon;
  /** Goes there when pressed after `g`; each letter once. */
  readonly letter?: string;
  /** Opens the form for a new one, for `n` and the command palette. */
  readonly create?: string;
}

/** Lines under one heading. */
export interface NavGroup {
  readonly word: KeyOf<typeof shellMessages> | null;
  readonly entries: readonly NavEntry[];
}

const models: NavEntry = { to: "/models", word: "models", icon: Store, letter: "d" };

const status: NavEntry = { to: "/status", word: "status", icon: HeartPulse, letter: "v" };

const accountEntries: readonly NavEntry[] = [
  { to: "/", word: "overview", icon: LayoutDashboard, letter: "o" },
  models,
  status,
  { to: "/playground", word: "playground", icon: MessageSquareText, letter: "p" },
  { to: "/keys", word: "keys", icon: KeyRound, letter: "k", create: pageTo("/keys", { new: "1" }) },
  { to: "/usage", word: "usage", icon: ChartColumn, letter: "u" },
  { to: "/requests", word: "requests", icon: ReceiptText, letter: "r" },
  { to: "/billing", word: "billing", icon: WalletCards, letter: "b" },
  {
    to: "/members",
    word: "members",
    icon: UsersRound,
    letter: "m",
    create: pageTo("/members", { new: "1" }),
  },
];

const operatorEntries: readonly NavEntry[] = [
  { to: "/operator/health", word: "health", icon: Activity, letter: "h" },
  { to: "/operator/live", word: "live", icon: Radio, letter: "f" },
  {
    to: "/operator/models",
    word: "modelsAndPrices",
    shortWord: "prices",
    icon: Boxes,
    letter: "c",
    create: pageTo("/operator/models", { view: "new" }),
  },
  {
    to: "/operator/upstreams",
    word: "upstreams",
    icon: Network,
    letter: "t",
    create: pageTo("/operator/upstreams", { view: "connect" }),
  },
  {
    to: "/operator/accounts",
    word: "accounts",
    icon: Building2,
    letter: "a",
    create: pageTo("/operator/accounts", { new: "1" }),
  },
  {
    to: "/operator/users",
    word: "users",
    icon: UserRound,
    letter: "w",
    create: pageTo("/operator/users", { view: "invite" }),
  },
  { to: "/operator/limits", word: "limits", icon: Gauge, letter: "l" },
  {
    to: "/operator/codes",
    word: "codes",
    icon: Ticket,
    letter: "e",
    create: pageTo("/operator/codes", { new: "1" }),
  },
  { to: "/operator/requests", word: "allRequests", icon: ReceiptText, letter: "q" },
  { to: "/operator/usage", word: "allUsage", icon: ChartColumn, letter: "i" },
  { to: "/operator/audit", word: "audit", icon: ScrollText, letter: "j" },
  { to: "/operator/settings", word: "settings", icon: Settings, letter: "s" },
];

/** The menu of this session. */
export function navGroups(session: Session): readonly NavGroup[] {
  const groups: NavGroup[] = [];
  if (session.account !== null) groups.push({ word: null, entries: accountEntries });
  else groups.push({ word: null, entries: [models, status] });
  if (session.user?.isOperator === true) groups.push({ word: "group.operator", entries: operatorEntries });
  return groups;
}

/** Places in the bar at the lower edge of phones, beside the one that opens the menu. */
const barMax = 5;

/** The entries of that bar: the first ones of the part of the console that is shown; none for visitors. */
export function barEntries(session: Session, pathname: string): readonly NavEntry[] {
  if (session.user === null) return [];
  const isOperating = session.account === null || pathname.startsWith("/operator/");
  return (isOperating && session.user.isOperator ? operatorEntries : accountEntries).slice(0, barMax);
}

/** True when the entry's page, or one below it, is shown. Two models side by side are a page of the plaza. */
export function isCurrent(to: string, pathname: string): boolean {
  if (pathname === "/compare") return to === "/models";
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
