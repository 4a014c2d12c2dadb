import { expect, it } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { violations } from '../support/browser.ts';
import { describeInBrowser } from './browsing.ts';
import { plan, textUpdate } from './fixtures.ts';

const remark = (code: string, message: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: 'warning',
  code,
  message,
  ...more,
});

const changesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...textUpdate,
    address: `NotificationTemplate/key_${at}/EMAIL/en`,
    diff: textUpdate.diff.map((each) => ({ ...each, after: `${each.after} ${at}` })),
  }));
const changes = changesOf(12);

const others = (code: string, count: number): Diagnostic[] =>
  Array.from({ length: count }, (_, at) =>
    remark(code, `Remark ${at} of ${code}.`, { address: `SimIntegration/Desk ${at}` }),
  );

/** Of several kinds, in no order: those of one change, and `count` and a third of it of none. */
const remarks = (count: number): Diagnostic[] => [
  ...others('not-comparable', count),
  remark('unknown-variable', 'The text uses $dayz.', {
    address: 'NotificationTemplate/key_7/EMAIL/en',
    source: { file: 'config/seven.yaml', line: 4, column: 10 },
    hint: 'Did you mean $days?',
  }),
  ...others('default-moved', count / 3),
  remark('not-comparable', 'The secret of number seven.', { address: 'NotificationTemplate/key_7/EMAIL/en' }),
  remark('unmatched-glob', '--only `Foo/*` matches nothing.', { severity: 'info' }),
];
const diagnostics = remarks(120);

describeInBrowser('warnings of a plan in its page', (open) => {
  const openPlan = () => open(plan(changes, { diagnostics }));

  it('are folded by kind with their number, so that the changes stay on the first screen', async () => {
    const page = await openPlan();
    const folds = page.getByRole('region', { name: 'Remarks' }).locator('details');
    expect(await folds.locator('summary').allInnerTexts()).toEqual([
      '120 remarks not-comparable',
      '40 remarks default-moved',
      '1 remark unmatched-glob',
    ]);
    expect(await page.getByText('Remark 39 of default-moved.').isVisible()).toBe(false);
    const box = await page.locator('.entry').first().boundingBox();
    expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
    await folds.nth(1).locator('summary').click();
    expect(await folds.nth(1).getByRole('listitem').count()).toBe(40);
    expect(await page.getByText('Remark 39 of default-moved.').isVisible()).toBe(true);
    expect(await page.getByText('Remark 119 of not-comparable.').isVisible()).toBe(false);
  });

  it('are beside their change where they are about one, all of them and only there', async () => {
    const page = await openPlan();
    const entry = page.locator('.entry[data-address="NotificationTemplate/key_7/EMAIL/en"]');
    // Folded, it says that there is something inside.
    expect(await page.locator('.entry .risk').allInnerTexts()).toEqual(['2 warnings']);
    expect(await entry.locator('.risk').isVisible()).toBe(true);
    await entry.locator('summary').first().click();
    expect(await entry.locator('.notices li').allInnerTexts()).toEqual([
      expect.stringMatching(
        /^warning config\/seven\.yaml:4:10 The text uses \$dayz\. unknown-variable\s+Hint: Did you mean \$days\?$/,
      ),
      expect.stringMatching(/The secret of number seven\. not-comparable\s*$/),
    ]);
    for (const text of ['The text uses $dayz.', 'The secret of number seven.'])
      expect(await page.getByText(text).count(), text).toBe(1);
    expect(await page.locator('.entry .notices').count()).toBe(1);
  });

  it('say the same of several places once', async () => {
    const address = changes[0]?.address ?? '';
    const unknown = (line: number, message: string) =>
      remark('unknown-variable', message, { address, source: { file: 'a.yaml', line, column: 2 } });
    const said = [unknown(3, 'No $dayz.'), unknown(9, 'No $dayz.'), unknown(12, 'No $weekz.')];
    const page = await open(plan(changes.slice(0, 1), { diagnostics: said }));
    expect(await page.locator('.notices li').allInnerTexts()).toEqual([
      expect.stringContaining('a.yaml:3:2, a.yaml:9:2 No $dayz.'),
      expect.stringContaining('a.yaml:12:2 No $weekz.'),
    ]);
  });

  it('are found by the search, in a long report too', async () => {
    const body = 'x'.repeat(20_000);
    const long = changesOf(80).map((each) => ({
      ...each,
      requests: each.requests.map((request) => ({ ...request, body })),
    }));
    for (const shown of [changes, long]) {
      const page = await open(plan(shown, { diagnostics }));
      if (shown === long) await page.locator('html[data-unpacked]').waitFor();
      await page.getByLabel('Filter by text').fill('number seven');
      await page.getByText(`1 of ${shown.length}`, { exact: true }).waitFor();
    }
  });

  it('can be read by everybody, unfolded, light and dark', async () => {
    // A few of each are marked up as hundreds are.
    const few = plan(changes.slice(6, 9), { diagnostics: remarks(6) });
    const page = await open(few);
    await page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
  });

  it('are printed, folded or not', async () => {
    const page = await openPlan();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText('Remark 119 of not-comparable.').isVisible()).toBe(true);
    expect(await page.getByText('The text uses $dayz.').isVisible()).toBe(true);
  });
});
