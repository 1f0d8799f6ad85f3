/** What an export takes and answers. */
import { rightOf } from '../../auth/policy.ts';
import { cursorHeader } from '../cursor.ts';
import { formats } from '../export/formats.ts';
import { totalHeader } from '../export/register.ts';
import type { Route } from '../routes.ts';
import { headerReferences } from './headers.ts';
import { chosenFields } from './parameters.ts';
import type { Schema, SchemaWithExample } from './schema.ts';
import { refusalsOf } from './statuses.ts';

/**
 * @param query of the search
 * @param place the parameters of the path
 */
export function exportAs(route: Route, query: SchemaWithExample, place: readonly Schema[]): Schema {
  const { operation, action } = route;
  const named = operation.replaceAll('_', ' ');
  const { 410: _, ...refusals } = refusalsOf(route);
  return {
    summary: `All ${named} that match, as a stream`,
    description:
      'As they are at one moment, however many there are. An answer that was cut off has fewer records than `X-Total-Count` says. Of one account two are answered at a time.',
    security: [{ bearer: [rightOf(action).scope].filter((scope) => scope !== null) }],
    parameters: [
      ...place,
      {
        name: 'format',
        in: 'query',
        description:
          "A line of JSON for each record, or CSV (RFC 4180) in which texts that a spreadsheet would run have a `'` before them.",
        schema: { type: 'string', enum: Object.keys(formats), default: 'ndjson' },
        example: 'ndjson',
      },
      chosenFields(operation),
      { name: 'query', in: 'query', style: 'deepObject', explode: true, ...query },
    ],
    responses: {
      200: {
        description: `The ${named}, each as a search shows it.`,
        headers: headerReferences([totalHeader, cursorHeader, 'Content-Disposition']),
        content: Object.fromEntries(
          Object.values(formats).map(({ type, example }) => [
            type.slice(0, type.indexOf(';')),
            { schema: { type: 'string' }, example },
          ]),
        ),
      },
      ...refusals,
    },
  };
}
