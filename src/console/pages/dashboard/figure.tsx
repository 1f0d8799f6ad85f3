import type { ComponentChildren } from 'preact';
import type { TypedDocumentString } from '../../../generated/console.ts';
import type { VariablesOf } from '../../api/ask.ts';
import { session } from '../../api/session.ts';
import { useAnswer } from '../../api/use_answer.ts';
import { useLatest } from '../../api/use_live.ts';
import { Answer } from '../../components/answer.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { words } from '../../words/words.ts';
import { QueryLink } from './query_link.tsx';

interface Props<Data, Variables, Row> {
  readonly title: string;
  /** What is counted, in a sentence. */
  readonly about: string;
  readonly document: TypedDocumentString<Data, Variables>;
  readonly given: VariablesOf<Variables>;
  /** What the document would answer now. */
  readonly live: Data | undefined;
  readonly rowsOf: (data: Data) => readonly Row[];
  readonly chart: (rows: readonly Row[]) => ComponentChildren;
  /** Of the table; no two have the same title. */
  readonly columns: readonly Omit<Column<Row>, 'key'>[];
}

/** A chart with its numbers as a table, and the query behind it. */
export function Figure<Data, Variables, Row>(props: Props<Data, Variables, Row>) {
  const { title, about, document, given, live, rowsOf, chart, columns } = props;
  const { dashboard } = words.value;
  const answer = useAnswer(document, given);
  const data = useLatest(answer.data, live);
  const shown = (rows: readonly Row[]) => (
    <>
      {chart(rows)}
      <details>
        <summary>{dashboard.numbers}</summary>
        <Table
          caption={title}
          columns={columns.map((column) => ({ ...column, key: column.title }))}
          rows={rows}
          keyOf={(row) => rows.indexOf(row)}
          isLoading={answer.isLoading}
        />
      </details>
    </>
  );
  return (
    <section class="card figure">
      <header>
        <h2>{title}</h2>
        <QueryLink
          of={title}
          query={document.toString()}
          variables={{ account_id: session.value?.account_id, ...given }}
        />
      </header>
      <p class="soft">{about}</p>
      <Answer of={{ ...answer, data }}>
        {(data) => {
          const rows = rowsOf(data);
          return rows.length > 0 ? shown(rows) : <p class="nothing">{dashboard.nothing}</p>;
        }}
      </Answer>
    </section>
  );
}
