/** The menu on Base UI; loaded by `menu.tsx`. Knows no page. */
import { Menu as BaseMenu } from "@base-ui/react/menu";
import { classNames } from "../class-names.ts";
import { PageLink } from "../navigation.tsx";
import type { MenuEntry, MenuProps } from "./menu-props.ts";

const entryClass =
  "flex w-full cursor-default items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left outline-none data-highlighted:bg-hover data-disabled:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-faint";

export interface MenuBodyProps extends MenuProps {
  /** Its button was pressed before this was loaded. */
  readonly isOpenAtFirst: boolean;
}

/** A list of acts behind a button. */
export function MenuBody(props: MenuBodyProps) {
  const { trigger, entries, head, side = "bottom", align = "end", isOpenAtFirst } = props;
  return (
    <BaseMenu.Root defaultOpen={isOpenAtFirst}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner side={side} align={align} sideOffset={6} className="z-50 outline-none">
          <BaseMenu.Popup className="float-in max-h-(--available-height) min-w-52 max-w-80 overflow-y-auto rounded-xl bg-raised p-1 shadow-float outline-none">
            {head}
            {entries.map((entry, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a menu have a fixed order and no other name.
              <MenuLine key={at} entry={entry} />
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

function MenuLine({ entry }: { readonly entry: MenuEntry }) {
  if (entry === "line") return <BaseMenu.Separator className="my-1 border-t border-line" />;
  if ("group" in entry) {
    return (
      <BaseMenu.Group>
        <BaseMenu.GroupLabel className="px-2.5 pt-1.5 text-tiny text-faint">
          {entry.group}
        </BaseMenu.GroupLabel>
        <BaseMenu.RadioGroup value={entry.value} onValueChange={(value) => entry.onChoose(String(value))}>
          {entry.choices.map((choice) => (
            <BaseMenu.RadioItem
              key={choice.value}
              value={choice.value}
              closeOnClick={false}
              className={entryClass}
            >
              <span className="grid size-4 place-items-center">
                <BaseMenu.RadioItemIndicator className="size-2 rounded-full bg-accent" />
              </span>
              {choice.label}
            </BaseMenu.RadioItem>
          ))}
        </BaseMenu.RadioGroup>
      </BaseMenu.Group>
    );
  }
  if ("to" in entry) {
    return (
      <BaseMenu.LinkItem render={<PageLink to={entry.to} />} closeOnClick className={entryClass}>
        {entry.icon}
        {entry.label}
      </BaseMenu.LinkItem>
    );
  }
  return (
    <BaseMenu.Item
      disabled={entry.disabled === true}
      onClick={entry.onPick}
      className={classNames(entryClass, entry.danger === true && "text-bad [&>svg]:text-bad")}
    >
      {entry.icon}
      {entry.label}
    </BaseMenu.Item>
  );
}
