import { readFileSync } from 'node:fs';
import { prefix } from '../register.ts';
import { pathsOf } from './paths.ts';
import { Components } from './schema.ts';
import { predicateTable } from './searches.ts';
import { errorSchemas, headers, refusalResponses } from './statuses.ts';

const { version, description }: { version: string; description: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

const introduction = `${description}.

Every request needs a token: \`Authorization: Bearer <token>\`. Bodies are JSON objects; fields
that are not known are ignored, so that a record can be sent back as it was read. A field that is
left out keeps its value, and null clears it.

## Searches

A query is an object whose keys are \`<attribute>_<predicate>\`. Attributes are joined with \`_or_\`
and \`_and_\` (\`full_name_or_email_cont\`), and named behind associations
(\`deals_stage_name_eq\`). Blank values drop their condition.

${predicateTable}
`;

/**
 * The REST interface as an OpenAPI 3.1 document, made from the route table, the stored operations
 * and `schema.graphql`.
 */
export function openapi(): object {
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
          description: 'A token of a user of the account.',
        },
      },
      headers,
      responses: refusalResponses,
      schemas: { ...components.schemas, ...errorSchemas },
    },
  };
}
