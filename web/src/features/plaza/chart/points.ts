/**
 * Models as points: price on a logarithmic axis, speed, and quality of service as a shape. Places, ticks and
 * labels that do not overlap are computed here. Knows no React.
 */
import type { PlazaModel } from "../models.ts";

/** What the axes show. */
export const priceAxes = ["output", "input"] as const;
export type PriceAxis = (typeof priceAxes)[number];
export const speedAxes = ["speed", "first"] as const;
export type SpeedAxis = (typeof speedAxes)[number];

/** Classes of the success rate, each with a shape of its own. */
export type Quality = "high" | "middle" | "low" | "unknown";

/** A share from 0 to 1 as a class. */
export function qualityOf(successRate: number | null): Quality {
  if (successRate === null) return "unknown";
  return successRate >= 0.99 ? "high" : successRate >= 0.95 ? "middle" : "low";
}

/** A model with both values. */
export interface Plotted {
  readonly model: PlazaModel;
  /** Dollars per million tokens, for drawing only. */
  readonly price: number;
  /** Tokens per second, or milliseconds. */
  readonly speed: number;
  readonly quality: Quality;
}

/** Those of the models that have a price and were measured. */
export function plotted(
  models: readonly PlazaModel[],
  priceAxis: PriceAxis,
  speedAxis: SpeedAxis,
): readonly Plotted[] {
  return models.flatMap((model) => {
    const { health } = model;
    const rate = model.price?.[priceAxis];
    const speed = speedAxis === "speed" ? health?.outputTokensPerSecond : health?.firstTokenMs?.p50;
    if (rate === undefined || speed == null) return [];
    return [{ model, price: Number(rate), speed, quality: qualityOf(health?.successRate ?? null) }];
  });
}

/** A rectangle in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Tick {
  readonly value: number;
  readonly px: number;
}

/** A point with its place and, where there is room, that of its name. */
export interface Placed extends Plotted {
  readonly x: number;
  readonly y: number;
  readonly label: {
    readonly x: number;
    readonly y: number;
    readonly anchor: "start" | "end" | "middle";
  } | null;
}

/** All that is drawn. */
export interface Layout {
  /** In the order of the keyboard: by price, then speed. */
  readonly points: readonly Placed[];
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly area: Box;
  /** Where what is free stands; null when nothing is. */
  readonly freeX: number | null;
}

const margin = { left: 56, top: 32, right: 20, bottom: 44 };
/** Room for what is free: a logarithmic axis has no zero. */
const freeWidth = 56;
const radius = 6;
const labelHeight = 15;
const letterWidth = 7.3;
/** Chinese characters are as wide as high. */
const wideLetterWidth = 12.5;

/** 1, 2 and 5 of every power of ten between the two; only the powers when those are too many. */
export function logTicks(least: number, most: number): readonly number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power += 1)
    for (const factor of [1, 2, 5]) ticks.push(Number((factor * 10 ** power).toPrecision(1)));
  const inside = ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
  return inside.length > 8 ? inside.filter((tick) => Number.isInteger(Math.log10(tick))) : inside;
}

/** Round steps from 0 to at least this. */
export function linearTicks(most: number): readonly number[] {
  const rough = Math.max(most, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power * 10;
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

function domainOf(prices: readonly number[]): readonly [number, number] {
  const paid = prices.filter((price) => price > 0);
  if (paid.length === 0) return [0.1, 10];
  let least = paid[0] as number;
  let most = least;
  for (const price of paid) {
    least = Math.min(least, price);
    most = Math.max(most, price);
  }
  // A little air, so that no point stands on the edge.
  return [least / 1.35, most * 1.35];
}

function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += /\p{Script=Han}/u.test(letter) ? wideLetterWidth : letterWidth;
  return width;
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

const around = (x: number, y: number): Box => ({
  left: x - radius,
  top: y - radius,
  right: x + radius,
  bottom: y + radius,
});

/** Most names that are written; more are a grey cloud. */
const labelsMax = 80;

function labelled(
  points: readonly (Plotted & { readonly x: number; readonly y: number })[],
  area: Box,
): readonly Placed[] {
  const taken: Box[] = points.slice(0, 600).map(({ x, y }) => around(x, y));
  let count = 0;
  return points.map((point) => {
    const { x, y, model } = point;
    const width = widthOf(model.name);
    const gap = radius + 3;
    const tries = [
      { x: x + gap, y: y + 4, anchor: "start", left: x + gap, top: y - labelHeight / 2 },
      { x: x - gap, y: y + 4, anchor: "end", left: x - gap - width, top: y - labelHeight / 2 },
      { x, y: y - gap - 2, anchor: "middle", left: x - width / 2, top: y - gap - labelHeight },
      { x, y: y + gap + 10, anchor: "middle", left: x - width / 2, top: y + gap },
    ] as const;
    for (const { left, top, ...label } of count < labelsMax ? tries : []) {
      const box = { left, top, right: left + width, bottom: top + labelHeight };
      const isInside =
        box.left >= area.left && box.right <= area.right && box.top >= 0 && box.bottom <= area.bottom;
      if (!isInside || taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      count += 1;
      return { ...point, label };
    }
    return { ...point, label: null };
  });
}

/** Places everything in a drawing of this size. */
export function layoutOf(points: readonly Plotted[], { width, height }: Size): Layout {
  const hasFree = points.some(({ price }) => price === 0);
  const area: Box = {
    left: margin.left,
    top: margin.top,
    right: Math.max(margin.left + 80, width - margin.right),
    bottom: height - margin.bottom,
  };
  const from = area.left + (hasFree ? freeWidth : 0);
  const [least, most] = domainOf(points.map(({ price }) => price));
  const spanX = Math.log(most) - Math.log(least);
  const xOf = (price: number) => from + ((Math.log(price) - Math.log(least)) / spanX) * (area.right - from);
  const freeX = hasFree ? area.left + freeWidth / 2 : null;
  const ticks = linearTicks(points.reduce((top, { speed }) => Math.max(top, speed), 0));
  const top = ticks.at(-1) || 1;
  const yOf = (speed: number) => area.bottom - (speed / top) * (area.bottom - area.top);
  const placed = points
    .map((point) => ({
      ...point,
      x: point.price > 0 ? xOf(point.price) : (freeX ?? area.left),
      y: yOf(point.speed),
    }))
    .sort((left, right) => left.x - right.x || right.y - left.y);
  return {
    points: labelled(placed, area),
    xTicks: logTicks(least, most).map((value) => ({ value, px: xOf(value) })),
    yTicks: ticks.map((value) => ({ value, px: yOf(value) })),
    area,
    freeX,
  };
}
