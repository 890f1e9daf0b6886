/**
 * Links that work once: the first set-up, invitations, new passwords. The token is shown to whoever asked for
 * it and is the only way in; the store keeps its digest.
 */
import type { LinkKind, NewLink, PeopleStore } from "../../store/people/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf, newSecret } from "./secret-text.ts";

const hourMs = 60 * 60_000;

/** How long each kind of link is valid. */
const livesMs: Readonly<Record<LinkKind, number>> = {
  setup: 24 * hourMs,
  invitation: 7 * 24 * hourMs,
  reset: 24 * hourMs,
};

/** What making a link needs; also at hand on the command line. */
export interface LinkMaking extends Pick<ControlContext, "clock" | "randomBytes" | "newId"> {
  readonly store: PeopleStore;
}

/** What a link is for, beside its kind. */
export type LinkPurpose = Partial<
  Pick<NewLink, "email" | "userId" | "accountId" | "role" | "isOperator" | "createdBy">
>;

interface MadeLink {
  readonly id: string;
  /** To be shown once. */
  readonly token: string;
  readonly expiresAt: number;
}

function makeLink({ clock, randomBytes, newId }: LinkMaking, kind: LinkKind, purpose: LinkPurpose) {
  const token = newSecret(randomBytes);
  const createdAt = clock.wallMs();
  const link: NewLink = {
    id: newId("lnk"),
    digest: digestOf(token),
    kind,
    email: null,
    userId: null,
    accountId: null,
    role: null,
    isOperator: false,
    createdBy: null,
    ...purpose,
    createdAt,
    expiresAt: createdAt + livesMs[kind],
  };
  return { link, token };
}

/** Makes an invitation or a reset link. */
export async function createLink(
  making: LinkMaking,
  kind: Exclude<LinkKind, "setup">,
  purpose: LinkPurpose,
): Promise<MadeLink> {
  const { link, token } = makeLink(making, kind, purpose);
  await making.store.createLink(link);
  return { id: link.id, token, expiresAt: link.expiresAt };
}

/**
 * While the installation has no operator: the token of a new set-up link, after which every
 * earlier one is void; undefined where there is an operator. Called at every start, as the
 * token before is nowhere to be read any more.
 */
export async function ensureSetupLink(making: LinkMaking): Promise<string | undefined> {
  const { link, token } = makeLink(making, "setup", { isOperator: true });
  return (await making.store.replaceSetupLink(link)) ? token : undefined;
}

/** Where a link is opened: `site` is the console's origin. */
export function linkAddress(site: string, token: string): string {
  return `${site}/link/${token}`;
}
