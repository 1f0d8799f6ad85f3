import type { FieldBinding } from '../../components/field.tsx';
import { words } from '../../words/words.ts';
import { isPossible, type RecordType, recordTypes, toggled, verbs } from './events.ts';

/** Which changes are sent: everything, or for each kind of record everything or a choice. */
export function EventFields({ value: events, onChange, error }: FieldBinding<readonly string[]>) {
  const { webhooks: texts, audit } = words.value;
  const isAll = events.includes('*');
  const box = (type: RecordType, verb: string, text: string, isFixed: boolean) => {
    const event = `${type}.${verb}`;
    return (
      <label key={verb} class="checkbox">
        <input
          type="checkbox"
          aria-label={`${audit.types[type]}: ${text}`}
          checked={isFixed || events.includes(event)}
          disabled={isFixed}
          onChange={() => onChange(toggled(events, event))}
        />
        <span>{text}</span>
      </label>
    );
  };
  return (
    <fieldset class="choices">
      <legend>{texts.events}</legend>
      <label class="checkbox">
        <input
          type="checkbox"
          checked={isAll}
          aria-invalid={error !== undefined}
          onChange={() => onChange(toggled(events, '*'))}
        />
        <span>
          {texts.everything}
          <small>{texts.everythingHint}</small>
        </span>
      </label>
      <div class="events">
        {recordTypes.map((type) => (
          <fieldset key={type}>
            <legend>{audit.types[type]}</legend>
            {box(type, '*', texts.all, isAll)}
            {verbs
              .filter((verb) => isPossible(type, verb))
              .map((verb) =>
                box(type, verb, texts.verbs[verb], isAll || events.includes(`${type}.*`)),
              )}
          </fieldset>
        ))}
      </div>
      {error && <p class="field-error">{error}</p>}
    </fieldset>
  );
}
