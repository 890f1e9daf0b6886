/** The `price` of a model: US dollars per million tokens as quoted decimals → NanoUsd. Knows no other field. */
import type { Price } from "@plaza/contract/catalog.ts";
import { type NanoUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import { quote } from "../../lib/quote.ts";
import { fault, missing, type Reading, readFields, readText, type Spot } from "./reading.ts";

const priceMax = parseUsd("1000000");
const form =
  'US dollars per million tokens in quotes, from "0" to "1000000" with at most nine decimals, like "0.25"';

/** Why a text is no price, in the terms of the one who wrote it. */
function reasonAgainst(text: string): string {
  if (/^-/.test(text)) return "is negative";
  if (/^\d+\.\d{10,}$/.test(text)) return "has more than nine decimals";
  if (/^\d+(\.\d{1,9})?$/.test(text)) return "is more than 1000000";
  return "is not a price";
}

/** One price; 0 after a fault. */
function readAmount(reading: Reading, spot: Spot): NanoUsd {
  const { part } = spot;
  if (part.kind === "other" && typeof part.value === "number") {
    const example = /^\d+(\.\d+)?$/.test(part.source) ? `: ${quote(part.source)}` : `; give ${form}`;
    fault(reading, spot, `write the price in quotes, so that no digit is lost${example}`);
    return nanoUsd(0n);
  }
  const read = readText(reading, spot, form);
  if (read === undefined) return nanoUsd(0n);
  try {
    const amount = parseUsd(read.text);
    if (amount <= priceMax) return amount;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  fault(reading, spot, `${read.shown} ${reasonAgainst(read.text)}; give ${form}`);
  return nanoUsd(0n);
}

/** The prices of a model's token classes. */
export function readPrice(reading: Reading, spot: Spot): Price | undefined {
  const fields = readFields(reading, spot, ["input", "output", "cachedInput", "cacheWrite"]);
  if (fields === undefined) return undefined;
  const read = (name: "input" | "output" | "cachedInput" | "cacheWrite"): NanoUsd | undefined => {
    const field = fields[name];
    if (field !== undefined) return readAmount(reading, field);
    if (name === "input" || name === "output") missing(reading, spot, name, `give ${form}`);
    return undefined;
  };
  const cachedInput = read("cachedInput");
  const cacheWrite = read("cacheWrite");
  return {
    input: read("input") ?? nanoUsd(0n),
    output: read("output") ?? nanoUsd(0n),
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
