/** Menu, tooltip and tabs from one place. */
export { Menu, type MenuEntry, type MenuProps } from "./menu.tsx";
export { Tabs, type TabsProps } from "./tabs.tsx";
export { Tooltip, type TooltipProps } from "./tooltip.tsx";
