/**
 * Every path under /v1 that is answered by calling a model. A new one is a file of its own and a line here.
 */
import { chat } from "./chat/chat.ts";

import { completions } from "./completions/completions.ts";
import { embeddings } from "./embeddings/embeddings.ts";
import type { Endpoint } from "./endpoint.ts";

export const endpoints: readonly Endpoint[] = [chat, completions, embeddings];
