import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Document, type ReportOptions, renderReport } from '../../src/report/index.ts';
import type { RenderedSide } from '../../src/report/options.ts';
import { executablePath, launch } from '../support/browser.ts';
import { plain } from './fixtures.ts';

/** How a page is opened: the report's options, and those of the browser. */
export interface OpenOptions extends Partial<ReportOptions> {
  readonly browser?: BrowserContextOptions;
}

/** Opens the HTML report of a document in a page of its own, which the test closes. */
export type Open = (document: Document, options?: OpenOptions) => Promise<Page>;

/** Tests in a browser, where the machine has one. */
export function describeInBrowser(name: string, tests: (open: Open) => void): void {
  describe.skipIf(executablePath === undefined)(name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'report-'));
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true });
    });
    tests(async (document, { browser: settings = {}, ...options } = {}) => {
      const file = join(folder, 'report.html');
      writeFileSync(file, renderReport(document, 'html', { ...plain, ...options }));
      const page = await browser.newPage(settings);
      await page.goto(pathToFileURL(file).href);
      return page;
    });
  });
}

/** A rendered e-mail. */
export function side(
  document: string,
  head = { subject: 'Hi', from: '', replyTo: '', preheader: '' },
): RenderedSide {
  return { document, head };
}
