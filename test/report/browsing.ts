import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { RenderedSide } from '../../src/report/page.ts';
import type { ReportOptions } from '../../src/report/report.ts';
import { executablePath, launch, violations } from '../support/browser.ts';
import { render } from './fixtures.ts';

/** How a page is opened: the report's options, and those of the browser. */
export interface OpenOptions extends Partial<ReportOptions> {
  readonly browser?: BrowserContextOptions;
}

/** Opens the HTML report of a document in a page of its own, which is closed after the test. */
type Open = (document: Parameters<typeof render>[0], options?: OpenOptions) => Promise<Page>;

/** Tests in a browser, where the machine has one. */
export function describeInBrowser(name: string, tests: (open: Open) => void): void {
  describe.skipIf(executablePath === undefined)(name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    const pages: Page[] = [];
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true });
    });
    tests(async (document, { browser: settings = {}, ...options } = {}) => {
      const file = join(folder, 'report.html');
      writeFileSync(file, render(document, 'html', options));
      const page = await browser.newPage(settings);
      pages.push(page);
      await page.goto(pathToFileURL(file).href);
      return page;
    });
  });
}

/** The words that each side marks: `words`, `style` or `current`; an empty text stands for a place between words. */
export function marked(page: Page, name: string): Promise<string[][]> {
  const script = `[...document.querySelectorAll('x-mark[data-is="${name}"]')].map((mark) => {
    const box = mark.getBoundingClientRect();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = new Range();
    let text = '';
    while (walker.nextNode())
      for (let at = 0; at < walker.currentNode.length; at += 1) {
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 1);
        const { x, y, width, height } = range.getBoundingClientRect();
        const [middle, centre] = [x + width / 2, y + height / 2];
        if (width > 0 && middle > box.left && middle < box.right && centre > box.top && centre < box.bottom)
          text += walker.currentNode.data[at];
      }
    return text;
  })`;
  const sides = page.locator('iframe');
  return Promise.all(
    [0, 1].map((at) => sides.nth(at).contentFrame().locator('html').evaluate<string[], unknown>(script)),
  );
}

/** A rendered e-mail. */
export function side(
  document: string,
  head = { subject: 'Hi', from: '', replyTo: '', preheader: '' },
): RenderedSide {
  return { document, head };
}

/** Fails unless everybody can read the page, in these looks and widths, without scrolling to the side. */
export async function expectReadable(
  page: Page,
  looks: readonly (readonly ['light' | 'dark', width: number])[],
): Promise<void> {
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await violations(page), `${colorScheme} ${width}`).toEqual([]);
  }
}
