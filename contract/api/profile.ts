/** What a user changes about themselves: name, password, two-factor, sessions, language and theme. */
import { routes } from "./route.ts";

export const profileRoutes = routes({});
