/** A command cannot be carried out as given. */
export class CommandError extends Error {}
