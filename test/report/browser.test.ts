import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Document, formatsOf } from '../../src/report/report.ts';
import { violations } from '../support/browser.ts';
import { isThorough } from '../support/effort.ts';
import { describeInBrowser, type OpenOptions, side } from './browsing.ts';
import {
  change,
  difference,
  localesOf,
  plan,
  render,
  samplePlan,
  sampleResult,
  textUpdate,
  update,
} from './fixtures.ts';
import { evil, hostileDocuments } from './hostile.ts';

/** Changes of a long report. */
const many = isThorough ? 2000 : 400;

const subjects = Array.from({ length: 30 }, (_, index) =>
  update(
    `NotificationTemplate/k${index}/EMAIL/en`,
    difference('/subject', `${index} ACME portal`, `${index} Beta portal`),
  ),
);

/** A report of few changes that are so long that they are packed. */
const longReport: [Document, OpenOptions] = [
  { is: 'plan', plan: plan(subjects) },
  {
    rendered: Object.fromEntries(
      subjects.map(({ address }) => [
        address,
        { before: side(`<div style="height: 700px">Old</div>${' '.repeat(80_000)}`), after: side('New') },
      ]),
    ),
  },
];

describeInBrowser('the page in a browser', (open) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('<h1>outside</h1>');
  });
  beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
  afterAll(() => {
    server.close();
  });

  const shown = (page: Page): Promise<number> => page.locator('.entry:visible').count();

  it('filters by action, kind and text, and says how much is shown', async () => {
    const page = await open(samplePlan);
    await expect.poll(() => shown(page)).toBe(6);
    await page.getByRole('button', { name: '2 to create' }).click();
    await expect.poll(() => shown(page)).toBe(2);
    await page.getByRole('button', { name: '1 to delete' }).click();
    await page.getByLabel('Filter by kind').selectOption('SenderAddress');
    await expect.poll(() => shown(page)).toBe(2);
    await page.getByLabel('Filter by text').fill('HELP');
    await page.getByText('1 of 6').waitFor();
    await page.getByLabel('Filter by text').fill('nowhere');
    await page.getByText('Nothing matches the filter.').waitFor();
  });

  it('shows differences unified and side by side, with the equal lines on both sides', async () => {
    const page = await open(plan([textUpdate]));
    const greetings = page.locator('.diff .line:visible', { hasText: 'Hello $name' });
    await expect.poll(() => greetings.count()).toBe(1);
    await page.getByRole('button', { name: 'Side by side' }).click();
    await expect.poll(() => greetings.count()).toBe(2);
    expect(await page.locator('.new mark').allTextContents()).toContain(' to the portal');
  });

  it('shows what the revision declared: in a column, and of long texts what each side made of it', async () => {
    const lines = (word: string) => ['Hello', word, 'Bye', 'Team'].join('\n');
    const moved = update(
      'SimIntegration/a',
      { ...difference('/type', 'hand', 'mine'), origin: 'both', base: 'before' },
      difference('/name', 'a', 'b'),
      { ...difference('/body', lines('hand'), lines('mine')), origin: 'both', base: lines('before') },
    );
    const page = await open(plan([moved]), { browser: { viewport: { width: 390, height: 800 } } });
    const rows = page.locator('.fields tr');
    expect(await rows.first().locator('th').allTextContents()).toEqual([
      'Field',
      'Tenant',
      'Manifest',
      'Was declared',
    ]);
    expect(await rows.nth(1).locator('td').last().innerText()).toContain('"before"');
    // Stacked on a phone, without a line for what is not told.
    expect(await rows.nth(2).locator('td').last().isVisible()).toBe(false);
    await page.getByText('Compare both with what was declared').click();
    const figures = page.locator('.moves figure');
    const told = async (at: number) => (await figures.nth(at).locator('.old, .new').allTextContents()).sort();
    expect(await told(0)).toEqual(['2+hand', '2-before']);
    expect(await told(1)).toEqual(['2+mine', '2-before']);
  });

  it('has the columns of all entries below each other, whichever cells are empty', async () => {
    const warnings = ['Publish the records.'];
    const diff = [difference('/subject', 'a', 'b')];
    const cells = [{}, { warnings }, { diff }, { warnings, diff }];
    const changes = cells.map((more, at) => change({ address: `A/${at}`, action: 'create', ...more }));
    const page = await open(plan(changes));
    await expect.poll(() => shown(page)).toBe(cells.length);
    const boxes = (await page.locator('.entry .where').all()).map((cell) => cell.boundingBox());
    const lefts = (await Promise.all(boxes)).map((box) => box?.x);
    expect(lefts).toEqual(cells.map(() => expect.closeTo(lefts[0] ?? 0, 0)));
  });

  it('filters the steps by hand of a result, apart from what was not attempted', async () => {
    const page = await open(sampleResult);
    expect(await page.locator('.tile', { hasText: 'not attempted' }).innerText()).toContain('0');
    await page.getByRole('button', { name: '1 by hand' }).click();
    await expect.poll(() => shown(page)).toBe(1);
    expect(await page.locator('.entry:visible').innerText()).toContain('NotificationPreference');
  });

  it('expands with the keyboard and goes to the filter with a slash', async () => {
    const page = await open(sampleResult);
    const entry = page.locator('.entry', { hasText: 'SenderAddress/help' });
    await entry.locator('summary').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => entry.getAttribute('open')).not.toBeNull();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('text');
  });

  it('changes between dark and light', async () => {
    const page = await open(samplePlan);
    const colour = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.getByRole('button', { name: 'Dark' }).click();
    await expect.poll(colour).not.toBe(light);
  });

  it('runs nothing of a hostile tenant and asks nothing of the network', async () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const text = evil.replaceAll('PORT', String(port));
    const link = `<a id="l" href="http://127.0.0.1:${port}/link" style="position:fixed;inset:0">x</a>`;
    const refresh = `<meta http-equiv="refresh" content="0;url=http://127.0.0.1:${port}/refresh">`;
    const content = `${link}${refresh}<style>@import "http://127.0.0.1:${port}/css"</style><form action="http://127.0.0.1:${port}/form"><button>go</button></form>${text}`;
    const item = update('NotificationTemplate/x/EMAIL/en', difference('/body', '', text));
    const head = { subject: text, from: text, replyTo: text, preheader: text };
    const rendered = { [item.address]: { before: side(content), after: side(text, head) } };
    const documents: readonly [Document, OpenOptions][] = [
      [{ is: 'plan', plan: plan([item]) }, { rendered }],
      ...hostileDocuments(port).flatMap((document): [Document, OpenOptions][] =>
        document.is === 'diagnostics' ? [] : [[document, {}]],
      ),
    ];
    for (const [document, options] of documents) {
      const page = await open(document, options);
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      if (options.rendered) {
        // A frame outside the window draws nothing, so a click would wait for ever.
        await page.locator('iframe').first().scrollIntoViewIfNeeded();
        await page.frameLocator('iframe').first().locator('#l').click();
      }
      await page.getByLabel('Filter by text').fill('script');
      await page.locator('#count', { hasText: /\d of \d/ }).waitFor();
      expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
      expect(await page.locator('.entry img, .entry script, a[href^="javascript"]').count()).toBe(0);
      expect(page.url()).toMatch(/^file:/);
    }
    expect(asked).toEqual([]);
  });

  it('renders templates with their own styles', async () => {
    const rendered = {
      [textUpdate.address]: { before: null, after: side('<h1 style="height: 77px">Hi</h1>') },
    };
    const page = await open(plan([textUpdate]), { rendered });
    const heading = page.frameLocator('iframe').locator('h1');
    // What recipients see comes before its source, and that before the requests.
    const parts =
      '[...document.querySelectorAll(".rendered, .fields, .requests")].map((part) => part.className)';
    expect(await page.evaluate(parts)).toEqual(['rendered', 'fields', 'requests']);
    await page.locator('iframe').scrollIntoViewIfNeeded();
    await heading.waitFor();
    expect(await heading.evaluate('document.querySelector("h1").clientHeight')).toBe(77);
  });

  it('gives JUnit that parses as XML', async () => {
    const page = await open(samplePlan);
    const documents = [...hostileDocuments(), { is: 'plan', plan: samplePlan } as const];
    for (const document of documents.filter(({ is }) => formatsOf(is).includes('junit'))) {
      const xml = JSON.stringify(render(document, 'junit'));
      const parsed = `new DOMParser().parseFromString(${xml}, 'application/xml')`;
      expect(await page.evaluate(`${parsed}.querySelector('parsererror')?.textContent ?? ''`)).toBe('');
      expect(await page.evaluate(`${parsed}.documentElement.nodeName`)).toBe('testsuites');
    }
  });

  it(`finds, opens and renders one of ${many} long changes, in less than 3 KB each`, async () => {
    const line = (index: number, at: number) =>
      `<p>Paragraph ${at} of ${index}, ${(index * 7919 + at * 104729) % 99991}</p>`;
    const mail = (index: number, end: string) =>
      `${Array.from({ length: 60 }, (_, at) => line(index, at)).join('\n')}\n<p>${end}</p>\n`;
    const changes = Array.from({ length: many }, (_, index) => ({
      ...textUpdate,
      address: `NotificationTemplate/key_${index}/EMAIL/en`,
      diff: [difference('/body', mail(index, 'old'), mail(index, `new-${index}-end`))],
      requests: textUpdate.requests.map((request) => ({ ...request, body: { body: mail(index, 'sent') } })),
    }));
    const rendered = Object.fromEntries(
      changes.map(({ address }, index) => [
        address,
        { before: side(mail(index, 'old')), after: side(mail(index, `new-${index}-end`)) },
      ]),
    );
    const page = await open(plan(changes), { rendered });
    expect(statSync(new URL(page.url())).size).toBeLessThan(3000 * many);
    await page.locator('html[data-searchable]').waitFor();
    await page.fill('#text', `new-${many - 1}-end`);
    await page.locator('#count', { hasText: `1 of ${many}` }).waitFor();
    await page.locator('.entry:visible summary').first().click();
    await page
      .frameLocator('iframe')
      .last()
      .getByText(`new-${many - 1}-end`)
      .waitFor();
    expect(await page.locator('iframe').count()).toBe(2);
    await page.fill('#text', 'sent');
    await page.getByText('Nothing matches the filter.').waitFor();
  });

  it('keeps filters, view and the open change over a reload, and links to each change', async () => {
    const page = await open(samplePlan);
    await page.getByRole('button', { name: '1 lock-out' }).click();
    await expect.poll(() => shown(page)).toBe(1);
    await page.getByRole('button', { name: 'Side by side' }).click();
    await page.reload();
    await expect.poll(() => shown(page)).toBe(1);
    expect(await page.getByRole('button', { name: 'Side by side' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await page.locator('.first a', { hasText: 'old@acme.example' }).click();
    await expect.poll(() => shown(page)).toBe(6);
    await page.reload();
    const focused = 'document.activeElement.closest(".entry")?.dataset.address';
    await expect.poll(() => page.evaluate(focused)).toBe('SenderAddress/old%40acme.example');
  });

  it('keeps a linked change in sight while others open above it, also over a reload, until the reader moves on', async () => {
    const page = await open(...longReport);
    const url = page.url();
    await page.goto('about:blank');
    await page.goto(`${url}#change/NotificationTemplate/k1/EMAIL/en`);
    const topOf = (key: string) =>
      page
        .locator(`[data-address="NotificationTemplate/${key}/EMAIL/en"]`)
        .evaluate((entry) => Math.abs(entry.getBoundingClientRect().top));
    await expect.poll(() => topOf('k1')).toBeLessThan(150);
    await page.frameLocator('iframe').first().getByText('Old').waitFor();
    await page.locator('html[data-unpacked]').waitFor();
    await expect.poll(() => topOf('k1')).toBeLessThan(150);
    await page.reload();
    await expect.poll(() => topOf('k1')).toBeLessThan(150);
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 1500);
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.frameLocator('iframe').nth(2).getByText('Old').waitFor();
    expect(await topOf('k1')).toBeGreaterThan(150);
  });

  it('needs one key for each of 63 changes, opens the next one after each tick, and tells the keys', async () => {
    const many = Array.from({ length: 63 }, (_, at) =>
      update(`SimIntegration/s%20${at}`, difference('/description', `Old ${at}`, `New ${at + 1}`)),
    );
    const page = await open(plan(many));
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('tick it off, and go to the next').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 of 63 reviewed').waitFor();
    expect(await page.locator('.entry[open]').getAttribute('data-address')).toBe('SimIntegration/s%201');
    for (let at = 1; at < 63; at += 1) await page.keyboard.press('x');
    await page.getByText('63 of 63 reviewed').waitFor();
    expect(await page.locator('.entry[open]').count()).toBe(0);
    // Taking a tick back goes nowhere.
    await page.keyboard.press('x');
    await page.getByText('62 of 63 reviewed').waitFor();
    await page.locator('.tick').first().click();
    await page.getByText('61 of 63 reviewed').waitFor();
    expect(await page.locator('.entry[open]').count()).toBe(0);
    await page.locator('.tick').first().click();
    await page.getByText('62 of 63 reviewed').waitFor();
    expect(await page.locator('.entry[open]').getAttribute('data-address')).toBe('SimIntegration/s%2062');
  });

  it('goes through the changes by key, ticks them off, and keeps the ticks', async () => {
    const page = await open(samplePlan);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText(/^1 of \d+ reviewed/).waitFor();
    await page.reload();
    await page.getByText(/^1 of \d+ reviewed/).waitFor();
    expect(await page.locator('.entry.reviewed').getAttribute('data-address')).toBe(
      'SenderAddress/old%40acme.example',
    );
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText(/^1 of \d+ reviewed/).waitFor({ state: 'hidden' });
  });

  it('shows the same replacement once, finds each of its objects, and ticks all of them off together', async () => {
    const page = await open(plan(localesOf(['de', 'en', 'fr'])));
    await expect.poll(() => shown(page)).toBe(1);
    await page.getByText('the same in 3 objects').waitFor();
    expect(await page.locator('.fields mark:visible').allTextContents()).toEqual(['ACME', 'Beta']);
    await page.getByLabel('Reviewed').first().check();
    await page.getByText('3 of 3 reviewed').waitFor();
    await page.fill('#text', 'email/fr beta');
    await page.getByText('1 of 3', { exact: true }).waitFor();
    await page.locator('.entry:visible', { hasText: 'fr' }).last().waitFor();
  });

  it('shows a mail whole, whatever its width and its style', async () => {
    const wide =
      '<style>p, header, strong { display: none !important }</style><table width="640"><tr><td style="height: 900px">Wide</td></tr></table><div style="position: fixed; inset: 0; background: red">over</div>';
    const rendered = { [textUpdate.address]: { before: side('<h2>Old</h2>'), after: side(wide) } };
    const page = await open(plan([textUpdate]), { rendered });
    const frame = page.locator('.frame').last();
    await page.getByText(/^6[45]\d px, wider than 600 px, shown at \d+ %$/).waitFor();
    const size = await frame
      .locator('iframe')
      .contentFrame()
      .locator('html')
      .evaluate(
        '((root) => [root.scrollWidth - root.clientWidth, root.scrollHeight - root.clientHeight])(document.documentElement)',
      );
    expect(size).toEqual([0, 0]);
    const inbox = page.locator('.inbox').last();
    expect(await inbox.locator('strong').innerText()).toBe('Hi');
    const [head, box] = [await inbox.boundingBox(), await frame.boundingBox()];
    expect((head?.y ?? 0) + (head?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + 1);
    await page.getByRole('button', { name: '375 px' }).click();
    await page.getByText(/^6[45]\d px, wider than 375 px/).waitFor();
  });

  it('prints every change with its details', async () => {
    const page = await open(
      plan([
        ...samplePlan.changes,
        ...samplePlan.changes.map((item) => ({ ...item, address: `${item.address}x` })),
      ]),
    );
    expect(await page.locator('.entry[open]').count()).toBe(0);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    // What is the same in other objects is printed once, with their names.
    await expect.poll(() => page.locator('.group > .entry[open]').count()).toBe(9);
    expect(await page.locator('.members .entry summary:visible').count()).toBe(3);
    expect(await page.locator('.members .entry[open]').count()).toBe(0);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('.entry[open], .members[open]').count()).toBe(0);
  });
});
