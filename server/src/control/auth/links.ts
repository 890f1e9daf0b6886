/**
 * One-time links: first setup, invitations, new passwords. The token is shown only to the person who created
 * the link; the store keeps its digest.
 */
import type { LinkKind, NewLink, PeopleStore } from "../../store/people/people.ts";
import type { ControlContext } from "../context.ts";
import { digestOf, newSecret } from "./secret-text.ts";

const hourMs = 60 * 60_000;

/** Lifetime of each kind of link. */
const livesMs: Readonly<Record<LinkKind, number>> = {
  setup: 24 * hourMs,
  invitation: 7 * 24 * hourMs,
  reset: 24 * hourMs,
};

/** What creating a link needs; also available on the command line. */
export interface LinkMaking extends Pick<ControlContext, "clock" | "randomBytes" | "newId"> {
  readonly store: PeopleStore;
}

/** The purpose of a link, besides its kind. */
export type LinkPurpose = Partial<
  Pick<NewLink, "email" | "userId" | "accountId" | "role" | "isOperator" | "createdBy">
>;

interface MadeLink {
  readonly id: string;
  /** Shown once. */
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

/** Creates an invitation or a reset link. */
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
 * While the installation has no operator: creates a new setup link, voids earlier ones and returns the token;
 * undefined when there is an operator. Called at every start, because the previous token cannot be read any
 * more.
 */
export async function ensureSetupLink(making: LinkMaking): Promise<string | undefined> {
  const { link, token } = makeLink(making, "setup", { isOperator: true });
  return (await making.store.replaceSetupLink(link)) ? token : undefined;
}

/** The URL of a link. `site`: the console's origin. */
export function linkAddress(site: string, token: string): string {
  return `${site}/link/${token}`;
}
