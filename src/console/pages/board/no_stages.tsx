import { Link } from 'wouter-preact';
import { isAdmin } from '../../api/who.ts';
import { Empty } from '../../components/empty.tsx';
import { words } from '../../words/words.ts';

/** Instead of a board that has no columns: what makes them, and who may. */
export function NoStages({ title }: { readonly title: string }) {
  const { board } = words.value;
  return (
    <Empty
      title={title}
      action={isAdmin.value && <Link href="/pipelines">{board.createPipeline}</Link>}
    >
      {board.whyPipeline} {!isAdmin.value && board.askForPipeline}
    </Empty>
  );
}
