/** The model plaza: every model's facts, price, history and measured health. */
import { routes } from "./route.ts";

export const plazaRoutes = routes({});
