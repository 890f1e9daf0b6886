/** Imported before any schema: Zod would make code from text, which the console's policy refuses. */
import { config } from "zod";

config({ jitless: true });
