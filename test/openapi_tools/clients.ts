/** Generators of clients, and what somebody writes who searches by the client that each makes. */

export interface Generator {
  readonly name: string;
  /** The command that writes the client into the folder of the document. */
  readonly command: readonly string[];
  /** A module that searches, in the same folder. It fails unless it finds a contact. */
  readonly search: string;
}

const given = `
const { CRM_URL = '', CRM_ACCOUNT, CRM_TOKEN } = process.env;
const account_id = Number(CRM_ACCOUNT);
const headers = { authorization: \`Bearer \${CRM_TOKEN}\` };
const body = { query: { full_name_cont: 'Carter' }, page: 1, per_page: 10 };
const expectCarter = (page: { data?: { full_name?: string }[] } | undefined) => {
  const names = page?.data?.map(({ full_name }) => full_name);
  if (String(names) !== 'John Carter') throw new Error(\`it found \${names}\`);
};
`;

export const generators: readonly Generator[] = [
  {
    name: 'orval',
    command: ['orval', '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch'],
    search: `import { contacts } from './orval';
${given}
const real = fetch;
globalThis.fetch = (path, init) => real(CRM_URL + path, init);
const answer = await contacts(account_id, body, undefined, { headers });
if (answer.status !== 200) throw new Error(JSON.stringify(answer));
expectCarter(answer.data);
`,
  },
  {
    name: 'oazapfts',
    command: ['oazapfts', 'openapi.json', 'oazapfts.ts'],
    search: `import { contacts, defaults } from './oazapfts';
${given}
Object.assign(defaults, { baseUrl: CRM_URL, headers });
const answer = await contacts(account_id, body);
if (answer.status !== 200) throw new Error(JSON.stringify(answer));
expectCarter(answer.data);
`,
  },
  {
    name: 'swagger-typescript-api',
    command: [
      ...['swagger-typescript-api', 'generate', '--path', 'openapi.json'],
      ...['--output', '.', '--name', 'sta.ts'],
    ],
    search: `import { Api } from './sta';
${given}
const { api } = new Api({ baseUrl: CRM_URL, baseApiParams: { headers } });
expectCarter((await api.contacts(account_id, body)).data);
`,
  },
  {
    name: 'hey-api',
    command: ['openapi-ts', '--input', 'openapi.json', '--output', 'hey_api'],
    search: `import { client } from './hey_api/client.gen';
import { contacts } from './hey_api/sdk.gen';
${given}
client.setConfig({ baseUrl: CRM_URL, headers });
expectCarter((await contacts({ path: { account_id }, body })).data);
`,
  },
];
