import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Document, type ReportOptions, renderReport } from '../../src/report/index.ts';
import type { RenderedSide } from '../../src/report/options.ts';
import { launch } from '../support/browser.ts';
import { plain } from './fixtures.ts';

/** How a page is opened: the report's options, and those of the browser. */
export interface OpenOptions extends Partial<ReportOptions> {
  readonly browser?: BrowserContextOptions;
}

/** A browser that opens reports. */
export interface Reader {
  open(document: Document, options?: OpenOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Starts a browser, and a folder for its reports. */
export async function startReader(): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const browser: Browser = await launch();
  return {
    async open(document, { browser: settings = {}, ...options } = {}) {
      const file = join(folder, 'report.html');
      writeFileSync(file, renderReport(document, 'html', { ...plain, ...options }));
      const context = await browser.newContext(settings);
      const page = await context.newPage();
      await page.goto(pathToFileURL(file).href);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A rendered e-mail. */
export function side(
  document: string,
  head = { subject: 'Hi', from: '', replyTo: '', preheader: '' },
): RenderedSide {
  return { document, head };
}
