/** A module of the built service, as Node loads it: once in a process. */
export const shipped = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../dist/modules/${path}`, import.meta.url).href);
