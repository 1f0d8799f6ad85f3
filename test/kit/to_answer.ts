import { expect } from '@jest/globals';
import type { Answer } from './http.ts';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> {
    /**
     * The status, and the whole body: no field missing and none too many. A failure shows request,
     * answer and request id.
     */
    toAnswer(status: number, body?: unknown): R;
  }
}

expect.extend({
  toAnswer(received: Answer, status: number, body?: unknown) {
    const sameBody =
      body === undefined || this.equals(received.body, body, [...this.customTesters], true);
    const pass = received.status === status && sameBody;
    const message = () => {
      const { asked, headers, text } = received;
      const difference =
        sameBody || pass
          ? ''
          : `\n\n${this.utils.printDiffOrStringify(body, received.body, 'expected', 'received', true)}`;
      return [
        `${asked.method} ${asked.path} ${asked.body.slice(0, 2000)}`,
        `expected ${pass ? 'not ' : ''}${status}, received ${received.status}: ${text.slice(0, 4000)}`,
        `request id ${String(headers['x-request-id'])}${difference}`,
      ].join('\n');
    };
    return { pass, message };
  },
});
