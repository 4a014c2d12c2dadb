import { expect, it } from 'vitest';
import type { Diff, DiffObject, DiffSide } from '../../src/model/diff.ts';
import { describeInBrowser, expectReadable } from './browsing.ts';
import { textUpdate } from './fixtures.ts';

function object(address: string, more: Partial<DiffObject>): DiffObject {
  const [kind = '', ...key] = address.split('/');
  return { address, kind, key, in: 'both', source: null, diff: [], ...more };
}

const objects = [
  object(textUpdate.address, { diff: textUpdate.diff }),
  object('SimIntegration/Desk', {
    source: { file: 'config/desk.yaml', line: 3 },
    diff: [
      {
        path: '/cluster',
        op: 'replace',
        before: '!ref Cluster/va',
        after: '!ref Cluster/<b>va',
        sensitive: false,
      },
      { path: '/attributes/password', op: 'replace', before: null, after: null, sensitive: true },
    ],
  }),
  object('SenderAddress/a@acme.example', { in: 'first' }),
  object('SenderAddress/b@acme.example', { in: 'second' }),
];

function side(name: string): DiffSide {
  return { name, is: 'tenant', tenant: { identity: `https://acme-${name}.api.example.com`, profiles: '' } };
}

const diff: Diff = {
  formatVersion: 1,
  tool: { name: 'tenantctl', version: '0.1.0' },
  createdAt: '2025-03-01T10:00:00.000Z',
  sides: [side('test'), side('production')],
  scope: { only: [], except: [], kinds: [] },
  summary: { differing: 2, onlyFirst: 1, onlySecond: 1, equal: 40, notComparable: 1 },
  objects,
  notComparable: [{ address: 'SimIntegration/Desk', paths: ['/attributes/apiToken'] }],
  diagnostics: [
    {
      code: 'kind-left-out',
      severity: 'info',
      message: 'ProfileSearch is left out: the `profiles` service is missing in test.',
    },
  ],
};

describeInBrowser('the page of a diff in a browser', (open) => {
  it('has no violation and no scrolling to the side, light, dark and narrow, and filters what it shows', async () => {
    const page = await open({ is: 'diff', diff });
    await expectReadable(page, [
      ['dark', 1200],
      ['light', 380],
    ]);
    const shown = page.locator('.entry:visible');
    await expect.poll(() => shown.count()).toBe(4);
    expect(await page.locator('.fields tbody').last().innerText()).toMatch(
      /!ref Cluster\/<b>va"\s+attributes\/password\s+\(sensitive\)/,
    );
    await page.getByRole('button', { name: '1 only in production' }).click();
    await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringContaining('b@acme.example')]);
    await page.getByRole('button', { name: '1 only in production' }).click();
    await page.getByLabel('Filter by text').fill('portal');
    await expect.poll(() => shown.allInnerTexts()).toEqual([expect.stringContaining('work_item_summary')]);
  });
});
