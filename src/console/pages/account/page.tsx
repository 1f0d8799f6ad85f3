import { useRef } from 'preact/hooks';
import { UpdateAccountDocument } from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';
import { isAdmin, readWho, who } from '../../api/who.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { PageHeader } from '../../components/page_header.tsx';
import { Select } from '../../components/select.tsx';
import { attempt, tell } from '../../components/toast.tsx';
import { useForm } from '../../components/use_form.ts';
import { words } from '../../words/words.ts';
import { countries, currencies, timeZones } from './places.ts';
import { currencyOf, timeZoneOf } from './proposals.ts';

/** The account's name, and where in the world it is. */
export function AccountPage() {
  const { account: texts, shell } = words.value;
  const account = who.value?.account;
  const form = useForm(
    {
      name: account?.name ?? '',
      default_country: account?.default_country ?? '',
      time_zone: account?.time_zone ?? '',
      currency: account?.currency ?? '',
    },
    async (_, { name, default_country, time_zone, currency }, version) => {
      const input = {
        name,
        default_country: noneAsNull(default_country),
        time_zone: noneAsNull(time_zone),
        currency: noneAsNull(currency),
      };
      await ask(UpdateAccountDocument, { input, version });
      await readWho();
      tell(shell.saved);
    },
    account && { version: account.version, reload: () => attempt(readWho) },
  );
  const proposed = useRef({ time_zone: '', currency: '' });
  const country = form.field('default_country');
  const settle = (value: string) => {
    country.onChange(value);
    const next = { time_zone: timeZoneOf(value), currency: currencyOf(value) };
    for (const name of ['time_zone', 'currency'] as const) {
      // What somebody chose stays.
      if (['', proposed.current[name]].includes(form.values[name])) {
        form.field(name).onChange(next[name]);
        proposed.current[name] = next[name];
      }
    }
  };
  const none = { value: '', text: texts.none };
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <section class="card">
        <Form form={form} action={shell.save} isReadOnly={!isAdmin.value}>
          <TextField {...form.field('name')} label={texts.name} required />
          <Select
            {...country}
            onChange={settle}
            label={texts.country}
            hint={texts.countryHint}
            options={[none, ...countries()]}
          />
          <Select
            {...form.field('time_zone')}
            label={texts.timeZone}
            hint={texts.timeZoneHint}
            options={[none, ...timeZones(account?.time_zone ?? '')]}
          />
          <Select
            {...form.field('currency')}
            label={texts.currency}
            hint={texts.currencyHint}
            options={[none, ...currencies(account?.currency ?? '')]}
          />
        </Form>
      </section>
    </>
  );
}

const noneAsNull = (chosen: string | undefined): string | null | undefined =>
  chosen === '' ? null : chosen;
