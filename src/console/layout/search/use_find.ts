import { useEffect, useState } from 'preact/hooks';
import { FindDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import type { FindResult } from './items.ts';

/** Milliseconds without a key pressed after which it is searched for. */
const restMs = 120;

interface Finding {
  /** Of the last answer; what overtakes it on the way is never shown. */
  readonly found: FindResult | undefined;
  /** The text that this was found by. */
  readonly text: string;
  readonly hasFailed: boolean;
}

const nothing: Finding = { found: undefined, text: '', hasFailed: false };

/** Finds records by what is typed, as it is being typed. */
export function useFind(typed: string): Finding {
  const [finding, setFinding] = useState(nothing);
  const text = typed.trim();
  useEffect(() => {
    if (text === '') {
      setFinding(nothing);
      return;
    }
    let isLatest = true;
    const look = async () => {
      const next = await ask(FindDocument, { q: text }).then(
        ({ find }): Finding => ({ found: find ?? undefined, text, hasFailed: false }),
        (): Finding => ({ found: undefined, text, hasFailed: true }),
      );
      if (isLatest) setFinding(next);
    };
    const timer = setTimeout(look, restMs);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text]);
  return finding;
}
