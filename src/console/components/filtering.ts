/** What filters a list, as `useFilters` has it. */
export interface Filtering {
  readonly filters: Readonly<Record<string, string>>;
  readonly change: (change: Readonly<Record<string, string>>) => void;
}
