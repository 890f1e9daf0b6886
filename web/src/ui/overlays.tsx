/** Menu and tabs from one place. */
export { Menu } from "./menu.tsx";
export type { MenuEntry } from "./menu-props.ts";
export { Tabs } from "./tabs.tsx";
