import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { inWords } from '../words/refusals.ts';
import { changes, clashes, typedOver } from './changes.ts';
import type { FieldBinding } from './field.tsx';

export interface FormState<Values> {
  readonly values: Values;
  /** Whether anything differs from what it began with. */
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  /** Why it was refused the last time; faults of single fields are shown at these. */
  readonly refusal: Refusal | undefined;
  /** Names of the fields that show their own faults. */
  readonly names: readonly string[];
  readonly field: <Name extends keyof Values & string>(name: Name) => FieldBinding<Values[Name]>;
  readonly submit: () => Promise<void>;
  /** Loads the record anew, where the form changes one that others may change too. */
  readonly reload: (() => Promise<unknown>) | undefined;
}

interface State<Values> {
  /** What it began with, or the record as it was read again. */
  readonly first: Values;
  readonly values: Values;
  /** What of the record somebody else has changed where something was typed, too. */
  readonly theirs: Partial<Values>;
}

/** How many forms hold something that was typed and is not saved: records are not read again beneath them. */
export const typedForms = signal(0);

/** The record that a form changes. */
export interface EditedRecord {
  /** The version that the form is filled with. */
  readonly version: string;
  readonly reload: () => Promise<unknown>;
}

/**
 * The state of a form. What was typed stays until it was taken, whatever becomes of the network.
 * @param initial read once; a component with another `key` begins again
 * @param save sends the values, or, of a record that there is already, what was changed of them
 *   since they were loaded: the rest may be out of date; what it throws is told in the form.
 *   `version` is that of the record they were loaded of, which the service is to refuse where there
 *   is another by now
 * @param edited the record; when its version becomes another, `initial` is read again, and what was
 *   typed is kept
 */
export function useForm<Values extends object>(
  initial: Values,
  save: (values: Values, changed: Partial<Values>, version?: string) => Promise<unknown>,
  edited?: EditedRecord,
): FormState<Values> {
  const [{ first, values, theirs }, set] = useState<State<Values>>({
    first: initial,
    values: initial,
    theirs: {},
  });
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const known = useRef(edited?.version);
  useEffect(() => {
    if (known.current === edited?.version) return;
    known.current = edited?.version;
    set((now) => ({
      first: initial,
      values: typedOver(now.first, now.values, initial),
      theirs: clashes(now.first, now.values, initial),
    }));
    setRefusal(undefined);
  });
  const isChanged = JSON.stringify(values) !== JSON.stringify(first);
  useEffect(() => {
    if (!isChanged) return;
    typedForms.value += 1;
    return () => {
      typedForms.value -= 1;
    };
  }, [isChanged]);
  const submit = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      await save(values, changes(first, values), known.current);
      // What was read again meanwhile holds what was sent, as the service has written it.
      set((now) =>
        now.first === first
          ? { ...now, first: values, theirs: {} }
          : { ...now, values: typedOver(values, now.values, now.first), theirs: {} },
      );
    } catch (error) {
      setRefusal(asRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  const faultOf = (name: string) => {
    const [fault] = refusal?.fields[name] ?? [];
    return fault === undefined ? undefined : inWords(fault);
  };
  return {
    values,
    isChanged,
    isBusy,
    refusal,
    names: Object.keys(first),
    field: (name) => ({
      name,
      value: values[name],
      onChange: (value) => set((now) => ({ ...now, values: { ...now.values, [name]: value } })),
      error: faultOf(name),
      holder: holderOf(refusal, name),
      theirs: theirs[name],
    }),
    submit,
    reload: edited?.reload,
  };
}

/** Where the record is that has the value of a field already. */
export function holderOf(refusal: Refusal | undefined, name: string): string | undefined {
  const isTaken = refusal?.fields[name]?.includes('has already been taken');
  const id = refusal?.holder?.contact_id;
  return isTaken && id !== undefined ? `/contacts/${id}` : undefined;
}
