import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { type Document, renderReport } from '../../src/report/index.ts';
import { describeInBrowser } from './browsing.ts';
import { change, difference, fleet, lockout, names, plan, render, senderDelete, update } from './fixtures.ts';

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
