/** What the palette offers without asking the server: pages, actions, and what was opened lately. */
import {
  Ban,
  Building2,
  CircleCheck,
  CircleDollarSign,
  Clock,
  Gift,
  Keyboard,
  KeyRound,
  Languages,
  LogIn,
  LogOut,
  type LucideIcon,
  Network,
  Palette as PaletteIcon,
  Plus,
  Ticket,
  UserPlus,
  UserRound,
  WalletCards,
} from "lucide-react";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import { paletteMessages } from "../../i18n/en/palette.ts";
import { shellMessages } from "../../i18n/en/shell.ts";
import { setLanguage } from "../../i18n/language.ts";
import { type Language, languageChoices } from "../../i18n/languages.ts";
import { type KeyOf, useMessages } from "../../i18n/messages.ts";
import { navGroups } from "../../shell/menu-entries.ts";
import { type Session, signOut } from "../../shell/session.ts";
import { setTheme } from "../../shell/theme.ts";
import { recentOf } from "./recent.ts";

/** Asks for one thing more before it acts. */
export type Step = "topUp" | "stopModel" | "startModel" | "disableKey";

/** Headings, in the order of the page. */
export const groupNames = [
  "recent",
  "acts",
  "pages",
  "models",
  "prices",
  "keys",
  "accounts",
  "requests",
  "allRequests",
] as const;
export type GroupName = (typeof groupNames)[number];

/** One line of the palette. It leads to a page, asks further, or does something. */
export interface Entry {
  readonly id: string;
  readonly group: GroupName;
  readonly label: string;
  /** Beside the label, and found as well. */
  readonly note?: string;
  readonly keywords?: string;
  readonly icon: LucideIcon;
  /** Keys that do the same. */
  readonly shortcut?: string;
  readonly to?: string;
  readonly step?: Step;
  /** Enabled when it is chosen, as it was read. */
  readonly model?: { readonly id: string; readonly revision: number };
  readonly act?: () => unknown;
}

function pageEntries(session: Session, t: (key: KeyOf<typeof shellMessages>) => string): Entry[] {
  const groups = navGroups(session);
  const entries = groups.flatMap(({ word: heading, entries: lines }) =>
    lines.map(
      ({ to, word, icon, letter }): Entry => ({
        id: `page:${to}`,
        group: "pages",
        label: t(word),
        ...(heading === null ? {} : { note: t(heading) }),
        // The address is English in every language.
        keywords: to.replaceAll("/", " "),
        icon,
        ...(letter === undefined ? {} : { shortcut: `g ${letter}` }),
        to,
      }),
    ),
  );
  if (session.user === null) return entries;
  const profile: Entry = {
    id: "page:/profile",
    group: "pages",
    label: t("profile"),
    keywords: "profile password",
    icon: UserRound,
    to: "/profile",
  };
  return [...entries, profile];
}

type ActWord = KeyOf<typeof paletteMessages>;
type Act = readonly [
  word: ActWord,
  icon: LucideIcon,
  target: { to: string } | { step: Step },
  keywords: string,
];

const accountActs: readonly Act[] = [
  ["createKey", KeyRound, { to: "/keys?new=1" }, "new api key"],
  ["redeem", Gift, { to: "/billing" }, "top up redeem code billing"],
  ["disableKey", Ban, { step: "disableKey" }, "disable stop key"],
];
const ownerActs: readonly Act[] = [
  ["inviteMember", UserPlus, { to: "/members?new=1" }, "new invite add member"],
];
const operatorActs: readonly Act[] = [
  ["topUp", WalletCards, { step: "topUp" }, "top up add balance money credit"],
  ["createAccount", Building2, { to: "/operator/accounts?new=1" }, "new add account"],
  ["inviteUser", UserPlus, { to: "/operator/users?view=invite" }, "new invite add user"],
  ["connect", Network, { to: "/operator/upstreams?view=connect" }, "connect add upstream provider"],
  ["changePrices", CircleDollarSign, { to: "/operator/models?edit=prices" }, "change edit price"],
  ["addModel", Plus, { to: "/operator/models?view=new" }, "new add model"],
  ["stopModel", Ban, { step: "stopModel" }, "disable stop model"],
  ["startModel", CircleCheck, { step: "startModel" }, "enable start model"],
  ["createCodes", Ticket, { to: "/operator/codes?new=1" }, "new redemption codes"],
];

/** Everything without the server, for this session; the same until it changes. */
export function useOwnEntries(session: Session, showShortcuts: () => void): readonly Entry[] {
  const t = useMessages(paletteMessages);
  const tShell = useMessages(shellMessages);
  return useMemo(() => {
    const acts = [
      ...(session.account === null ? [] : accountActs),
      ...(session.account?.role === "owner" ? ownerActs : []),
      ...(session.user?.isOperator === true ? operatorActs : []),
    ].map(
      ([word, icon, target, keywords]): Entry => ({
        id: `act:${word}`,
        group: "acts",
        label: t(word),
        keywords,
        icon,
        ...target,
      }),
    );
    const isKnown = session.user !== null;
    const keep = (body: { language?: Language; theme?: "light" | "dark" | null }) => {
      if (isKnown) void call("patch /profile", { body }).catch(() => undefined);
    };
    const look = [
      ...(["light", "dark", "system"] as const).map((theme) => ({
        id: `act:theme-${theme}`,
        label: t("theme", { name: tShell(`theme.${theme}`) }),
        keywords: `change theme ${theme} mode`,
        icon: PaletteIcon,
        act: () => {
          setTheme(theme);
          keep({ theme: theme === "system" ? null : theme });
        },
      })),
      ...languageChoices.map(({ value, label }) => ({
        id: `act:language-${value}`,
        label: t("language", { name: label }),
        keywords: `change language ${value}`,
        icon: Languages,
        act: () => {
          setLanguage(value);
          keep({ language: value });
        },
      })),
      {
        id: "act:shortcuts",
        label: t("shortcuts"),
        keywords: "help keys ?",
        icon: Keyboard,
        act: showShortcuts,
      },
      isKnown
        ? {
            id: "act:sign-out",
            label: tShell("signOut"),
            keywords: "log out exit",
            icon: LogOut,
            act: signOut,
          }
        : { id: "act:sign-in", label: tShell("signIn"), keywords: "log in", icon: LogIn, to: "/sign-in" },
    ].map((entry): Entry => ({ ...entry, group: "acts" }));
    return [...acts, ...pageEntries(session, tShell), ...look];
  }, [session, t, tShell, showShortcuts]);
}

/** What this user opened lately, as lines. */
export function recentEntries(user: string): readonly Entry[] {
  return recentOf(user).map(({ id, ...rest }) => ({
    ...rest,
    id: `recent:${id}`,
    group: "recent",
    icon: Clock,
  }));
}
