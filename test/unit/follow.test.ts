/** From where a client of the event stream goes on, whenever it is cut off. */
import { expect, test } from '@jest/globals';
import { ResumePoint } from '../../src/rest/follow.ts';

async function* pages() {
  const change = { cursor: 'b', before: null, after: '{"a":1}' };
  yield { data: [], next: () => 'a' };
  yield { data: [change], next: () => 'b' };
  yield { data: [], next: () => 'c' };
}

test('a sign of life names the place up to which everything was sent', async () => {
  const place = new ResumePoint();
  const heard = [['', place.beat()]];
  for await (const text of place.texts(pages())) heard.push([text.toString(), place.beat()]);
  heard.push(['', place.beat()]);
  expect(heard).toEqual([
    ['', ':\n\n'],
    // What was not sent yet is not behind its client.
    ['id: a\n\n', ':\n\n'],
    ['id: b\ndata: {"cursor":"b","before":null,"after":{"a":1}}\n\n', 'id: a\n\n'],
    ['', 'id: b\n\n'],
    ['', 'id: c\n\n'],
  ]);
});
