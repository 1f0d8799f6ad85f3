/**
 * What an integration needs of the client, in 25 lines: a person is written, whatever fails meanwhile; a search is
 * walked, changes are followed, and a webhook is verified.
 */
export const program = `import { createServer } from 'node:http';
import { createClient, verifyWebhook } from 'sales-crm-client';

const { CRM_URL: url = '', CRM_TOKEN: token = '', WEBHOOK_SECRET: secret = '' } = process.env;
const client = createClient({ url, token, account: 1 });
const { next } = await client.changes({ after: 'now' });
const ana = await client.contacts.upsert({ email: 'ana.lima@example.com', full_name: \`Ana \${Date.now()}\` });
for await (const contact of client.contacts.search({ query: { full_name_start: 'Ana ' } })) {
  console.log('contact', contact.id === ana.id, contact.email);
}
for await (const change of client.changes({ after: next, records: 'contacts' })) {
  console.log('change', change.record_type, change.record_id === ana.id);
  break;
}
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const change = await verifyWebhook(body, request.headers, secret).catch(() => undefined);
  console.log('webhook', change?.record_type);
  response.writeHead(change ? 204 : 400).end();
}).listen(Number(process.env.PORT), () => console.log('listening'));
process.once('SIGTERM', () => receiver.close());
`;

/** What it prints when it has run, and was sent a webhook that is signed and one that is not. */
export const output = [
  'contact true ana.lima@example.com',
  'change contact true',
  'listening',
  'webhook contact',
  'webhook undefined',
].join('\n');
