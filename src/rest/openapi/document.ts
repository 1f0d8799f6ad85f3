import { readFileSync } from 'node:fs';
import { packageDirectory } from '../../lib/directories.ts';
import { prefix } from '../register.ts';
import { errorSchemas } from './error_schemas.ts';
import { headers } from './headers.ts';
import { pathsOf } from './paths.ts';
import { Components } from './schema.ts';
import { predicateTable } from './searches.ts';
import { refusalResponses } from './statuses.ts';

export const { version, description }: { version: string; description: string } = JSON.parse(
  readFileSync(new URL('package.json', packageDirectory), 'utf8'),
);

// What takes long to read is folded, so that the endpoints come first.
const introduction = `${description}.

Every request needs a token: \`Authorization: Bearer <token>\`. Bodies are JSON objects. A field that
is left out keeps its value, null clears it, and fields that only the service writes are ignored, so
that a record can be sent back as it was read. Unknown names are ignored too, and listed in
\`X-Ignored-Fields\`; with \`Prefer: handling=strict\` they are refused.

\`?fields=id,full_name,deals\` returns only these fields of a record; the others are not even read.

<details><summary>Trying a write</summary>

With \`Prefer: dry-run\` a write is answered as it would be, with status, body and headers, and \`Preference-Applied:
dry-run\`; nothing of it is stored. Ids and times are those that it would get now. What makes or changes a secret
refuses it with a 422: tokens, sessions, passwords, new webhooks.

</details>

<details><summary>Sending a write again</summary>

A write that comes with an \`Idempotency-Key\`, 1 to 255 visible characters of your own such as a UUID, can be
sent again when nobody knows what became of it: within 24 hours the same token gets the answer of the first
(\`Idempotent-Replayed: true\`), and nothing is done twice. Refusals are answered again, too, but for 401, 403,
408, 409, 429 and what is the service's fault. A key that came with another request before is a 422.

</details>

<details><summary>What forms and scripts may send</summary>

- For an integer its decimal digits: \`"12"\`.
- For a boolean \`"true"\`, \`"false"\`, 1, 0, \`"1"\` and \`"0"\`.
- For a text an integer, which stands for its digits: \`{"identifier": 12345}\`. The schemas show texts
  alone, because a number has lost its leading zeros by then.
- For an integer, a time and a boolean \`""\`, which is null.
- Bodies compressed with gzip (\`Content-Encoding: gzip\`).

Bodies are JSON (\`Content-Type: application/json\`) with the fields in the object itself: those of HTML forms
are refused, and so are \`{"contact": {…}}\` and fields in the query string.

</details>

<details><summary>Reading from a replica</summary>

Where the operator has set up replicas, \`Prefer: replica\` lets a read be answered by one. It misses nothing
that was written before, and \`Preference-Applied: replica\` says that it was.

</details>

<details><summary>Working beside others</summary>

\`updated_at\` is set when a record is written, but others see the record only once its transaction
has been committed, possibly after a record with a later \`updated_at\`. A client that polls with
\`updated_at_gteq\` should go back one minute before its previous poll and skip what it already has:
no write takes that long.

An answer that is one record has an \`ETag\`. A \`PUT\`, \`PATCH\` or \`DELETE\` with it in \`If-Match\` is made while the
record is as it was then, and otherwise refused with 412; with it in \`If-None-Match\`, only while the record is not. Records that belong to it may change meanwhile, and so may its place
among others.

An update replaces \`custom_attributes\` whole. \`PATCH\` with \`Content-Type: application/merge-patch+json\`
merges them key by key instead (RFC 7396): null removes a key, objects in objects are merged, what is not named
stays. Of two that change different keys at the same time neither is lost.

</details>

<details><summary>How a search is written</summary>

A query is an object whose keys are \`<attribute>_<predicate>\`, and all of them must hold:
\`{"status_eq": "open", "name_cont": "silva"}\`. Attributes are joined with \`_or_\` and \`_and_\`
(\`full_name_or_email_cont\`), and named behind associations (\`deals_stage_name_eq\`). Blank values
drop their condition. \`s\` sorts: \`"created_at desc"\`.

</details>

<details><summary>Walking through all that a search finds</summary>

An answer has \`X-Next-Cursor\` while there is more: sent as \`after\`, with the same query and order, it goes on from
there. Pages by number shift as others write; from cursor to cursor no record is missed or seen twice that keeps
its place in the order, and the last page costs no more than the first. A record that changes what it is sorted by is
met where it then stands, so \`id\` or \`created_at\` are good orders to walk in.

\`"count": "none"\` leaves out the counting, and \`"estimate"\` asks PostgreSQL's planner. The pagination then says what
is known, and \`X-Count\` whether its count is an \`estimate\`, or a lower bound (\`at-least\`).

</details>

<details><summary>All predicates</summary>

${predicateTable}

</details>
`;

/**
 * The REST interface as an OpenAPI 3.1 document, made from the route table, the stored operations
 * and `schema.graphql`.
 */
export function openapi(): Readonly<Record<string, unknown>> {
  const components = new Components();
  const { paths, tags } = pathsOf(prefix, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sales CRM',
      version,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ bearer: [] }],
    tags,
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token of a user of the account, with the scope that the operation names. On the machine that runs the service, this makes one: `npm run --silent crm -- token create --email admin@example.com`',
        },
      },
      headers,
      responses: refusalResponses,
      schemas: { ...components.schemas, ...errorSchemas },
    },
  };
}
