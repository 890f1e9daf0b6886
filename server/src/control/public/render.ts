/**
 * Pages without sign-in as crawlers and browsers without scripts read them: the head of the console's page,
 * and plain HTML beside the place its scripts fill. Pure; every text from outside goes through `html.ts`.
 */
import type { PriceDocument } from "@plaza/contract/api/catalog.ts";
import { rateNames } from "../../domain/money/price-classes.ts";
import type { PublicFacts, PublicModel } from "./facts.ts";
import { escapeText, jsonInScript } from "./html.ts";
import { type PageLanguage, type Words, wordsIn } from "./words.ts";

/** Longer lists end here; the sitemap has all models. */
const listMax = 500;

const modelPath = (id: string): string => `/models/${encodeURIComponent(id)}`;

/** One line of a price: what it is for, in words, and decimal dollars. */
interface PriceLine {
  readonly text: string;
  readonly amount: string;
  readonly per: { readonly value: number; readonly unitText: string };
}

function priceLines(price: PriceDocument, t: Words): PriceLine[] {
  const ofRates = (rates: Partial<Record<(typeof rateNames)[number], string>>): PriceLine[] =>
    rateNames.flatMap((name) => {
      const amount = rates[name];
      if (amount === undefined) return [];
      const text = t("perMillion", { class: t(`class.${name}`) });
      return [{ text, amount, per: { value: 1_000_000, unitText: "token" } }];
    });
  const { perRequest, tiers = [] } = price;
  const lines = ofRates(price as Partial<Record<(typeof rateNames)[number], string>>);
  if (perRequest !== undefined)
    lines.push({ text: t("perRequest"), amount: perRequest, per: { value: 1, unitText: "request" } });
  for (const tier of tiers) {
    const rates = tier as unknown as Partial<Record<(typeof rateNames)[number], string>>;
    for (const line of ofRates(rates))
      lines.push({ ...line, text: t("abovePrompt", { price: line.text, tokens: tier.abovePromptTokens }) });
  }
  return lines;
}

const availabilities = {
  available: "InStock",
  degraded: "LimitedAvailability",
  down: "OutOfStock",
  unpriced: "PreOrder",
  unserved: "PreOrder",
} as const satisfies Record<PublicModel["status"], string>;

/** A model as schema.org describes things on sale: an offer for every line of its price. */
function productOf(model: PublicModel, { site }: PublicFacts, t: Words): object {
  const { id, name, description, family, price, status } = model;
  const offers = (price === undefined ? [] : priceLines(price, t)).map(({ text, amount, per }) => ({
    "@type": "Offer",
    name: text,
    price: amount,
    priceCurrency: "USD",
    availability: `https://schema.org/${availabilities[status]}`,
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      price: amount,
      priceCurrency: "USD",
      referenceQuantity: { "@type": "QuantitativeValue", ...per },
    },
  }));
  return {
    "@type": "Product",
    name,
    productID: id,
    ...(description === undefined ? {} : { description }),
    ...(family === undefined ? {} : { brand: { "@type": "Brand", name: family } }),
    ...(site === undefined ? {} : { url: site + modelPath(id) }),
    ...(offers.length === 0 ? {} : { offers }),
  };
}

/** A page before it becomes HTML. */
interface Draft {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** For search engines, in the words of schema.org. */
  readonly data: object;
  /** HTML for browsers without scripts. */
  readonly plain: string;
}

const link = (path: string, text: string): string => `<a href="${escapeText(path)}">${escapeText(text)}</a>`;

const links = (t: Words): string =>
  `<p>${link("/models", t("allModels"))} · ${link("/status", t("status"))} · ${link("/sign-in", t("getKey"))}</p>`;

function row(model: PublicModel, t: Words): string {
  const { id, name, context, price, status } = model;
  const cells = [context ?? "", price?.input ?? "", price?.output ?? "", t(`status.${status}`)];
  const others = cells.map((cell) => `<td>${escapeText(String(cell))}</td>`).join("");
  return `<tr><th>${link(modelPath(id), name)}<br><code>${escapeText(id)}</code></th>${others}</tr>`;
}

function listDraft(facts: PublicFacts, t: Words): Draft {
  const { name, models } = facts;
  const shown = models.slice(0, listMax);
  const title = t("modelsTitle", { name });
  const columns = [
    t("model"),
    t("context"),
    t("perMillion", { class: t("class.input") }),
    t("perMillion", { class: t("class.output") }),
    t("status"),
  ];
  const head = columns.map((column) => `<th>${escapeText(column)}</th>`).join("");
  return {
    path: "/models",
    title,
    description: t("modelsDescription", { name, count: models.length }),
    data: {
      "@type": "ItemList",
      name: title,
      numberOfItems: models.length,
      itemListElement: shown.map((model, index) => ({
        "@type": "ListItem",
        position: index + 1,
        item: productOf(model, facts, t),
      })),
    },
    plain: `<table><tr>${head}</tr>${shown.map((model) => row(model, t)).join("")}</table>`,
  };
}

function modelDraft(model: PublicModel, facts: PublicFacts, t: Words): Draft {
  const { id, price, description, status } = model;
  const { name } = facts;
  const { input, output } = price ?? {};
  const priceText =
    input === undefined || output === undefined ? t("noPrice") : t("priceLine", { input, output });
  const summary = t("modelDescription", { model: model.name, name, price: priceText });
  const lines = price === undefined ? [] : priceLines(price, t);
  const items = lines.map(({ text, amount }) => `<li>${escapeText(`${text}: ${amount}`)}</li>`).join("");
  return {
    path: modelPath(id),
    title: t("modelTitle", { model: model.name, name }),
    description: summary,
    data: productOf(model, facts, t),
    plain: [
      `<p><code>${escapeText(id)}</code></p>`,
      description === undefined ? "" : `<p>${escapeText(description)}</p>`,
      `<p>${escapeText(`${t("status")}: ${t(`status.${status}`)}`)}</p><ul>${items}</ul>`,
    ].join(""),
  };
}

function statusDraft({ name, models, state }: PublicFacts, t: Words): Draft {
  const title = t("statusTitle", { name });
  const description = t("statusDescription", { name });
  const items = models
    .slice(0, listMax)
    .map(
      (model) =>
        `<li>${link(modelPath(model.id), model.name)}: ${escapeText(t(`status.${model.status}`))}</li>`,
    );
  return {
    path: "/status",
    title,
    description,
    data: { "@type": "WebPage", name: title, description },
    plain: `<p>${escapeText(t(`overall.${state}`))}</p><ul>${items.join("")}</ul>`,
  };
}

function headOf({ path, title, description, data }: Draft, { name, site }: PublicFacts): string {
  const property = (key: string, content: string) =>
    `<meta property="og:${key}" content="${escapeText(content)}" />`;
  const address = site === undefined ? undefined : site + path;
  return [
    `<title>${escapeText(title)}</title>`,
    `<meta name="description" content="${escapeText(description)}" />`,
    ...(address === undefined ? [] : [`<link rel="canonical" href="${escapeText(address)}" />`]),
    property("type", "website"),
    property("site_name", name),
    property("title", title),
    property("description", description),
    ...(address === undefined ? [] : [property("url", address)]),
    `<script type="application/ld+json">${jsonInScript({ "@context": "https://schema.org", ...data })}</script>`,
  ].join("\n    ");
}

/** Puts a draft into the console's page. Replacements are functions, so that `$` in a text means nothing. */
function fill(template: string, draft: Draft, facts: PublicFacts, language: PageLanguage): string {
  const plain = `<noscript><h1>${escapeText(draft.title)}</h1>${draft.plain}${links(wordsIn(language))}</noscript>`;
  return template
    .replace(/<html lang="[^"]*"/, () => `<html lang="${language}"`)
    .replace(/<title>[^<]*<\/title>/, () => headOf(draft, facts))
    .replace(/<div id="root"><\/div>/, (root) => root + plain);
}

/** A page's HTML; undefined where the catalog has no such model. `path` is the path as it was asked for. */
export function renderPage(
  path: string,
  template: string,
  facts: PublicFacts,
  language: PageLanguage,
): string | undefined {
  const t = wordsIn(language);
  if (path === "/models") return fill(template, listDraft(facts, t), facts, language);
  if (path === "/status") return fill(template, statusDraft(facts, t), facts, language);
  const model = facts.models.find(({ id }) => id === idIn(path));
  return model && fill(template, modelDraft(model, facts, t), facts, language);
}

function idIn(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice("/models/".length));
  } catch {
    return undefined;
  }
}

/** A sitemap may have this many addresses. */
const addressesMax = 50_000;

/** Every page for visitors; undefined without a public address, because a sitemap has absolute URLs only. */
export function renderSitemap({ site, models }: PublicFacts): string | undefined {
  if (site === undefined) return undefined;
  const paths = ["/models", "/status", ...models.map(({ id }) => modelPath(id))].slice(0, addressesMax);
  const urls = paths.map((path) => `<url><loc>${escapeText(site + path)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    "</urlset>",
    "",
  ].join("\n");
}

/** Pages for visitors, and what their scripts load. */
const allowed = ["/models", "/status", "/compare", "/assets/", "/theme.js", "/favicon.svg"];
const allowedData = ["/api/session", "/api/plaza", "/api/status"];

export function renderRobots(isOpen: boolean, site: string | undefined): string {
  if (!isOpen) return "User-agent: *\nDisallow: /\n";
  const lines = [...allowed, ...allowedData].map((path) => `Allow: ${path}`);
  const sitemap = site === undefined ? [] : ["", `Sitemap: ${site}/sitemap.xml`];
  return ["User-agent: *", ...lines, "Disallow: /", ...sitemap, ""].join("\n");
}
