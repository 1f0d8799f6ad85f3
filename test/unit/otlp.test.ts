/** Sending spans while nobody takes them, and once somebody does. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { SpanKind } from '@opentelemetry/api';
import { startSpan } from '../../src/lib/tracing.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTracing } from '../../src/telemetry/otlp.ts';
import { startReceiver } from '../kit/receiver.ts';
import { lastAnswer, until } from '../kit/wait.ts';

let stop = async () => {};
afterEach(() => stop());

function start(url: string, ratio = 1): string[] {
  const logged: string[] = [];
  const log = createLog('info', { write: (line) => void logged.push(line) });
  const headers = { 'api-key': 'of the test' };
  const delayMs = 100;
  stop = startTracing({ tracing: { url, headers, service: 'tested', delayMs, ratio } }, log);
  return logged;
}

const text = 'a "ção" 😀';

const end = (count: number) => {
  for (let n = 0; n < count; n += 1)
    startSpan('one', { kind: SpanKind.INTERNAL, attributes: { n, text, is: true } }).end();
};

test('while nobody takes spans they are dropped, and the log says so once', async () => {
  const rejected = jest.fn();
  process.on('unhandledRejection', rejected);
  const logged = start(`http://127.0.0.1:${await freePort()}/v1/traces`);
  end(10_000);
  expect(
    await until(
      async () => logged.length,
      (lines) => lines > 0,
      5000,
    ),
  ).toBe(1);
  end(10_000);
  await stop();
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('traces cannot be sent for now');
  expect(rejected).not.toHaveBeenCalled();
  process.off('unhandledRejection', rejected);
});

test('of many at once a mebibyte waits, while a fourth of it is sent, and the rest is not recorded', async () => {
  const receiver = await startReceiver();
  const logged = start(`${receiver.url}v1/traces`);
  end(10_000);
  await stop();
  const [first, second, ...more] = receiver.received.map(({ body }) => body);
  expect(more).toEqual([]);
  const mebibyte = 1024 * 1024;
  expect(Math.abs((first?.length ?? 0) - mebibyte / 4)).toBeLessThan(1000);
  expect(Math.abs((second?.length ?? 0) - mebibyte)).toBeLessThan(3000);
  const { resourceSpans } = JSON.parse(first ?? '');
  expect(resourceSpans[0].resource).toEqual({
    attributes: [{ key: 'service.name', value: { stringValue: 'tested' } }],
  });
  expect(resourceSpans[0].scopeSpans[0].spans[0]).toEqual({
    name: 'one',
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    spanId: expect.stringMatching(/^[\da-f]{16}$/),
    kind: 1,
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    attributes: [
      { key: 'n', value: { intValue: 0 } },
      { key: 'text', value: { stringValue: text } },
      { key: 'is', value: { boolValue: true } },
    ],
    links: [],
  });
  expect(receiver.received[0]?.headers).toMatchObject({ 'api-key': 'of the test' });
  expect(logged).toEqual([]);
  await receiver.close();
});

test('a span that is longer than all that may wait is dropped, and nothing is sent in its place', async () => {
  const receiver = await startReceiver();
  start(`${receiver.url}v1/traces`);
  startSpan('x'.repeat(2 ** 21), { kind: SpanKind.INTERNAL, attributes: {} }).end();
  // What waits is sent after a tenth of a second.
  await lastAnswer(
    async () => receiver.received.length,
    (count) => count > 0,
    300,
  );
  expect(receiver.received).toEqual([]);
  end(1);
  await stop();
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.body).toContain('"name":"one"');
  await receiver.close();
});

test('of traces that begin here only a part is recorded', async () => {
  const receiver = await startReceiver();
  start(`${receiver.url}v1/traces`, 0);
  end(100);
  const link = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
  const caused = { kind: SpanKind.PRODUCER, attributes: {}, links: [{ context: link }] };
  startSpan('caused', caused).end();
  await stop();
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]?.body).toContain('"name":"caused"');
  await receiver.close();
});
