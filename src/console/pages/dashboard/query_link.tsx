import { Button } from '../../components/button.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { graphiql } from '../../settings.ts';
import { words } from '../../words/words.ts';

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
