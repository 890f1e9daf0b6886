/** Has the demo model say payloads in the playground, as any model might (P27). */
import type { Page } from "playwright-core";
import type { Payload } from "./p27-payloads.ts";

/** Payloads per answer: with more, one that hides the rest would go unnoticed. */
const payloadsPerAnswer = 5;

/** Sends them in the playground with the model \`demo\`, and calls \`judge\` after each answer. */
export async function sayInPlayground(
  page: Page,
  payloads: readonly Payload[],
  judge: () => Promise<void>,
): Promise<void> {
  for (let from = 0; from < payloads.length; from += payloadsPerAnswer) {
    const texts = payloads.slice(from, from + payloadsPerAnswer).map(({ text }) => text);
    await page.goto("/playground?model=demo");
    await page.getByRole("textbox", { name: "Message" }).fill(`/slow 0\n/echo ${texts.join("\n\n")}`);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await judge();
  }
}
