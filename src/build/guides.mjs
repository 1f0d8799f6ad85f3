/**
 * The guides as the service serves them: each Markdown file that `src/docs/README.md` lists for users, rendered, with
 * links that lead from one to another.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Marked } from 'marked';

/** Of the list of guides, the sections whose guides are for users; the others explain the source. */
const sections = ['The API', 'How to', 'Reference'];

const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The links of a text, each with what stands in its brackets. */
function linksIn(text) {
  const parts = text.split('](');
  return parts.slice(1).map((part, at) => ({
    title: (parts[at] ?? '').slice((parts[at] ?? '').lastIndexOf('[') + 1),
    href: part.slice(0, Math.max(0, part.indexOf(')'))),
  }));
}

/** The same text with links that lead elsewhere. */
const relinked = (text, lead) =>
  text
    .split('](')
    .map((part, at) => {
      const end = part.indexOf(')');
      const href = part.slice(0, Math.max(0, end));
      return at === 0 || end < 0 ? part : (lead(href) ?? href) + part.slice(end);
    })
    .join('](');

/** What the list says of each guide: its file, its section, its title and what it is about. */
function listed(folder) {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  return text.split(/^## /m).flatMap((part) => {
    const [section = '', ...lines] = part.split('\n');
    if (!sections.includes(section.trim())) return [];
    return lines.flatMap((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const about = cells.length === 4 && !cells[2].includes('](') ? cells[2] : '';
      return linksIn(line)
        .filter(({ href }) => href.endsWith('.md') && !href.startsWith('..'))
        .map(({ title, href }) => ({ section, title, path: href, about }));
    });
  });
}

/** The first sentence of a guide, where it begins with one. */
function firstSentence(source) {
  const paragraph = source.split('\n\n').find((one) => !one.startsWith('#')) ?? '';
  if (!/^[A-Z]/.test(paragraph)) return '';
  const [first = ''] = paragraph.replaceAll('\n', ' ').split(/[.:] /);
  return first.replace(/[.:]$/, '');
}

/** @returns name, title, section, subject, Markdown, HTML and plain text of each guide, in their order */
export function renderGuides(folder) {
  const known = listed(folder);
  const names = new Map(known.map(({ path }) => [path, basename(path, '.md')]));
  return known.map(({ section, title, path, about }) => {
    const source = readFileSync(join(folder, path), 'utf8');
    /** Where a link leads within the service; undefined for a file that it does not serve. */
    const target = (href, end) => {
      if (/^https?:/.test(href) || href.startsWith('#')) return href;
      const [file = '', anchor] = href.split('#');
      const name = names.get(join(dirname(path), file));
      if (name === undefined) return undefined;
      const rest = anchor === undefined ? '' : `#${anchor}`;
      return `/docs/${name}${end}${rest}`;
    };
    const anchors = new Set();
    const marked = new Marked({
      renderer: {
        heading({ tokens, depth, text }) {
          let anchor = anchorOf(text);
          for (let n = 1; anchors.has(anchor); n += 1) anchor = `${anchorOf(text)}-${n}`;
          anchors.add(anchor);
          return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
        },
        link({ href, tokens }) {
          const text = this.parser.parseInline(tokens);
          const to = target(href, '');
          return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
        },
        html: ({ text }) => escaped(text),
        image: ({ text }) => escaped(text),
      },
    });
    const html = marked.parse(source);
    return {
      name: names.get(path),
      title: title.charAt(0).toUpperCase() + title.slice(1),
      section,
      about: about || firstSentence(source),
      markdown: relinked(source, (href) => target(href, '.md')),
      html,
    };
  });
}
