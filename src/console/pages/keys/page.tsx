import { PageHeader } from '../../components/page_header.tsx';
import { places } from '../../layout/places.ts';
import { words } from '../../words/words.ts';

/** The keys that do something, and where. */
export function KeysPage() {
  const { keys } = words.value;
  const everywhere = [
    ['Ctrl K', '/', keys.search],
    ['n', keys.create],
    ['?', keys.title],
    ['Ctrl Enter', keys.save],
    ['Esc', keys.leave],
  ];
  const going = Object.entries(places).map(([key, { title }]) => [`g ${key}`, title(words.value)]);
  const today = [
    ['↓', 'j', keys.next],
    ['↑', 'k', keys.previous],
    ['d', keys.done],
    ['t', words.value.activities.tomorrow],
    ['w', words.value.activities.nextWeek],
    ['a', words.value.activities.plan],
    ['Enter', keys.open],
  ];
  const board = [
    [keys.space, keys.take],
    ['← ↑ ↓ →', keys.carry],
    ['Esc', keys.leave],
  ];
  return (
    <>
      <PageHeader title={keys.title} />
      <div class="keys">
        <Keys title={keys.everywhere} rows={everywhere} />
        <Keys title={words.value.search.pages} rows={going} />
        <Keys title={words.value.activities.title} rows={today} />
        <Keys title={words.value.board.title} rows={board} />
      </div>
    </>
  );
}

function Keys({
  title,
  rows,
}: {
  readonly title: string;
  /** Keys, any of which does it, and last what that is. */
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl>
        {rows.map((row) => (
          <div key={row.join()}>
            <dt>
              {row.slice(0, -1).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{row.at(-1)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
