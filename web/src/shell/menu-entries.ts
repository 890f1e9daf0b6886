/** What the main menu offers to whom. A new page is a line here and one in `routes.tsx`. */
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
import type { Session } from "./session.ts";

/** One line of the menu. */
export interface NavEntry {
  readonly to: string;
  readonly word: KeyOf<typeof shellMessages>;
  readonly icon: LucideIcon;
}

/** Lines under one heading. */
export interface NavGroup {
  readonly word: KeyOf<typeof shellMessages> | null;
  readonly entries: readonly NavEntry[];
}

const models: NavEntry = { to: "/models", word: "models", icon: Store };

const status: NavEntry = { to: "/status", word: "status", icon: HeartPulse };

const accountEntries: readonly NavEntry[] = [
  { to: "/", word: "overview", icon: LayoutDashboard },
  models,
  status,
  { to: "/playground", word: "playground", icon: MessageSquareText },
  { to: "/keys", word: "keys", icon: KeyRound },
  { to: "/usage", word: "usage", icon: ChartColumn },
  { to: "/requests", word: "requests", icon: ReceiptText },
  { to: "/billing", word: "billing", icon: WalletCards },
  { to: "/members", word: "members", icon: UsersRound },
];

const operatorEntries: readonly NavEntry[] = [
  { to: "/operator/health", word: "health", icon: Activity },
  { to: "/operator/models", word: "modelsAndPrices", icon: Boxes },
  { to: "/operator/upstreams", word: "upstreams", icon: Network },
  { to: "/operator/accounts", word: "accounts", icon: Building2 },
  { to: "/operator/users", word: "users", icon: UserRound },
  { to: "/operator/limits", word: "limits", icon: Gauge },
  { to: "/operator/codes", word: "codes", icon: Ticket },
  { to: "/operator/requests", word: "allRequests", icon: ReceiptText },
  { to: "/operator/usage", word: "allUsage", icon: ChartColumn },
  { to: "/operator/audit", word: "audit", icon: ScrollText },
  { to: "/operator/settings", word: "settings", icon: Settings },
];

/** The menu of this session. */
export function navGroups(session: Session): readonly NavGroup[] {
  const groups: NavGroup[] = [];
  if (session.account !== null) groups.push({ word: null, entries: accountEntries });
  else groups.push({ word: null, entries: [models, status] });
  if (session.user?.isOperator === true) groups.push({ word: "group.operator", entries: operatorEntries });
  return groups;
}

/** True when the entry's page, or one below it, is shown. Two models side by side are a page of the plaza. */
export function isCurrent(to: string, pathname: string): boolean {
  if (pathname === "/compare") return to === "/models";
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
