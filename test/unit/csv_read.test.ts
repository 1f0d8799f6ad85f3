import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { decode, encodingCalled, encodingOf } from '../../src/csv/decode.ts';
import { openSheet } from '../../src/csv/open.ts';
import { type Row, readRows, UnreadableCsv } from '../../src/csv/read.ts';
import { csvRow } from '../../src/csv/write.ts';

async function* pieces<T extends string | Uint8Array>(whole: T, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size) as T;
}

async function rowsOf(text: string, size = 5): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRows(pieces(text, size))) rows.push(row);
  return rows;
}

const cellsOf = async (text: string) => (await rowsOf(text)).map(({ cells }) => cells);

describe('dividers and line ends', () => {
  const table = [
    ['name', 'tags, all'],
    ['Ana', 'a;b'],
  ];

  test.each([
    ['commas', 'name,"tags, all"\r\nAna,a;b\r\n'],
    ['semicolons', 'name;tags, all\nAna;"a;b"'],
    ['tabs', 'name\ttags, all\rAna\ta;b\r'],
    ['bars', 'name|tags, all\nAna|a;b\n'],
    ['a first line that says which', 'sep=|\r\nname|tags, all\r\nAna|a;b'],
  ])('%s', async (_, text) => {
    expect(await cellsOf(text)).toEqual(table);
  });
});

test('rows count as spreadsheets count them: blank ones too, line breaks in quotes not', async () => {
  expect(await rowsOf('a;b\n\n"one\ntwo";2\n ; \n3;4\n')).toEqual([
    { number: 1, cells: ['a', 'b'] },
    { number: 3, cells: ['one\ntwo', '2'] },
    { number: 5, cells: ['3', '4'] },
  ]);
});

test('blanks around a cell and the mark before a formula are no part of it', async () => {
  expect(await cellsOf('a,b,c\n  x ,"\'=1+1",\'tis\n')).toEqual([
    ['a', 'b', 'c'],
    ['x', '=1+1', "'tis"],
  ]);
});

test('text behind a quoted cell is told of the row', async () => {
  expect(await rowsOf('a,b\n"x" y,1"\n"2" ,3\n')).toEqual([
    { number: 1, cells: ['a', 'b'] },
    { number: 2, cells: ['x y', '1"'], fault: 'has text behind a quoted cell' },
    { number: 3, cells: ['2', '3'] },
  ]);
});

test.each([1, 64, 100_000])(
  'a quote that nothing closes is told with its row (%i)',
  async (size) => {
    await expect(rowsOf('a,b\n1,2\n3,"4\n5,6\n', size)).rejects.toThrow(
      'Row 3 opens a quote that nothing closes',
    );
  },
);

test('a row without an end is not read for ever', async () => {
  let read = 0;
  async function* endless() {
    yield 'a,b\n1,"';
    while (true) {
      read += 1;
      yield 'x'.repeat(100_000);
    }
  }
  const rows = readRows(endless());
  await rows.next();
  await expect(rows.next()).rejects.toThrow('Row 2 opens a quote that nothing closes');
  expect(read).toBeLessThan(20);
});

test.each([
  ['x', 'Row 2 has more than 1048576 characters'],
  ['"x",', 'Row 2 opens a quote that nothing closes, or has more than 1048576 characters'],
])('a row that is too long is told as such: %s', async (part, told) => {
  await expect(rowsOf(`a,b\n${part.repeat(2 ** 21)}`, 100_000)).rejects.toThrow(
    new UnreadableCsv(told),
  );
});

test('what the service writes is read as it was, however it comes in pieces', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((one) => one.trim());
  const row = fc.array(text, { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 40 }), async (rows, size) => {
      const written = [['a', 'b'], ...rows];
      const read = await rowsOf(written.map(csvRow).join(''), size);
      const isBlank = (cells: readonly string[]) => cells.every((cell) => cell === '');
      expect(read.map(({ cells }) => cells)).toEqual(written.filter((cells) => !isBlank(cells)));
    }),
  );
});

test('any text is divided as a library divides it, whatever it comes in', async () => {
  const part = fc.constantFrom('"', '""', ',', '\n', '\r\n', 'a', ' b ', '"c"', '"d\n,"', 'é');
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part), fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const text = `x,y\n${parts.join('')}`;
      let expected: string[][];
      try {
        const options = { relax_column_count: true, record_delimiter: ['\r\n', '\n'] };
        expected = parse(text, { ...options, trim: false });
      } catch {
        return;
      }
      compared += 1;
      const trimmed = expected.map((cells) => cells.map((cell) => cell.trim()));
      const read = await rowsOf(text, size);
      expect(read.map(({ cells }) => cells)).toEqual(
        trimmed.filter((cells) => cells.some(Boolean)),
      );
      expect(read.filter(({ fault }) => fault)).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(compared).toBeGreaterThan(100);
});

test('a formula that keeps digits from being taken for a number is no part of a cell', async () => {
  expect(
    await cellsOf('a,b,c,d\n="00123","=""0,1""",="",\'="x"\n=1+1,="a"b,,"=""say """"x"""""""\n'),
  ).toEqual([
    ['a', 'b', 'c', 'd'],
    ['00123', '0,1', '', '="x"'],
    ['=1+1', '="a"b', '', 'say "x"'],
  ]);
});

describe('encodings', () => {
  const text = 'nome;ação\nJosé;"10 €"\n';
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  const windows = Buffer.from('nome;a\xe7\xe3o\nJos\xe9;"10 \x80"\n', 'latin1');
  const sure = { isDamaged: false, isAssumed: false };
  const assumed = { isDamaged: false, isAssumed: true };
  const damaged = (name: string, isAssumed: boolean) => ({ name, isDamaged: true, isAssumed });
  const bytes = (...parts: readonly (string | number)[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    );

  test.each([
    ['UTF-8', Buffer.from(text), undefined, { name: 'utf-8', ...sure }],
    ['UTF-8, whatever is assumed', Buffer.from(text), 'windows-1250', { name: 'utf-8', ...sure }],
    [
      'UTF-8 with a byte order mark',
      Buffer.from(`\ufeff${text}`),
      undefined,
      { name: 'utf-8', ...sure },
    ],
    ['UTF-16, little end first', utf16, undefined, { name: 'utf-16le', ...sure }],
    ['UTF-16, big end first', Buffer.from(utf16).swap16(), 'utf-8', { name: 'utf-16be', ...sure }],
    ['Windows-1252', windows, undefined, { name: 'windows-1252', ...assumed }],
  ] as const)('%s', async (_, bytes, of, encoding) => {
    for (const size of [1, 2, 3, 100]) {
      expect(await encodingOf(pieces<Uint8Array>(bytes, size), of)).toEqual(encoding);
    }
    let read = '';
    for await (const piece of decode(pieces<Uint8Array>(bytes, 3), encoding.name)) read += piece;
    expect(read).toBe(text);
  });

  test.each([
    [
      'a mark is believed, whatever follows',
      bytes('\ufeffa\n', 0xe9),
      'windows-1252',
      damaged('utf-8', false),
    ],
    ['some UTF-8 is enough', bytes('é\n', 0xe9), undefined, damaged('utf-8', true)],
    [
      'some UTF-8 is not enough where another is said',
      bytes('é\n', 0xe9),
      'windows-1252',
      { name: 'windows-1252', ...assumed },
    ],
    [
      'a character that is cut off at the end is not UTF-8',
      bytes('A', 0xc3),
      undefined,
      { name: 'windows-1252', ...assumed },
    ],
    [
      'half a character of UTF-16',
      bytes(0xff, 0xfe, 'ab', 0x41),
      undefined,
      damaged('utf-16le', false),
    ],
    ['ASCII', bytes('ab'), undefined, { name: 'utf-8', ...sure }],
    [
      'ASCII that is said to be another',
      bytes('a\x1b$B'),
      'iso-2022-jp',
      { name: 'iso-2022-jp', ...assumed },
    ],
    ['nothing', bytes(), undefined, { name: 'utf-8', ...sure }],
  ] as const)('%s', async (_, file, of, encoding) => {
    expect(await encodingOf(pieces<Uint8Array>(file, 2), of)).toEqual(encoding);
  });

  test.each([
    ['windows-1250', 'windows-1250'],
    ['CP1250', 'windows-1250'],
    ['latin1', 'windows-1252'],
    ['ISO-8859-2', 'iso-8859-2'],
    ['sjis', 'shift_jis'],
    ['klingon', undefined],
  ])('%s is called %s', (label, name) => {
    expect(encodingCalled(label)).toBe(name);
  });

  test('rows with bytes that are no characters are refused, others are read', async () => {
    const file = bytes('\ufeffname;city\nAna;Köln\nJos', 0xe9, ';Rio\nBo;Łódź\n');
    const { names, encoding, rows } = await openSheet(() => pieces<Uint8Array>(file, 5));
    expect({ names, encoding }).toEqual({
      names: ['name', 'city'],
      encoding: damaged('utf-8', false),
    });
    const read: Row[] = [];
    for await (const row of rows) read.push(row);
    expect(read).toEqual([
      { number: 2, cells: ['Ana', 'Köln'] },
      { number: 3, cells: ['Jos\ufffd', 'Rio'], fault: 'has bytes that are not utf-8' },
      { number: 4, cells: ['Bo', 'Łódź'] },
    ]);
  });

  test('a header with such bytes is no header', async () => {
    const file = bytes('\ufeffname;a', 0xe7, 'ao\nAna;1\n');
    await expect(openSheet(() => pieces<Uint8Array>(file, 5))).rejects.toThrow(
      'Row 1 has bytes that are not utf-8',
    );
  });

  test('a character that stands for one that was lost before is read where all bytes are good', async () => {
    const { rows } = await openSheet(() => pieces<Uint8Array>(bytes('name\nJos\ufffd\n'), 5));
    for await (const row of rows) expect(row).toEqual({ number: 2, cells: ['Jos\ufffd'] });
  });

  test('an encoding that is said is used', async () => {
    const file = bytes('name\n', 0xa3, 'ukasz\n');
    const { rows } = await openSheet(() => pieces<Uint8Array>(file, 5), {
      assumed: 'windows-1250',
    });
    for await (const row of rows) expect(row).toEqual({ number: 2, cells: ['Łukasz'] });
  });
});

describe('a sheet', () => {
  const sheetOf = (text: string) => openSheet(() => pieces<Uint8Array>(Buffer.from(text), 7));

  test('has the names of its first row, and says which rows do not fit beneath them', async () => {
    const { names, header, rows } = await sheetOf(
      '\n\nname;mail\nAna;a@x.test;\nBo;b@x.test;c\nCy\n',
    );
    expect({ names, header }).toEqual({ names: ['name', 'mail'], header: 3 });
    const read: Row[] = [];
    for await (const row of rows) read.push(row);
    expect(read).toEqual([
      { number: 4, cells: ['Ana', 'a@x.test', ''] },
      {
        number: 5,
        cells: ['Bo', 'b@x.test', 'c'],
        fault: 'has more cells than the 2 of the header',
      },
      { number: 6, cells: ['Cy'] },
    ]);
  });

  test('without a row is refused', async () => {
    await expect(sheetOf(' \n\n')).rejects.toThrow('The file is empty');
  });
});
