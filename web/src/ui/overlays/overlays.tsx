/** Menu and tabs from one place. */

export { Tabs } from "../tabs.tsx";
export { Menu } from "./menu.tsx";
export type { MenuEntry } from "./menu-props.ts";
