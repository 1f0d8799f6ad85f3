import { useEffect, useRef, useState } from 'preact/hooks';
import { asRefusal, type Refusal } from '../api/refusal.ts';
import { inWords } from '../words/refusals.ts';
import { changes, typedOver } from './changes.ts';
import type { Bound } from './field.tsx';

export interface FormState<Values> {
  readonly values: Values;
  /** Whether anything differs from what it began with. */
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  /** Refused the last time; what is wrong with single fields is told there. */
  readonly refusal: Refusal | undefined;
  /** Names of the fields that tell their faults themselves. */
  readonly names: readonly string[];
  readonly field: <Name extends keyof Values & string>(name: Name) => Bound<Values[Name]>;
  readonly submit: () => Promise<void>;
}

/**
 * The state of a form. What was typed stays until it was taken, whatever becomes of the network.
 * @param initial read once; a component with another `key` begins again
 * @param version of the record; when it becomes another, `initial` is read again, and what was typed is kept
 * @param save sends the values, or, of a record that there is already, what was changed of them since
 *   they were loaded: the rest may be out of date; what it throws is told in the form
 */
export function useForm<Values extends object>(
  initial: Values,
  save: (values: Values, changed: Partial<Values>) => Promise<unknown>,
  version?: string,
): FormState<Values> {
  const [first, setFirst] = useState(initial);
  const [values, setValues] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const known = useRef(version);
  useEffect(() => {
    if (known.current === version) return;
    known.current = version;
    setFirst(initial);
    setValues(typedOver(first, values, initial));
    setRefusal(undefined);
  });
  const submit = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      await save(values, changes(first, values));
      setFirst(values);
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
    isChanged: JSON.stringify(values) !== JSON.stringify(first),
    isBusy,
    refusal,
    names: Object.keys(first),
    field: (name) => ({
      name,
      value: values[name],
      onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
      error: faultOf(name),
    }),
    submit,
  };
}
