import type { FastifyInstance } from 'fastify';
import { serve } from './serve.ts';

/** What a page consists of, by addresses of this service. */
export interface Page {
  readonly title: string;
  readonly icon?: string;
  readonly styles: readonly string[];
  /** Run in order, after the page was parsed. */
  readonly scripts: readonly string[];
  /** An ECMAScript module, which runs after the page was parsed. */
  readonly module?: string;
  /** Whether its scripts may add style elements; no page has them in its HTML. */
  readonly addsStyles: boolean;
  /** What the page's own script reads from the element `root`, as its `data-` attributes. */
  readonly data: Readonly<Record<string, string>>;
  /** HTML of ours before that element. */
  readonly before?: string;
}

/** Only this service's own files: no other host, no inline script. */
const policy = ({ addsStyles, module }: Page): string =>
  [
    // Of our own scripts, none turns text into HTML, and one names a worker.
    ...(module ? ["require-trusted-types-for 'script'", 'trusted-types push-worker'] : []),
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${addsStyles ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** No page uses any of these, and no script that got into one may. */
const permissions = [
  ...['accelerometer', 'autoplay', 'camera', 'display-capture', 'encrypted-media'],
  ...['geolocation', 'gyroscope', 'hid', 'idle-detection', 'local-fonts', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'picture-in-picture', 'publickey-credentials-get'],
  ...['screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/** Serves a page, at a route of Fastify's. It needs no token, because it contains no data of any account. */
export function addPage(server: FastifyInstance, url: string, page: Page): void {
  serve(server, url, pageHeaders(page), () => pageHtml(page));
}

export const pageHeaders = (page: Page) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy(page),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': permissions,
  'referrer-policy': 'no-referrer',
});

export const pageHtml = ({
  title,
  icon = 'data:,',
  styles,
  scripts,
  module,
  data,
  before = '',
}: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${escaped(icon)}">
${styles.map((url) => `<link rel="stylesheet" href="${escaped(url)}">`).join('\n')}
${scripts.map((url) => `<script defer src="${escaped(url)}"></script>`).join('\n')}
${module ? `<script type="module" src="${escaped(module)}"></script>` : ''}
</head>
<body>
${before}${scripts.length > 0 || module ? `<div id="root"${attributes(data)}>Loading…</div>\n<noscript>This page needs JavaScript.</noscript>` : ''}
</body>
</html>
`;

const attributes = (data: Readonly<Record<string, string>>): string =>
  Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
    .join('');

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
