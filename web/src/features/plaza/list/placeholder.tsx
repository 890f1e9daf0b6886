/** Stands where the list of models will be, of the same shape: controls, filters, cards or one block. */
import { Skeleton } from "../../../ui/states.tsx";

/** The table or the chart. */
export const blockPlaceholder = () => <Skeleton className="h-[calc(100dvh-6rem)] w-full rounded-xl" />;

export interface ListPlaceholderProps {
  /** As the URL has it. */
  readonly view: string;
}

/** See above. */
export function ListPlaceholder({ view }: ListPlaceholderProps) {
  return (
    <>
      <Skeleton className="mb-3 h-[2.4rem] w-full rounded-lg max-sm:h-[8.2rem]" />
      <div className="flex gap-6">
        {view !== "table" && (
          <Skeleton className="h-[calc(100dvh-2rem)] w-56 shrink-0 rounded-xl max-lg:hidden" />
        )}
        <div className="min-w-0 flex-1">
          <Skeleton className="mb-3 h-6 w-2/3" />
          {view === "" ? (
            <div className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-4">
              {[1, 2, 3, 4, 5, 6].map((at) => (
                <Skeleton key={at} className="h-96 w-full rounded-xl max-sm:h-56" />
              ))}
            </div>
          ) : (
            blockPlaceholder()
          )}
        </div>
      </div>
    </>
  );
}
