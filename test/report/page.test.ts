import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Diff, DiffObject, DiffSide, Plan } from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Document } from '../../src/report/report.ts';
import { renderReport } from '../../src/report/writers.ts';
import { violations } from '../support/browser.ts';
import { describeInBrowser, expectReadable } from './browsing.ts';
import {
  change,
  difference,
  fleet,
  lockout,
  names,
  plan,
  render,
  senderDelete,
  textUpdate,
  update,
} from './fixtures.ts';

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
    const page = await open(plan(changes.slice(6, 9), { diagnostics: remarks(6) }));
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

describeInBrowser('the page of a diff in a browser', (open) =>
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
  }),
);

const manual = change({
  address: 'NotificationPreference/approvals',
  action: 'manual',
  diff: [difference('/mediums', ['EMAIL'], ['EMAIL', 'SLACK'])],
  warnings: ['Set the mediums of approvals by hand.'],
});

/** Each with a replacement of its own, so that none is folded into another. */
const harmless = Array.from({ length: 897 }, (_, at) =>
  update(`NotificationTemplate/key_${at}/EMAIL/en`, difference('/subject', `Old ${at}`, `New ${at + 1}`)),
);

/** What is grave stands among what is not, and at both ends. */
const nineHundred: Plan = plan(
  [
    harmless.slice(0, 300),
    lockout,
    harmless.slice(300, 600),
    manual,
    harmless.slice(600),
    senderDelete,
  ].flat(),
);
const manyTenants = fleet(names(40), (name) =>
  name === 'tenant-33' ? nineHundred.changes : harmless.slice(0, 5),
);
const documents: readonly (readonly [string, Document])[] = [
  ['a plan', { is: 'plan', plan: nineHundred }],
  ['40 plans', { is: 'fleet', fleet: manyTenants }],
];

/** What every form says first. */
const grave = [
  ['HIGH', '1 lock-out', 'AuthProfile/Employees', 'offNetwork: false → true'],
  ['HIGH', '1 delete', 'SenderAddress/old@acme.example', 'is removed from the tenant'],
  ['MEDIUM', '1 step by hand', 'NotificationPreference/approvals', 'Set the mediums of approvals by hand.'],
] as const;

describe.each(documents)('of 900 changes in %s, the three that matter', (_what, document) => {
  const where = document.is === 'fleet' ? ' in tenant-33' : '';

  it('are among the last 40 lines in a terminal', () => {
    const text = renderReport(document, 'text', { colour: false, width: 120 });
    const screen = text.trimEnd().split('\n').slice(-40);
    for (const [level, words, address, consequence] of grave) {
      const line = [level, words, `${address}${where} · ${consequence}`].join(' +');
      expect(screen.join('\n').replace(/\n {10,}/g, ' ')).toMatch(new RegExp(line.replaceAll('.', '\\.')));
    }
    expect(Math.max(...screen.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  it('are among the first 60 lines of a comment that GitHub accepts, and whole in it', () => {
    const text = render(document, 'markdown');
    expect(text.length).toBeLessThanOrEqual(65_536);
    const screen = text.split('\n').slice(0, 60).join('\n');
    const titles = text.match(/^<details><summary>.*/gm) ?? [];
    expect(screen).toContain(
      '**Read this first**\n\n| severity | what | objects | consequence |\n| --- | --- | --- | --- |\n',
    );
    const signs = { HIGH: '🔴', MEDIUM: '🟠' };
    for (const [at, [level, words, address, consequence]] of grave.entries()) {
      expect(screen).toContain(
        `| ${signs[level]} ${level.toLowerCase()} | **${words}** | \`${address}\`${where} | ${consequence} |`,
      );
      expect(document.is === 'plan' ? titles[at] : titles.join('\n')).toContain(address);
    }
    expect(text).toMatch(/- Not shown: \d+ NotificationTemplate, to update[.;]/);
  });
});

describeInBrowser('of 900 changes in a browser, the three that matter', (open) => {
  it.each(documents)('are on the first screen of %s, large and small', async (_what, document) => {
    const page = await open(document, { browser: { viewport: { width: 1280, height: 800 } } });
    expect(await inSight(page)).toEqual(grave.map(([, words]) => words));
    // At its usual place, the line below a link hides the underscores of an address.
    const offset = 'getComputedStyle(document.querySelector(".first a")).textUnderlineOffset';
    expect(await page.evaluate(offset)).not.toBe('auto');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await inSight(page)).toEqual(grave.map(([, words]) => words));
  });
});

/** Which of the three are wholly in sight, with the link to the change. */
async function inSight(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const seen: string[] = [];
  for (const [, words] of grave) {
    const point = page.locator('.first > ul > li', { hasText: words });
    const box = await point.getByRole('link').boundingBox();
    const isInside = box !== null && box.y + box.height <= size.height && box.x + box.width <= size.width;
    if (isInside) seen.push(await point.getByRole('button').innerText());
  }
  return seen;
}

describeInBrowser('of 50 tenants with a lock-out in each tenth', (open) => {
  const lockedOut = names(50).filter((name) => name.endsWith('3'));
  const fifty = fleet(names(50), (name) => [
    ...harmless.slice(0, 3),
    ...(lockedOut.includes(name) ? [lockout] : []),
  ]);
  const document: Document = { is: 'fleet', fleet: fifty };
  const [tenants, consequence] = [lockedOut.join(', '), 'offNetwork: false → true'];

  it('the first screen names the tenants and the consequence', async () => {
    const page = await open(document, { browser: { viewport: { width: 1280, height: 800 } } });
    const point = page.locator('.first > ul > li', { hasText: '5 lock-outs' });
    expect(await point.innerText()).toContain(tenants);
    expect(await point.innerText()).toContain(consequence);
    const box = await point.boundingBox();
    expect(box && box.y + box.height).toBeLessThanOrEqual(800);
  });
});
