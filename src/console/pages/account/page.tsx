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
  const none = { value: '', text: texts.none };
  return (
    <>
      <PageHeader title={texts.title} about={texts.about} />
      <section class="card">
        <Form form={form} action={shell.save} isReadOnly={!isAdmin.value}>
          <TextField {...form.field('name')} label={texts.name} required />
          <Select
            {...form.field('default_country')}
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
