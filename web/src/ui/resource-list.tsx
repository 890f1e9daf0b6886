/**
 * A page that is a list: its head with the way to a new item, filters, the table, and what is said without
 * rows. The order of a table is in the URL, as its filters are. Knows no page.
 */
import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Link } from "./button.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { EmptyState } from "./states.tsx";
import { Card, PageHeader } from "./surfaces.tsx";

export interface ResourceListProps<Row> extends Omit<DataTableProps<Row>, "label" | "empty" | "sortIn"> {
  /** Of the page and of the table. */
  readonly title: string;
  /** What the list is for; absent: the page has its own head. */
  readonly lead?: ReactNode;
  /** The way to a new item, at the head and where there are none: a dialog, or a page. */
  readonly create?: { readonly label: string } & ({ readonly onPress: () => void } | { readonly to: string });
  /** Controls above the table. */
  readonly filters?: readonly ReactNode[];
  readonly isFiltered?: boolean;
  readonly onClear?: () => void;
  /** Between the filters and the table. */
  readonly note?: ReactNode;
  /** Said when there are no items at all. */
  readonly none: { readonly title: string; readonly text?: ReactNode; readonly icon?: ReactNode };
  /** Said when no item matches; absent: the same as `none`. */
  readonly noMatch?: string | undefined;
  /** Dialogs of the page. */
  readonly children?: ReactNode;
}

function CreateButton({ create }: { readonly create: NonNullable<ResourceListProps<object>["create"]> }) {
  const icon = <Plus aria-hidden className="size-4" />;
  if ("to" in create)
    return (
      <Link to={create.to} variant="primary" icon={icon}>
        {create.label}
      </Link>
    );
  return (
    <Button variant="primary" icon={icon} onClick={create.onPress}>
      {create.label}
    </Button>
  );
}

/** See `ResourceListProps`. */
export function ResourceList<Row extends object>({
  title,
  lead,
  create,
  filters,
  isFiltered = false,
  onClear,
  note,
  none,
  noMatch,
  children,
  ...table
}: ResourceListProps<Row>) {
  const act = create === undefined ? undefined : <CreateButton create={create} />;
  const isNarrowed = isFiltered && noMatch !== undefined;
  return (
    <>
      {lead !== undefined && (
        <PageHeader title={title} actions={act}>
          {lead}
        </PageHeader>
      )}
      {filters !== undefined && (
        <FilterBar isFiltered={isFiltered} {...(onClear === undefined ? {} : { onClear })}>
          {filters}
        </FilterBar>
      )}
      {note}
      <Card flush>
        <DataTable
          {...(table as DataTableProps<Row>)}
          label={title}
          sortIn="sort"
          empty={
            isNarrowed ? (
              <EmptyState title={noMatch} />
            ) : (
              <EmptyState title={none.title} icon={none.icon} action={act}>
                {none.text}
              </EmptyState>
            )
          }
        />
      </Card>
      {children}
    </>
  );
}
