import { useState } from 'preact/hooks';
import { columnsOf, guess, type Mapping, WrongMapping } from '../../../import/mapping.ts';
import { type DayOrder, dayOrders } from '../../../import/moments.ts';
import { type Importable, importable, targetOf } from '../../../import/targets.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { Field } from '../../components/field.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Select } from '../../components/select.tsx';
import { useUnsaved } from '../../components/unsaved_input.ts';
import { fieldName } from '../../words/fields.ts';
import { language, words } from '../../words/words.ts';
import { Columns, type Preview } from './columns.tsx';
import { Outcome } from './outcome.tsx';
import { open, useImport } from './use_import.ts';

/** Rows whose values are shown. */
const shownRows = 3;

/** Well within what one request may have. */
const portion = { records: 250, characters: 100_000 };

/** Encodings of old files that people have, the names that they know them by being the standard's. */
const encodings =
  'utf-8 windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 iso-8859-2 iso-8859-15 macintosh ibm866 koi8-r shift_jis euc-jp iso-2022-jp gb18030 big5 euc-kr utf-16le utf-16be'.split(
    ' ',
  );

interface ChosenFile extends Preview {
  readonly file: File;
  /** The encoding that the person says it has. */
  readonly assumed: string | undefined;
}

/** Takes records from a file: checked first, and imported once the person has seen what would come of it. */
export function ImportPage() {
  const { imports: texts, contacts, deals, products } = words.value;
  const [records, setRecords] = useState<Importable>('contacts');
  const [chosen, setChosen] = useState<ChosenFile>();
  const [mapping, setMapping] = useState<Mapping>([]);
  const [days = language.value === 'en' ? 'month-first' : 'day-first', setDays] =
    useState<DayOrder>();
  const [isUpsert, setUpsert] = useState(false);
  const [fault, setFault] = useState<string>();
  const { shown, begin, pause, goOn, forget } = useImport();
  const isRunning = shown?.state === 'running';
  useUnsaved(isRunning);
  const titles: Readonly<Record<Importable, string>> = {
    contacts: contacts.title,
    deals: deals.title,
    products: products.title,
    deal_products: texts.dealProducts,
    events: texts.events,
  };
  const hasMoments = mapping.some(
    (name) => name !== undefined && targetOf(records, name, false)?.kind === 'moment',
  );
  const mayUpsert = records === 'contacts' || records === 'deals';
  /** What was found of another choice says nothing of this one. */
  const change = (next: () => void) => {
    forget();
    setFault(undefined);
    next();
  };
  const choose = async (file: File, assumed?: string) => {
    try {
      const preview = await previewOf(file, assumed);
      change(() => {
        setChosen({ file, assumed, ...preview });
        setMapping(guess(records, preview.names, false));
      });
    } catch (error) {
      change(() => setFault(String(error instanceof Error ? error.message : error)));
    }
  };
  const start = async (isDry: boolean) => {
    if (!chosen) return;
    try {
      const columns = columnsOf(records, mapping, new Map(), false);
      const operation = isUpsert && mayUpsert ? 'upsert' : 'create';
      setFault(undefined);
      const task = { records, operation, isDry, portion } as const;
      await begin({ file: chosen.file, encoding: chosen.assumed, columns, days, task });
    } catch (error) {
      if (!(error instanceof WrongMapping)) throw error;
      setFault(texts.wrong[error.reason](fieldName(error.target)));
    }
  };
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <section class="card form">
        <fieldset disabled={isRunning}>
          <Select
            label={texts.records}
            name="records"
            value={records}
            error={undefined}
            options={importable.map((value) => ({ value, text: titles[value] }))}
            onChange={(value) =>
              change(() => {
                const next = importable.find((one) => one === value) ?? 'contacts';
                setRecords(next);
                if (chosen) setMapping(guess(next, chosen.names, false));
              })
            }
          />
          <Field label={texts.file} hint={texts.fileHint} error={fault}>
            {(control) => (
              <input
                {...control}
                type="file"
                accept=".csv,.tsv,.txt,text/csv"
                onChange={({ currentTarget: { files } }) => {
                  const [file] = files ?? [];
                  if (file) void choose(file);
                }}
              />
            )}
          </Field>
          {(chosen?.encoding.isAssumed || chosen?.assumed) && (
            <Select
              label={texts.encoding}
              hint={texts.encodingHint}
              name="encoding"
              value={chosen.encoding.name}
              error={undefined}
              options={encodings.map((value) => ({ value, text: value }))}
              onChange={(value) => void choose(chosen.file, value)}
            />
          )}
          {mayUpsert && (
            <Checkbox
              label={texts.upsert}
              hint={texts.upsertHint}
              name="upsert"
              value={isUpsert}
              onChange={(value) => change(() => setUpsert(value))}
            />
          )}
          {chosen && (
            <Columns
              records={records}
              preview={chosen}
              mapping={mapping}
              onChange={(next) => change(() => setMapping(next))}
            />
          )}
          {hasMoments && (
            <Select
              label={texts.days}
              name="days"
              value={days}
              error={undefined}
              options={dayOrders.map((value) => ({ value, text: texts.dayOrders[value] }))}
              onChange={(value) => change(() => setDays(dayOrders.find((one) => one === value)))}
            />
          )}
        </fieldset>
        <div class="form-end">
          <Button isBusy={isRunning} disabled={!chosen} onClick={() => start(true)}>
            {texts.check}
          </Button>
          <Button
            kind="primary"
            isBusy={isRunning}
            disabled={!chosen || (shown !== undefined && !shown.isDry)}
            onClick={() => start(false)}
          >
            {texts.start}
          </Button>
        </div>
      </section>
      {shown && chosen && (
        <Outcome names={chosen.names} importing={shown} pause={pause} goOn={() => void goOn()} />
      )}
    </>
  );
}

async function previewOf(file: File, assumed?: string): Promise<Preview> {
  const { names, encoding, rows } = await open(file, assumed);
  const shown: (readonly string[])[] = [];
  for await (const { cells } of rows) {
    shown.push(cells);
    if (shown.length === shownRows) break;
  }
  return { names, encoding, rows: shown };
}
