import { flag, optionalReference, required, text } from '../kernel/fields/fields.ts';
import { resource } from '../kernel/resource.ts';
import { eventsField } from './events.ts';

/** The URL as it is called, or why there is none. */
function urlOf(address: string): URL | string {
  if (!URL.canParse(address)) return 'must be a URL such as https://example.com/changes';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a name or a password';
  if (url.hash !== '') return 'must not have a fragment (#)';
  return url;
}

/** Stored as it is called, so that every way to write an address is judged as that address. */
const urlField = required(
  text({
    max: 2048,
    normalise: (address) => {
      const url = urlOf(address.trim());
      return typeof url === 'string' ? address.trim() : url.href;
    },
    check: (address) => {
      const url = urlOf(address);
      return typeof url === 'string' ? url : undefined;
    },
  }),
);

export const webhooks = resource('webhooks', {
  fields: {
    url: urlField,
    description: text(),
    events: eventsField,
    enabled: { ...flag, cleared: { value: true } },
    user_id: optionalReference,
  },
  versions: 'fields',
  searchable: [
    'id',
    'user_id',
    'url',
    'description',
    'events',
    'enabled',
    'failing_since',
    'disabled_at',
    'disabled_reason',
    'created_at',
    'updated_at',
  ],
  takesPart: {},
});
