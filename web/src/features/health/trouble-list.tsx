/** The summary at the top: issues that need attention and what to do, or that all systems are operational. */
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { formatMoney } from "../../format/money.ts";
import { formatRelative } from "../../format/time.ts";
import { operatorHealthMessages } from "../../i18n/en/pages/operator-health.ts";
import { useLanguage } from "../../i18n/language.ts";
import type { Language } from "../../i18n/languages.ts";
import { type KeyOf, type Translate, useMessages } from "../../i18n/messages.ts";
import { Link } from "../../ui/button.tsx";
import { Card, Notice } from "../../ui/surfaces.tsx";
import { faultText } from "./fault-text.tsx";
import { selfLimitText, type Trouble } from "./troubles.ts";

type Word = Translate<KeyOf<typeof operatorHealthMessages>>;

interface Described {
  readonly title: string;
  readonly text: string;
  /** Where to go about it. */
  readonly to?: string;
}

const upstreamPage = (id: string) => `/operator/upstreams/${encodeURIComponent(id)}`;
const modelPage = (id: string) => `/operator/models/${encodeURIComponent(id)}`;

function namesOf(models: readonly string[], count: number): string {
  const named = models.join(", ");
  return count > models.length ? `${named} … (${count})` : named;
}

function describeProcess(
  trouble: Trouble,
  t: Word,
  language: Language,
  relative: (iso: string) => string,
): Described | undefined {
  switch (trouble.kind) {
    case "storage": {
      const effect = t(trouble.isRefusing ? "storageRefusing" : "storageKept");
      return {
        title: t(`storage.${trouble.code}`),
        text: `${t(`storageText.${trouble.code}`)} ${effect} ${t("storageSince", { when: relative(trouble.since) })}`,
      };
    }
    case "behind":
      return { title: t("behind", { process: trouble.process }), text: t("behindText") };
    case "overloaded":
      return {
        title: t("overloaded", { process: trouble.process }),
        text: [selfLimitText(t, trouble.selfLimit, language), t("overloadedText")].join(" ").trim(),
      };
    case "silent":
      return {
        title: t("silent", { process: trouble.process }),
        text: t("silentText", { when: relative(trouble.at) }),
      };
    case "deadHolder":
      return {
        title: t("deadHolder", { process: trouble.process, amount: formatMoney(trouble.leased) }),
        text: t("deadHolderText", { when: relative(trouble.until) }),
      };
    case "noProcesses":
      return { title: t("noProcesses"), text: t("noProcessesText") };
    case "versions":
      return { title: t("versions"), text: t("versionsText", { versions: trouble.versions.join(", ") }) };
    default:
      return undefined;
  }
}

function describeUpstream(
  trouble: Trouble,
  t: Word,
  again: (until: string | null) => string,
  relative: (iso: string) => string,
): Described | undefined {
  switch (trouble.kind) {
    case "upstreamOut":
    case "credentialOut": {
      const { upstream, untilAt } = trouble;
      const number = trouble.kind === "credentialOut" ? trouble.number : 0;
      const text = t(`${trouble.kind}Text`, { fault: faultText(t, trouble.fault) });
      return {
        title: t(trouble.kind, { upstream, number }),
        text: `${text} ${again(untilAt)}`,
        to: upstreamPage(upstream),
      };
    }
    case "unreadable":
      return { title: t("unreadable", trouble), text: trouble.text, to: upstreamPage(trouble.upstream) };
    case "ejected": {
      const values = {
        fault: faultText(t, trouble.fault),
        models: namesOf(trouble.models, trouble.modelsCount),
      };
      return {
        title: t("ejected", { model: trouble.upstreamModel, upstream: trouble.upstream }),
        text: `${t("ejectedText", values)} ${again(trouble.untilAt)}`,
        to: upstreamPage(trouble.upstream),
      };
    }
    case "usageDoubted":
      return {
        title: t("usageDoubted", { model: trouble.upstreamModel, upstream: trouble.upstream }),
        text: t(`usageDoubted.${trouble.doubt}`, { when: relative(trouble.at) }),
        to: upstreamPage(trouble.upstream),
      };
    case "modelDown":
      return {
        title: t("modelDown", { model: trouble.model }),
        text: `${t("modelDownText")} ${again(trouble.untilAt)}`,
        to: modelPage(trouble.model),
      };
    default:
      return undefined;
  }
}

function describe(trouble: Trouble, t: Word, language: Language): Described {
  const relative = (iso: string) => formatRelative(Date.parse(iso), Date.now(), language);
  const again = (until: string | null) => (until === null ? "" : t("triedAgain", { when: relative(until) }));
  const described =
    describeProcess(trouble, t, language, relative) ?? describeUpstream(trouble, t, again, relative);
  if (described !== undefined) return described;
  if (trouble.kind === "ledgerWrong")
    return { title: t("ledgerWrong"), text: t("ledgerWrongText", { count: trouble.findings }) };
  if (trouble.kind === "ledgerFailed") return { title: t("ledgerFailed"), text: t("ledgerFailedText") };
  return { title: t("demoOnly"), text: t("demoOnlyText"), to: "/operator/upstreams?view=connect" };
}

interface TroubleListProps {
  readonly troubles: readonly Trouble[];
  /** That the server counted and did not name. */
  readonly more: number;
}

/** Says that all is well when the list is empty. */
export function TroubleList({ troubles, more }: TroubleListProps) {
  const t = useMessages(operatorHealthMessages);
  const language = useLanguage();
  if (troubles.length === 0) {
    return (
      <Notice tone="good" icon={<CircleCheck />} title={t("allWell")}>
        {t("allWellText")}
      </Notice>
    );
  }
  return (
    <Card title={t("troubles", { count: troubles.length + more })} flush>
      <ul className="divide-y divide-line border-t border-line">
        {troubles.map((trouble) => {
          const { title, text, to } = describe(trouble, t, language);
          const Icon = trouble.tone === "bad" ? CircleAlert : TriangleAlert;
          return (
            <li key={title} className="flex flex-wrap items-start gap-x-3 gap-y-2 px-5 py-3">
              <Icon
                aria-hidden
                className={`mt-0.5 size-5 shrink-0 ${trouble.tone === "bad" ? "text-bad" : "text-warn"}`}
              />
              <div className="min-w-0 flex-1">
                <p className="font-medium">{title}</p>
                <p className="text-muted">{text}</p>
              </div>
              {to !== undefined && (
                <Link to={to} variant="plain" size="small">
                  {t("open")}
                </Link>
              )}
            </li>
          );
        })}
        {more > 0 && <li className="px-5 py-3 text-muted">{t("moreTroubles", { count: more })}</li>}
      </ul>
    </Card>
  );
}
