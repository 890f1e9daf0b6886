/**
 * What the documents of a model and of an upstream must hold beyond the shapes of their fields, as far as it
 * can be told without the rest of the catalog: bounds, amounts, times, what is empty, what is there twice.
 * Forms check them before they send a document (`rules` of a route). The server does not: it reads the
 * document with the readers of catalog files, which apply the same and more, in the same words
 * (`server/src/domain/catalog/file/edited.ts`; `rules.test.ts` beside it compares both). Unknown words, like
 * a capability that does not exist, are the server's, which knows what was meant. Pure.
 */
import { capabilityNames, type Rates } from "../catalog.ts";
import {
  type AmountForm,
  amountFault,
  catalogMax,
  hasControlCharacter,
  idFault,
  isWhole,
  perMillion,
  perRequest,
  quote,
  readTime,
  timeForm,
} from "../catalog-values.ts";
import type { FieldFault } from "../errors.ts";
import { formatIds } from "../formats.ts";
import { type Message, message } from "../messages/message.ts";
import { operationNames } from "../operations.ts";
import type { ModelDocument, PriceDocument, UpstreamDocument } from "./shapes-catalog.ts";

/** Notes what is wrong at a path; the message completes "the field …". */
type Report = (path: string, found: Message) => void;

/** As many as the server says. */
const faultsMax = 100;

/** Kinds of input and output. */
const modalitiesMax = 5;

/** Every class, or this does not compile. */
const rateNames = Object.keys({
  input: true,
  output: true,
  cachedInput: true,
  cacheWrite: true,
  longCacheWrite: true,
  reasoning: true,
  audioInput: true,
  audioOutput: true,
  imageInput: true,
  imageOutput: true,
} satisfies Record<keyof Rates, true>) as readonly (keyof Rates)[];

type RateTexts = Pick<PriceDocument, keyof Rates>;

function checkFilled(report: Report, path: string, text: string, what: Message): boolean {
  if (text === "") report(path, message("file.empty", { what }));
  return text !== "";
}

function checkLine(report: Report, path: string, text: string, what: Message, max: number): void {
  if (!checkFilled(report, path, text, what)) return;
  if (text.length > max) report(path, message("file.tooLong", { max }));
  if (hasControlCharacter(text)) report(path, message("file.notOneLine"));
}

/** The id; undefined for a text that is none. */
function checkId(report: Report, text: string): string | undefined {
  if (!checkFilled(report, "id", text, message("file.anId"))) return undefined;
  const wrong = idFault(text);
  if (wrong !== undefined) report("id", wrong);
  return wrong === undefined ? text : undefined;
}

/** True for a whole number within bounds. */
function checkWhole(report: Report, path: string, value: number, min: number, max: number): boolean {
  const isRight = isWhole(value, min, max);
  if (!isRight)
    report(
      path,
      message("file.notForm", { given: quote(String(value)), form: message("file.whole", { min, max }) }),
    );
  return isRight;
}

/** `max` is the longest time, in milliseconds and in words. */
function checkDuration(report: Report, path: string, ms: number, [maxMs, max]: readonly [number, string]) {
  if (isWhole(ms, 1, maxMs)) return;
  const form = message("file.duration", { min: "1ms", max });
  report(path, message("file.notForm", { given: quote(`${ms}ms`), form }));
}

/** False when there are so many items that they are not looked at. */
function checkCount(report: Report, path: string, count: number, what: string, min: number, max: number) {
  if (count > max) report(path, message("file.tooMany", { count, what, max }));
  else if (count < min) report(path, message("file.tooFew", { min }));
  return count <= max;
}

function checkAmount(report: Report, path: string, text: string, form: AmountForm): void {
  if (!checkFilled(report, path, text, form.text("form"))) return;
  const wrong = amountFault(text, form, "form");
  if (wrong !== undefined) report(path, wrong);
}

/** Unix milliseconds; 0 for a text that is no time. */
function checkTime(report: Report, path: string, text: string): number {
  if (!checkFilled(report, path, text, timeForm)) return 0;
  const time = readTime(text);
  if (typeof time === "number") return time;
  report(path, time);
  return 0;
}

function checkRates(report: Report, path: string, rates: RateTexts): void {
  for (const name of rateNames) {
    const rate = rates[name];
    if (rate !== undefined) checkAmount(report, `${path}.${name}`, rate, perMillion);
  }
}

function checkTiers(report: Report, path: string, tiers: NonNullable<PriceDocument["tiers"]>): void {
  if (!checkCount(report, path, tiers.length, "tiers", 1, catalogMax.tiers)) return;
  let largest = 0;
  for (const [at, tier] of tiers.entries()) {
    const size = tier.abovePromptTokens;
    const sizePath = `${path}.${at}.abovePromptTokens`;
    const isSize = checkWhole(report, sizePath, size, 1, catalogMax.promptTokens);
    checkRates(report, `${path}.${at}`, tier);
    if (isSize && size <= largest) report(sizePath, message("price.tiersUnsorted", { largest }));
    if (isSize) largest = Math.max(largest, size);
  }
}

function checkPrice(report: Report, path: string, price: PriceDocument): void {
  checkRates(report, path, price);
  if (price.perRequest !== undefined) checkAmount(report, `${path}.perRequest`, price.perRequest, perRequest);
  if (price.tiers !== undefined) checkTiers(report, `${path}.tiers`, price.tiers);
}

/** The price in force and the scheduled ones. */
function checkPrices(report: Report, { price, scheduledPrices }: SentModel): void {
  const count = scheduledPrices.length + (price === null ? 0 : 1);
  if (!checkCount(report, "price", count, "prices", 0, catalogMax.prices)) return;
  if (price !== null) checkPrice(report, "price", price);
  else if (scheduledPrices.length > 0) report("price", message("price.noBase"));
  const times = new Set<number>();
  for (const [at, scheduled] of scheduledPrices.entries()) {
    const path = `scheduledPrices.${at}`;
    const time = checkTime(report, `${path}.validFrom`, scheduled.validFrom);
    checkPrice(report, path, scheduled);
    if (time > 0 && times.has(time)) report(`${path}.validFrom`, message("price.timeTwice"));
    times.add(time);
  }
}

type Timeouts = Readonly<Record<string, number | null | undefined>>;

function checkTimeouts(report: Report, path: string, timeouts: Timeouts): void {
  for (const [name, ms] of Object.entries(timeouts))
    if (typeof ms === "number") checkDuration(report, `${path}.${name}`, ms, [catalogMax.timeoutMs, "1d"]);
}

/** Each word is there; which words there are, the server knows. */
function checkWords(
  report: Report,
  path: string,
  words: readonly string[],
  [what, word]: readonly [string, Message],
  [min, max]: readonly [number, number],
): void {
  if (!checkCount(report, path, words.length, what, min, max)) return;
  for (const [at, text] of words.entries()) checkFilled(report, `${path}.${at}`, text, word);
}

function checkDeployments(report: Report, deployments: SentModel["deployments"]): void {
  if (!checkCount(report, "deployments", deployments.length, "deployments", 1, catalogMax.deployments))
    return;
  const seen = new Set<string>();
  for (const [at, one] of deployments.entries()) {
    const path = `deployments.${at}`;
    checkFilled(report, `${path}.upstream`, one.upstream, message("file.idOfUpstream"));
    checkLine(report, `${path}.model`, one.model, message("file.upstreamModel"), catalogMax.nameLength);
    checkWhole(report, `${path}.priority`, one.priority, 0, catalogMax.priority);
    checkWhole(report, `${path}.weight`, one.weight, 0, catalogMax.priority);
    if (one.cost !== null) checkPrice(report, `${path}.cost`, one.cost);
    if (one.timeouts !== null) checkTimeouts(report, `${path}.timeouts`, one.timeouts);
    if (one.formats !== null)
      checkWords(
        report,
        `${path}.formats`,
        one.formats,
        ["formats", message("file.aFormat")],
        [1, 2 * formatIds.length],
      );
    if (one.upstream === "" || one.model === "") continue;
    const name = JSON.stringify([one.upstream, one.model]);
    if (seen.has(name)) report(path, message("file.deploymentTwice"));
    seen.add(name);
  }
}

function checkFallbacks(report: Report, fallbacks: readonly string[], id: string | undefined): void {
  if (!checkCount(report, "fallbacks", fallbacks.length, "fallbacks", 0, catalogMax.fallbacks)) return;
  const seen = new Set<string>();
  for (const [at, to] of fallbacks.entries()) {
    const path = `fallbacks.${at}`;
    if (!checkFilled(report, path, to, message("file.otherModel"))) continue;
    if (to === id) report(path, message("file.fallbackItself"));
    else if (seen.has(to)) report(path, message("file.repeats", { given: quote(to) }));
    seen.add(to);
  }
}

/** A model's document; a change of one names it in its path instead. */
type SentModel = Omit<ModelDocument, "id"> & { readonly id?: string };

function checkFacts(report: Report, model: SentModel): void {
  const { name, description, family, context, maxOutput, modalities, capabilities, deprecated } = model;
  if (name !== null) checkLine(report, "name", name, message("file.aName"), catalogMax.nameLength);
  if (description !== null) {
    checkFilled(report, "description", description, message("file.aDescription"));
    if (description.length > catalogMax.descriptionLength)
      report("description", message("file.tooLong", { max: catalogMax.descriptionLength }));
  }
  if (family !== null) checkLine(report, "family", family, message("file.aMaker"), catalogMax.familyLength);
  if (context !== null) checkWhole(report, "context", context, 1, catalogMax.tokens);
  if (maxOutput !== null) checkWhole(report, "maxOutput", maxOutput, 1, catalogMax.tokens);
  if (deprecated !== null) checkTime(report, "deprecated", deprecated);
  const operations = ["operations", message("file.anOperation")] as const;
  checkWords(report, "operations", model.operations, operations, [1, 2 * operationNames.length]);
  const ability = ["capabilities", message("file.aCapability")] as const;
  if (capabilities !== null)
    checkWords(report, "capabilities", capabilities, ability, [0, 2 * capabilityNames.length]);
  const kind = ["modalities", message("file.aModality")] as const;
  if (modalities === null) return;
  checkWords(report, "modalities.input", modalities.input, kind, [1, modalitiesMax]);
  checkWords(report, "modalities.output", modalities.output, kind, [1, modalitiesMax]);
}

/** A finding completes "the field …"; a form shows it as a sentence. */
function faultsOf(check: (report: Report) => void): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  check((path, text) => void faults.push({ path, message: message("form.sentence", { text }) }));
  return faults.slice(0, faultsMax);
}

/** What is wrong with a model's document. */
export const modelFaults = (model: SentModel): readonly FieldFault[] =>
  faultsOf((report) => {
    const id = model.id === undefined ? undefined : checkId(report, model.id);
    checkFacts(report, model);
    checkPrices(report, model);
    checkDeployments(report, model.deployments);
    checkFallbacks(report, model.fallbacks, id);
    const afterMs = model.hedge?.afterMs ?? null;
    if (afterMs !== null) checkDuration(report, "hedge.afterMs", afterMs, [catalogMax.hedgeMs, "1h"]);
  });

/** What is wrong with the numbers of an upstream's document, and with its id if it is a new one. */
export const upstreamFaults = (
  upstream: Pick<UpstreamDocument, "timeouts" | "concurrency" | "queue"> & { readonly id?: string },
): readonly FieldFault[] =>
  faultsOf((report) => {
    const { id, timeouts, concurrency, queue } = upstream;
    if (id !== undefined) checkId(report, id);
    checkTimeouts(report, "timeouts", timeouts);
    if (concurrency !== null) checkWhole(report, "concurrency", concurrency, 1, catalogMax.concurrency);
    if (queue !== null) checkWhole(report, "queue", queue, 0, catalogMax.queue);
  });
