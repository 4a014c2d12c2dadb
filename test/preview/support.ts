import { existsSync, readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { JsonObject } from '../../src/model/json.ts';
import type { PreviewTemplate, Snapshot } from '../../src/preview/snapshot.ts';

const known = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const executablePath = process.env.CHROMIUM ?? known.find((path) => existsSync(path));

export function launch(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ['--no-sandbox'],
  });
}

const axeSource = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** What axe-core finds wrong with the page, one line each. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate<AxeResults>('axe.run(document)');
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html}`),
  );
}

export function template(
  more: Partial<PreviewTemplate> & { after?: JsonObject; before?: JsonObject },
): PreviewTemplate {
  const { key = 'welcome', medium = 'EMAIL', locale = 'en', before = null, after = null, ...rest } = more;
  return {
    address: `NotificationTemplate/${encodeURIComponent(key)}/${medium}/${locale}`,
    key,
    medium,
    locale,
    source: { file: 'config/all.yaml', line: 3, column: 1 },
    base: before ? 'tenant' : 'not-read',
    isRemoved: false,
    differs: before !== null,
    sides: { before, after },
    ...rest,
  };
}

export function snapshot(templates: readonly PreviewTemplate[], more: Partial<Snapshot> = {}): Snapshot {
  return { environment: 'sandbox', templates, attributes: null, diagnostics: [], ...more };
}
