import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { words } from '../../words/words.ts';
import type { ListColumns, RowWithAttributes } from './columns.ts';
import { ColumnsDialog } from './columns_dialog.tsx';

/** The way to choose which columns a list shows: its filter `columns`. */
export function ColumnsButton<Row extends RowWithAttributes>(columns: ListColumns<Row>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="columns" onClick={() => setOpen(true)}>
        {words.value.columns.title}
      </Button>
      {isOpen && <ColumnsDialog {...columns} onClose={() => setOpen(false)} />}
    </>
  );
}
