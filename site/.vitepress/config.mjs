import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const site = fileURLToPath(new URL('..', import.meta.url));
const root = resolve(site, '..');

// VitePress finds its libraries from the pages, so it gets a copy of them inside this package.
const pages = join(site, '.pages');
rmSync(pages, { recursive: true, force: true });
for (const path of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs'])
  cpSync(join(root, path), join(pages, path), { recursive: true });
copyFileSync(join(site, 'home.md'), join(pages, 'index.md'));

/** Files of the repository that pages link to, such as the examples. They are copied beside the pages. */
const linked = new Set();

export default defineConfig({
  title: 'tenantctl',
  description: 'Keeps an identity-governance tenant in sync with YAML manifests in git.',
  srcDir: pages,
  outDir: join(site, 'dist'),
  cacheDir: join(site, '.cache'),
  cleanUrls: false,
  // The usual colours of code and of its language are too pale on its background, and the name of the search's button has none
  // of the keys in it, which axe reports.
  head: [
    [
      'style',
      {},
      ':root { --vp-code-lang-color: var(--vp-c-text-2); } .DocSearch-Button .DocSearch-Button-Keys { display: none; }',
    ],
  ],
  markdown: {
    config: (markdown) => markdown.core.ruler.push('linked-files', collectFiles),
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The theme's first page has no main part, which the others have.
  transformHtml: (html) => html.replace('<div class="VPContent is-home"', '$& role="main"'),
  buildEnd({ outDir }) {
    for (const file of linked) {
      const copy = join(outDir, relative(root, file));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(file, copy);
    }
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [{ text: 'Overview', items: [{ text: 'Readme', link: '/README' }] }, ...tableOfContents()],
    outline: [2, 3],
  },
});

/** The tables at the end of the README, in the order of their pages. The head of each is its title. */
function tableOfContents() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, tables = ''] = readme.split('## Documentation');
  return [...tables.matchAll(/^\| (\w.*?) \| \|\n((?:\|.*\n)+)/gm)].map(([, text, rows]) => ({
    text,
    items: [...rows.matchAll(/^\| \[(.+?)\]\((.+?)\.md(#.+?)?\) \|/gm)].map(
      ([, title, path, place = '']) => ({
        text: title,
        link: `/${path}${place}`,
      }),
    ),
  }));
}

/**
 * Notes the files that a page links to, and fails for those that are not there. Links to folders become text, since a site
 * does not list them. Links to pages are VitePress's, which checks them.
 */
function collectFiles({ tokens, env }) {
  for (const [at, { type, children, content }] of tokens.entries()) {
    // An empty cell is the head of nothing.
    if (tokens[at - 1]?.type === 'th_open' && type === 'inline' && content === '')
      for (const cell of [tokens[at - 1], tokens[at + 1]]) cell.tag = 'td';
    let isFolder = false;
    for (const token of children ?? []) {
      // Vue would read `{{x}}` as an expression.
      if (token.type === 'code_inline') token.attrSet('v-pre', '');
      if (token.type === 'link_open') isFolder = isFolderLink(token, env);
      if (isFolder && /^link_(?:open|close)$/.test(token.type))
        Object.assign(token, { type: 'text', content: '' });
    }
  }
}

function isFolderLink(token, { path: page }) {
  const [path = ''] = (token.attrGet('href') ?? '').split('#');
  if (path === '' || /^\w+:|\.(?:md|html)$/.test(path)) return false;
  const file = resolve(root, dirname(relative(pages, page)), path);
  if (relative(root, file).startsWith('..') || !existsSync(file)) throw new Error(`${page}: no file ${path}`);
  if (!statSync(file).isFile()) return true;
  linked.add(file);
  // VitePress leaves links with a target as they are.
  token.attrSet('target', '_self');
  return false;
}
