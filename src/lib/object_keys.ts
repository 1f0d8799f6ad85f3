/**
 * The keys of a table, by their own type. TypeScript takes them for any texts, because a value may have more
 * keys than its type tells: this is for tables that are written down in the code, which have no others.
 */
export const keysOf = <T extends object>(table: T): readonly (keyof T & string)[] =>
  Object.keys(table).filter((key): key is keyof T & string => key in table);
