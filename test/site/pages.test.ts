import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { globSync } from 'tinyglobby';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executablePath, launch, violations } from '../support/browser.ts';

const site = join(import.meta.dirname, '../../site');
const dist = join(site, 'dist');
const isInstalled = existsSync(join(site, 'node_modules/vitepress'));

/** The documentation as a static site; `npm ci` in its folder installs what builds it. */
describe.skipIf(executablePath === undefined || !isInstalled)('the site', () => {
  let browser: Browser;
  let pages: string[] = [];
  beforeAll(async () => {
    execFileSync('npm', ['run', 'build'], { cwd: site, stdio: 'pipe' });
    pages = globSync('**/*.html', { cwd: dist }).filter((page) => page !== '404.html');
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it('has its home page and every document', () => {
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'README.html', 'docs/commands.html']));
  });

  it.each(['light', 'dark'] as const)('can be read by everybody, in %s', async (colorScheme) => {
    const page = await browser.newPage({ colorScheme });
    await page.route('**/*', (route) => {
      const path = join(dist, decodeURIComponent(new URL(route.request().url()).pathname));
      const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
      return isFile ? route.fulfill({ path }) : route.fulfill({ status: 404 });
    });
    const found: Record<string, string[]> = {};
    for (const name of pages) {
      await page.goto(`http://site.example/${name}`);
      const wrong = await violations(page);
      if (wrong.length > 0) found[name] = wrong;
    }
    await page.close();
    expect(found).toEqual({});
  });
});
