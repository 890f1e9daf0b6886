/**
 * Japanese texts by id, of the areas that the console's forms and dialogs show: what `/api` refuses, and
 * why. An area is translated whole or not at all. Other messages, as of `/v1` and of the catalog file, stay
 * English.
 */
import type { texts as english } from "../en/index.ts";
import { accessTexts } from "./access.ts";
import { accountTexts } from "./account.ts";
import { catalogTexts } from "./catalog.ts";
import { errorTexts } from "./error.ts";
import { formTexts } from "./form.ts";
import { keyTexts } from "./key.ts";
import { limitTexts } from "./limit.ts";
import { operationTexts } from "./operation.ts";
import { peopleTexts } from "./people.ts";
import { priceTexts } from "./price.ts";
import { storeTexts } from "./store.ts";
import { usageTexts } from "./usage.ts";

export const texts = {
  ...accessTexts,
  ...accountTexts,
  ...catalogTexts,
  ...errorTexts,
  ...formTexts,
  ...keyTexts,
  ...limitTexts,
  ...operationTexts,
  ...peopleTexts,
  ...priceTexts,
  ...storeTexts,
  ...usageTexts,
} satisfies Partial<Readonly<Record<keyof typeof english, string>>>;
