/**
 * Views of the explorer that a user has saved: a name and the address that shows it. They are kept on this
 * device, for each user by themselves; a link shares one. Pure but for `storage`.
 */

export interface SavedView {
  readonly name: string;
  /** What follows the page's path: "" or a text that begins with "?". */
  readonly search: string;
}

/** Most views kept, and characters of each part. */
export const viewsMax = 30;
const nameMax = 60;
const searchMax = 4_000;

export const keyOfViews = (userId: string, page: string): string => `plaza.views.${userId}.${page}`;

const isView = (value: unknown): value is SavedView => {
  const { name, search } = (value ?? {}) as Partial<SavedView>;
  const isNamed = typeof name === "string" && name.trim() !== "" && name.length <= nameMax;
  return isNamed && typeof search === "string" && /^(\?|$)/.test(search) && search.length <= searchMax;
};

/** What is stored, without what is no view: the device's storage is not to be trusted. */
export function readViews(text: string | null): readonly SavedView[] {
  if (text === null) return [];
  try {
    const found: unknown = JSON.parse(text);
    if (!Array.isArray(found)) return [];
    return found
      .filter(isView)
      .slice(0, viewsMax)
      .map(({ name, search }) => ({ name, search }));
  } catch {
    return [];
  }
}

/** With a view under this name, in the place of one of the same name; the oldest give way. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const named = { ...view, name: view.name.trim().slice(0, nameMax) };
  if (!isView(named)) return views;
  return [...views.filter(({ name }) => name !== named.name), named].slice(-viewsMax);
}

export const withoutView = (views: readonly SavedView[], name: string): readonly SavedView[] =>
  views.filter((view) => view.name !== name);
