import { signal } from '@preact/signals';
import { Button } from '../../components/button.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { graphiql } from '../../settings.ts';
import { words } from '../../words/words.ts';

const kept = 'crm.queries';

/** Whether the queries behind figures are shown: few people read them, and those always. */
const areShown = signal(localStorage.getItem(kept) === 'shown');

/** Shows or hides all queries of the page, now and later. */
export function QuerySwitch() {
  const { dashboard } = words.value;
  const change = () => {
    areShown.value = !areShown.value;
    localStorage.setItem(kept, areShown.value ? 'shown' : 'hidden');
  };
  return (
    <Button kind="quiet" onClick={change}>
      {areShown.value ? dashboard.queriesHidden : dashboard.queriesShown}
    </Button>
  );
}

/** Leads to the query behind figures, to run and change it; where there is no GraphiQL, copies it. */
export function QueryLink({
  of,
  query,
  variables,
}: {
  /** What the figures are, for those who hear of several links alike. */
  readonly of: string;
  readonly query: string;
  readonly variables: object;
}) {
  const { dashboard, shell } = words.value;
  if (!areShown.value) return null;
  const text = JSON.stringify(variables, null, 2);
  if (graphiql) {
    const brought = new URLSearchParams({ query: query.trim(), variables: text });
    return (
      <a class="query-link" href={`/graphiql#${brought}`} aria-label={`${dashboard.query}: ${of}`}>
        {dashboard.query}
      </a>
    );
  }
  const copy = async () => {
    const isCopied = await attempt(() => navigator.clipboard.writeText(`${query}\n${text}`));
    if (isCopied) tell(shell.copied);
  };
  return (
    <Button kind="quiet" onClick={copy} aria-label={`${dashboard.query}: ${of}`}>
      {dashboard.query}
    </Button>
  );
}
