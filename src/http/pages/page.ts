import type { FastifyInstance } from 'fastify';
import { serve } from './serve.ts';

/** What a page consists of; scripts run in order, after the page was parsed. */
export interface Page {
  readonly title: string;
  /** Addresses of this service. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** What the page's own script reads from the element `root`, as its `data-` attributes. */
  readonly data: Readonly<Record<string, string>>;
  /** HTML that the page shows, or shows until its scripts do. */
  readonly content?: string;
}

/**
 * Only this service's own files: no other host, no inline script. Style elements are allowed because
 * GraphiQL's dialogs insert one to keep the page from scrolling.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves a page. It needs no token, because it contains no data of any account. */
export function addPage(server: FastifyInstance, url: string, page: Page): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
  serve(server, url, headers, html(page));
}

const html = ({
  title,
  styles,
  scripts,
  data,
  content = 'Loading…',
}: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
${styles.map((url) => `<link rel="stylesheet" href="${escaped(url)}">`).join('\n')}
${scripts.map((url) => `<script defer src="${escaped(url)}"></script>`).join('\n')}
</head>
<body>
<div id="root"${attributes(data)}>${content}</div>
${scripts.length > 0 ? '<noscript>This page needs JavaScript.</noscript>' : ''}
</body>
</html>
`;

const attributes = (data: Readonly<Record<string, string>>): string =>
  Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
    .join('');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
