import { Link } from 'wouter-preact';
import { isAdmin } from '../../api/who.ts';
import { Empty } from '../../components/empty.tsx';
import { words } from '../../words/words.ts';
import { FirstPipeline } from './first_pipeline.tsx';

/**
 * Instead of the page of an account without pipelines.
 * @param onCreated called once there is one
 */
export const NoPipeline = ({ onCreated }: { readonly onCreated: () => Promise<void> }) =>
  isAdmin.value ? (
    <FirstPipeline onCreated={onCreated} />
  ) : (
    <NoStages title={words.value.board.noPipeline} />
  );

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
