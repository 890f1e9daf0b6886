/** Users of an account, invitations, and for the operator every user and the tokens of automation. */
import { routes } from "./route.ts";

export const peopleRoutes = routes({});
