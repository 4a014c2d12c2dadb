import { statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Change, Fleet } from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import { violations } from '../support/browser.ts';
import { isThorough } from '../support/effort.ts';
import { describeInBrowser, expectReadable } from './browsing.ts';
import {
  change,
  difference,
  fleet,
  lockout,
  names,
  sampleResult,
  senderDelete,
  textUpdate,
} from './fixtures.ts';

const down: Diagnostic = { code: 'tenant-unreachable', severity: 'error', message: 'The host is down.' };
const own = change({
  address: 'SimIntegration/Own',
  action: 'update',
  id: 'own-1',
  diff: [difference('/description', 'Old', 'New')],
});

/** Of 50 tenants two are down; all others have one change in common, and one has a change of its own. */
const fifty = fleet(names(50), (name) => {
  if (name === 'tenant-07' || name === 'tenant-31') return down;
  if (name === 'tenant-09') return [textUpdate, lockout, own];
  return name < 'tenant-20' ? [textUpdate, senderDelete] : [textUpdate];
});

/** Changes of each of 50 tenants in a long report. */
const each = isThorough ? 200 : 40;

describeInBrowser('the page of several environments in a browser', (openDocument) => {
  const open = (of: Fleet) => openDocument(of);
  const shown = (page: Page) => page.locator('.entry:visible').count();

  it('begins with what failed, and shows each change once with its environments', async () => {
    const page = await open(fifty);
    expect(await page.locator('.alarm').innerText()).toBe('Failed: tenant-07, tenant-31');
    const rows = await page.locator('.matrix tbody tr').allInnerTexts();
    expect(rows.slice(0, 2)).toEqual(['✖ tenant-07\ttenant-unreachable', '✖ tenant-31\ttenant-unreachable']);
    expect(await page.locator('.problems h3').allInnerTexts()).toEqual(['tenant-07, tenant-31']);
    const titles = (await page.locator('.group h2').allInnerTexts()).map((title) => title.split(':')[0]);
    expect(titles).toEqual(['In 48 of 50', 'In 17 of 50', 'Only in tenant-09 2 to update']);
  });

  it('filters by environment, concern and text, and links to what is to be read first', async () => {
    const page = await open(fifty);
    await expect.poll(() => shown(page)).toBe(4);
    await page.getByLabel('Filter by environment').selectOption('tenant-02');
    await expect.poll(() => shown(page)).toBe(2);
    await page.getByLabel('Filter by environment').selectOption('tenant-09');
    await expect.poll(() => shown(page)).toBe(3);
    await page.reload();
    await expect.poll(() => shown(page)).toBe(3);
    await page.getByRole('button', { name: '1 lock-out' }).click();
    await expect.poll(() => shown(page)).toBe(1);
    await page.locator('.first a', { hasText: 'old@acme.example' }).click();
    const focused = 'document.activeElement.closest(".entry")?.dataset.address';
    await expect.poll(() => page.evaluate(focused)).toBe(senderDelete.address);
  });

  it('tells one object that differs in two ways apart', async () => {
    const page = await open(fleet(['a', 'b'], (name) => [{ ...own, warnings: [`It is ${name}.`] }]));
    await expect.poll(() => shown(page)).toBe(2);
    const ids = await page.evaluate<string[]>('[...document.querySelectorAll(".entry")].map(({ id }) => id)');
    expect(new Set(ids).size).toBe(2);
  });

  it('shows what an apply did, first what was not done', async () => {
    const applied: Fleet = {
      ...fifty,
      environments: fifty.environments.map((member) => ({
        ...member,
        result: member.plan && { ...sampleResult, environment: member.name, diagnostics: [] },
      })),
    };
    const page = await open(applied);
    expect(await page.locator('.eyebrow').innerText()).toBe('tenantctl apply');
    expect(await page.locator('.entry .badge').allTextContents()).toEqual(
      expect.arrayContaining(['failed', 'done']),
    );
    expect((await page.locator('.entry .badge').allTextContents()).at(-1)).toBe('done');
  });

  it.each([50, 500])('is readable with %i environments, light, dark and narrow', async (count) => {
    const many = fleet(names(count), (name) =>
      name.endsWith('7') ? down : name.endsWith('9') ? [textUpdate, own] : [textUpdate],
    );
    const page = await open(many);
    expect(await page.locator('.matrix tbody tr').count()).toBeLessThan(45);
    await expectReadable(page, [
      ['light', 1200],
      ['dark', 1200],
      ['light', 380],
    ]);
  });

  it('lets the keyboard scroll a table that is wider than the window', async () => {
    const page = await open(fleet(names(3), () => [textUpdate]));
    await page.setViewportSize({ width: 320, height: 900 });
    expect(await violations(page)).toEqual([]);
    await page.getByRole('region', { name: 'Environments' }).press('ArrowRight');
    await expect.poll(() => page.evaluate('document.querySelector(".matrix").scrollLeft')).toBeGreaterThan(0);
  });

  it(`finds and opens one of ${50 * each} replacements that no two tenants share, in less than 600 bytes each`, async () => {
    const text = (name: string, at: number, last: string) =>
      Array.from({ length: 6 }, (_, line) => `<p>Line ${line} of notice ${at}, ${name}</p>`).join('\n') +
      `\n<p>${last}</p>\n`;
    const many = fleet(names(50), (name) =>
      Array.from(
        { length: each },
        (_, at): Change => ({
          ...textUpdate,
          address: `NotificationTemplate/notice_${at}/EMAIL/en`,
          id: `${name}-${at}`,
          diff: [difference('/body', text(name, at, 'old'), text(name, at, `new-${name}-${at}-end`))],
        }),
      ),
    );
    const page = await open(many);
    expect(statSync(new URL(page.url())).size).toBeLessThan(600 * 50 * each);
    await page.locator('html[data-searchable]').waitFor();
    await page.fill('#text', `new-tenant-50-${each - 1}-end`);
    await page.locator('#count', { hasText: `1 of ${each}` }).waitFor();
    await page.locator('.entry:visible > summary').first().click();
    await page.locator('.diff:visible', { hasText: `notice ${each - 1}, tenant-50` }).waitFor();
    expect(await page.locator('.body:not(:empty)').count()).toBeLessThan(20);
  });
});
