/** The guides, as pages and as the Markdown that they are written in. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { packageDirectory } from '../../lib/directories.ts';
import { type Assets, pageFile } from './assets.ts';
import { escaped, pageHeaders, pageHtml } from './page.ts';
import { openFolder, serve } from './serve.ts';

/** A guide, as the build wrote it. */
export interface Guide {
  /** The end of its address. */
  readonly name: string;
  readonly title: string;
  readonly section: string;
  /** What it is about, in a few words. */
  readonly about: string;
  readonly markdown: string;
  readonly html: string;
}

export const readGuides = (): readonly Guide[] =>
  JSON.parse(readFileSync(new URL('dist/docs/guides.json', packageDirectory), 'utf8'));

const markdown = { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-cache' };
const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' };

/** The list of guides, as HTML. */
export function listOf(guides: readonly Guide[]): string {
  const sections = [...new Set(guides.map(({ section }) => section))];
  const groups = sections.map((section) => {
    const links = guides
      .filter((guide) => guide.section === section)
      .map(
        ({ name, title, about }) =>
          `<li data-guide="${name}"><a href="/docs/${name}" title="${escaped(about)}">${escaped(title)}</a></li>`,
      );
    return `<section><h2>${section}</h2><ul>${links.join('')}</ul></section>`;
  });
  return groups.join('');
}

/**
 * Adds `/docs/<name>`, `/docs/<name>.md` and `/llms.txt`.
 * @param tags of the OpenAPI document
 */
export function addGuides(
  server: FastifyInstance,
  assets: Assets,
  guides: readonly Guide[],
  tags: () => readonly string[],
): void {
  const style = assets.add('guide_page.css', pageFile('guide_page.css'));
  const add = openFolder(server, '/docs/');
  for (const { name, title, html, markdown: text } of guides) {
    const page = {
      title: `${title}, Sales CRM`,
      styles: [style],
      scripts: [],
      addsStyles: false,
      data: {},
      before: `<nav><a href="/docs">All guides, and every endpoint</a> <a href="/docs/${name}.md">Markdown</a></nav>
<main>${html}</main>
`,
    };
    add(name, pageHeaders(page), () => pageHtml(page));
    add(`${name}.md`, markdown, text);
  }
  serve(server, '/llms.txt', plain, () => llmsText(guides, tags()));
}

const llmsText = (guides: readonly Guide[], tags: readonly string[]): string => `# Sales CRM

> A sales CRM: contacts, deals in stages of pipelines, products, events, users. REST and GraphQL with one bearer token.

- Every REST path begins with /api/v1/accounts/{account_id}. Send \`Authorization: Bearer <token>\` and JSON bodies.
- Admins make tokens at /console, which shows the id of the account; describe of POST /mcp tells it to any token.
- GET /api/v1/accounts/{account_id}/me tests a token. POST /{resource}/search {"query": {"full_name_cont": "ana"}} finds.
- POST /{resource} creates, GET, PUT and DELETE /{resource}/{id} do what they say, POST /contacts/upsert finds or creates.
- A deal needs a contact_id and a stage_id of GET /pipelines. Its amount is the sum of its deal_products, in cents.
- Endpoints and fields of one resource: /openapi.json?tag=contacts. Tags: ${tags.join(', ')}.
- GraphQL: POST /graphql, with the types of /schema.graphql for variables: Integer and Text, not Int and String.
- Agents: POST /mcp. Typed client: npm install <this host>/client.tgz

## Guides

${guides.map(linkTo).join('\n')}
`;

/** Of guides for operators and references the titles say enough. */
const linkTo = ({ name, title, about, section }: Guide): string =>
  `- [${title}](/docs/${name}.md)${section === 'The API' && about ? `: ${about}` : ''}`;
