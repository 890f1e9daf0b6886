/** Menu and tabs from one place. */
export { Menu, type MenuEntry } from "./menu.tsx";
export { Tabs } from "./tabs.tsx";
