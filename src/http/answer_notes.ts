/** What goes into the headers of a request's answer, noted when its use case finds it out. */
import type { FastifyRequest } from 'fastify';
import type { PageNote } from '../context/context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The version of the one record that the answer shows, once it is known. */
    version?: string;
    /** The id of that record. */
    recordId?: number;
    /** Where the page lies that a search has found, once it is known. */
    page?: PageNote;
  }
}

/** @returns a function that notes version and id of the one record that a request's answer shows */
export const versionNoteOf =
  (request: FastifyRequest) =>
  (version: string, id: number): void => {
    request.version = version;
    request.recordId = id;
  };

/** @returns a function that notes where the page of a request's search lies */
export const pageNoteOf =
  (request: FastifyRequest) =>
  (page: PageNote): void => {
    request.page = page;
  };
