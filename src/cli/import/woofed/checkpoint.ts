/** How far the events of contacts have been read, which takes a request for each contact. */
import { rm } from 'node:fs/promises';
import { readIfThere, replaceFile } from '../../../lib/secret_file.ts';

interface State {
  readonly task: string;
  /** The id of a contact there. */
  readonly after: number;
}

export class Place {
  readonly #path: string;
  readonly #task: string;

  /** @param task what is brought, and where */
  constructor(path: string, task: string) {
    this.#path = path;
    this.#task = task;
  }

  /** @returns 0 unless an import of the same was cut off there */
  async read(): Promise<number> {
    const text = await readIfThere(this.#path);
    const state: State | undefined = text === undefined ? undefined : JSON.parse(text);
    return state?.task === this.#task ? state.after : 0;
  }

  write(after: number): Promise<void> {
    const state: State = { task: this.#task, after };
    return replaceFile(this.#path, JSON.stringify(state));
  }

  /** The next import begins with the first contact, which may have new events by then. */
  forget(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}
