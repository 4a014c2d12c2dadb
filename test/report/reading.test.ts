import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { RenderedSide } from '../../src/report/page.ts';
import { violations } from '../support/browser.ts';
import { describeInBrowser, marked, side } from './browsing.ts';
import {
  change,
  difference,
  digest,
  plan,
  samplePlan,
  sampleResult,
  textUpdate,
  update,
} from './fixtures.ts';

/** Keeps what the page copies, since a browser without windows has no clipboard. */
const recordCopies =
  'Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { globalThis.copied = text; } } })';

describeInBrowser('what a reader does with the page', (open) => {
  const numbered = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const longText = update(
    'NotificationTemplate/long/EMAIL/en',
    difference('/body', numbered.join('\n'), numbered.with(1, 'a new second').with(27, 'other').join('\n')),
  );

  it('shows the equal lines between changes when they are asked for, and does not search them', async () => {
    const page = await open(plan([longText]));
    expect(await page.getByText('line 15').isVisible()).toBe(false);
    await page.getByText('19 equal lines (6 to 24)').click();
    expect(await page.locator('.gap:visible pre:visible').innerText()).toMatch(/^line 6\n.*\nline 24$/s);
    await page.getByLabel('Filter by text').fill('line 15');
    await page.getByText('Nothing matches the filter.').waitFor();
  });

  it('folds from four equal lines on', async () => {
    const gapsOf = async (length: number) => {
      const lines = numbered.slice(0, length + 8);
      const after = lines.with(0, 'first').with(-1, 'last').join('\n');
      const diff = [difference('/body', lines.join('\n'), after)];
      const page = await open(plan([{ ...longText, diff }]));
      return await page.locator('.gap:visible, .line:visible').count();
    };
    expect(await gapsOf(3)).toBe(3 + 6 + 4);
    expect(await gapsOf(4)).toBe(1 + 6 + 4);
  });

  it('copies the digest, the command, an address and a link', async () => {
    const shown = plan([{ ...longText, requests: textUpdate.requests }]);
    const page = await open(shown, { applyWith: ['plan.json'] });
    await page.evaluate(recordCopies);
    expect(await copy(page, 'Copy the digest')).toBe(digest);
    expect(await copy(page, 'Copy the command')).toBe(`tenantctl apply plan.json --expect ${digest}`);
    expect(await copy(page, 'Copy address')).toBe(longText.address);
    const link = new URL(`#change/${longText.address}`, page.url());
    expect(await copy(page, 'Copy link')).toBe(link.href);
  });

  it('goes back to the entry before, and to the filter from a box that was ticked', async () => {
    const page = await open(samplePlan);
    const focused = 'document.activeElement.closest(".entry")?.dataset.address';
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
    await page.keyboard.press('Alt+k');
    expect(await page.evaluate(focused)).toBe('SenderAddress/help%40acme.example');
    await page.keyboard.press('k');
    expect(await page.evaluate(focused)).toBe('SenderAddress/old%40acme.example');
    for (const key of ['k', 'k']) await page.keyboard.press(key);
    expect(await page.evaluate(focused)).toBe('AuthProfile/Employees');
    await page.getByLabel('Reviewed').first().check();
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('text');
  });

  it.each([
    ['in a browser without scripts', { javaScriptEnabled: false }, ''],
    ['on a site that allows none', {}, "script-src 'none'"],
  ])('says before a long list that its details need the script %s', async (_where, browser, policy) => {
    const long = Array.from({ length: 800 }, (_, at) =>
      change({
        address: `A/${at}`,
        action: 'create',
        diff: numbered.map((line) =>
          difference(`/${line}`, `${line} ${'old '.repeat(12)}${at}`, `${at} new`),
        ),
      }),
    );
    const page = await open(plan(long), { browser });
    const html = readFileSync(new URL(page.url()), 'utf8');
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
    await page.route('http://127.0.0.1/report', (route) => route.fulfill({ body: html, headers }));
    await page.goto('http://127.0.0.1/report');
    const alarm = page.getByText('its details need the script of this page');
    await expect.poll(async () => (await alarm.boundingBox())?.height).toBeGreaterThan(20);
    const note = await alarm.boundingBox();
    const list = await page.locator('#entries').boundingBox();
    expect(note?.y).toBeLessThan(list?.y ?? 0);
  });

  it('marks what a search finds, counts it in each group, and keeps it over a reload', async () => {
    const page = await open(samplePlan);
    await page.getByLabel('Filter by text').fill('help');
    await page.getByText(/^1 of 6$/).waitFor();
    const marked = '[...CSS.highlights.get("hit")].map(String)';
    const hits = async () => new Set(await page.evaluate<string[]>(marked));
    await expect.poll(hits).toEqual(new Set(['help']));
    const counts = page.locator('.group:visible .shown');
    await expect.poll(() => counts.allInnerTexts()).toEqual(['1 of 2 shown']);
    await page.reload();
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('help');
    await page.getByText(/^1 of 6$/).waitFor();
  });

  it('shows an e-mail dark and without images, and goes from one changed passage to the next', async () => {
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    const mail = (words: string, end: string) =>
      side(
        `<style>p { color: rgb(1, 1, 1) } @media (prefers-color-scheme: dark) { p { color: rgb(250, 250, 250) } }</style><img src="${pixel}" alt="Logo"><p>Hello</p><p>${words}</p><p style="margin-top: 5000px">End ${end}</p>`,
      );
    const rendered = { [textUpdate.address]: { before: mail('old', 'was'), after: mail('new', 'is') } };
    const applyWith = ['plan.json'];
    const page = await open(plan([textUpdate]), { rendered, applyWith });
    const [before, after] = [0, 1].map((at) => page.locator('iframe').nth(at).contentFrame());
    const colour = () =>
      after?.locator('html').evaluate('getComputedStyle(document.querySelector("p")).color');
    await expect.poll(colour).toBe('rgb(1, 1, 1)');
    await page.getByRole('group', { name: 'Look of the e-mail' }).getByText('Dark').click();
    await expect.poll(colour).toBe('rgb(250, 250, 250)');
    await page.getByRole('button', { name: 'No images' }).click();
    await expect.poll(() => after?.locator('img[src]').count()).toBe(0);
    await page.getByRole('button', { name: 'No images' }).click();
    await expect.poll(() => after?.locator('img[src]').count()).toBe(1);
    const step = async (which: 'Next' | 'Previous', ...found: string[]) => {
      await page.getByRole('button', { name: `${which} change` }).click();
      await expect.poll(() => marked(page, 'current')).toEqual(found.map((word) => [word]));
      // Pictures that arrive late, on either side, do not lose the reader's place.
      await page.evaluate(
        'document.querySelectorAll("iframe").forEach((f) => f.dispatchEvent(new Event("load")))',
      );
      expect(await marked(page, 'current')).toEqual(found.map((word) => [word]));
    };
    await step('Next', 'old', 'new');
    await step('Next', 'was', 'is');
    await step('Previous', 'old', 'new');
    await step('Previous', 'was', 'is');
    await expect.poll(() => before?.locator('html').evaluate('scrollY')).toBeGreaterThan(0);
    const fromMiddle = `(() => {
      const frame = document.querySelectorAll('iframe')[1];
      const range = frame.contentDocument.querySelector('x-mark[data-is="current"]');
      const { top, width } = frame.getBoundingClientRect();
      return top + (range.getBoundingClientRect().top * width) / frame.offsetWidth - innerHeight / 2;
    })()`;
    await expect.poll(async () => Math.abs(Number(await page.evaluate(fromMiddle)))).toBeLessThan(200);
  });

  it('marks a sentence of an e-mail that changed, though what an inbox shows of it repeats the old one', async () => {
    const mail = (preheader: string, words: string) =>
      side(
        `<div style="display: none">${preheader}</div><div style="max-height: 0; overflow: hidden">${preheader}</div><p>Hello</p><p>${words}</p><p>Bye</p>`,
      );
    const shown = async (before: RenderedSide, after: RenderedSide) => {
      const rendered = { [textUpdate.address]: { before, after } };
      return open(plan([textUpdate]), { rendered });
    };
    // Words that the other side does not have are marked, and their place there.
    const same = await shown(mail('Sign in.', 'Sign in.'), mail('Sign in.', 'Sign in now.'));
    await expect.poll(() => marked(same, 'words')).toEqual([[], ['now']]);
    expect(await marked(same, 'place')).toEqual([[''], []]);
    expect(await same.locator('.unshown mark').count()).toBe(0);
    await same.close();
    const hidden = await shown(mail('Old.', 'Sign in.'), mail('Sign in.', 'Sign in now.'));
    await expect.poll(() => marked(hidden, 'words')).toEqual([[], ['now']]);
    // What nobody sees is told apart, and is nothing to go to.
    expect(await hidden.locator('.unshown').allInnerTexts()).toEqual([
      'Hidden text: Old. Old.',
      'Hidden text: Sign in. Sign in.',
    ]);
    expect(await hidden.locator('.unshown mark').allInnerTexts()).toEqual([
      ...['Old.', 'Old.'],
      ...['Sign in.', 'Sign in.'],
    ]);
    await hidden.locator('.entry summary').first().focus();
    for (const key of ['n', 'n', 'p']) {
      await hidden.keyboard.press(key);
      await expect.poll(() => marked(hidden, 'current')).toEqual([[''], ['now']]);
    }
    await hidden.close();
  });

  it.each(['#ffffff', '#c2410c', '#111111'])(
    'marks changed words so that they are seen on %s',
    async (ground) => {
      const mail = (words: string) =>
        side(
          `<style>* { display: block !important; outline: 0 !important }</style><body style="background: ${ground}; color: #888"><p>${words}</p></body>`,
        );
      const rendered = {
        [textUpdate.address]: { before: mail('the old sentence'), after: mail('the new sentence') },
      };
      const page = await open(plan([textUpdate]), { rendered });
      await expect.poll(() => marked(page, 'words')).toEqual([['old'], ['new']]);
      const passage = page.locator('iframe').last().contentFrame().locator('body');
      const picture = await passage.screenshot();
      await passage.evaluate('document.querySelector("x-marks").remove()');
      expect(await differingPixels(page, [picture, await passage.screenshot()])).toBeGreaterThan(30);
    },
  );

  it('tells what looks different where the words are the same, and goes there', async () => {
    const mail = (colour: string, link: string) =>
      side(
        `<html lang="en"><title>Mail</title><table><tr><td style="background: ${colour}"><p style="color: white">ACME</p><p style="color: white">Portal</p></td></tr><tr><td style="background: ${colour}"><a style="color: white" href="${link}">Sign in</a></td></tr></table>`,
      );
    const rendered = {
      [textUpdate.address]: {
        before: mail('#0b539b', 'https://a.example'),
        after: mail('#7a1fa2', 'https://b.example'),
      },
    };
    const page = await open(plan([textUpdate]), { rendered });
    await expect
      .poll(() => page.locator('.styles li').allInnerTexts())
      .toEqual([
        'Looks different: background-color rgb(11, 83, 155) → rgb(122, 31, 162) (“ACME”, “Sign in”)',
        'Looks different: link https://a.example → https://b.example (“Sign in”)',
      ]);
    await page.locator('.entry summary').first().focus();
    await page.keyboard.press('n');
    await expect
      .poll(() => marked(page, 'current'))
      .toEqual([
        ['ACME', 'Sign'],
        ['ACME', 'Sign'],
      ]);
    await page.keyboard.press('n');
    await expect.poll(() => marked(page, 'current')).toEqual([['Sign'], ['Sign']]);
    expect(await violations(page)).toEqual([]);
  });

  it('stacks values on a phone, shows e-mails as wide as there, scrolls in one direction, and keeps the progress in sight', async () => {
    const wide = 'word'.repeat(60);
    const item = { ...textUpdate, diff: [difference('/subject', `Old ${wide}`.slice(0, 70), 'New')] };
    const words = side('<html lang="en"><title>Mail</title><p>Hello</p>');
    const rendered = { [item.address]: { before: words, after: words } };
    const options = {
      rendered,
      applyWith: ['plan.json'],
      browser: { viewport: { width: 390, height: 800 } },
    };
    const page = await open(plan([item, longText]), options);
    const [before, after] = await page.locator('.fields td').all();
    const [one, other] = [await before?.boundingBox(), await after?.boundingBox()];
    expect(other?.y).toBeGreaterThanOrEqual((one?.y ?? 0) + (one?.height ?? 0));
    await page.locator('iframe').first().scrollIntoViewIfNeeded();
    await expect
      .poll(() => page.locator('iframe').first().contentFrame().locator('html').evaluate('innerWidth'))
      .toBe(375);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    for (const seen of ['Copy apply', '0 of 2 reviewed'])
      expect((await page.getByText(seen).boundingBox())?.y, seen).toBeLessThan(800);
    expect(await violations(page)).toEqual([]);
  });

  it('says what it shows: a plan, the rollback of an apply, a result', async () => {
    const undoes = { startedAt: '2026-05-04T03:02:01.000Z', planDigest: digest };
    const rollback = plan([longText], { undoes });
    const titles: string[] = [];
    for (const document of [
      { is: 'plan', plan: samplePlan },
      { is: 'plan', plan: rollback },
      { is: 'result', result: sampleResult },
    ] as const) {
      const page = await open(document);
      titles.push(await page.title());
    }
    expect(titles).toEqual([
      'tenantctl plan: production',
      'Rollback of the apply of 2026-05-04T03:02:01.000Z: production',
      'tenantctl apply: production',
    ]);
  });
});

/** Counts the pixels that clearly differ between two pictures of one size. */
function differingPixels(page: Page, pictures: readonly [Buffer, Buffer]): Promise<number> {
  const urls = pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
  return page.evaluate<number>(`(async () => {
    const read = async (url) => {
      const image = Object.assign(new Image(), { src: url });
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height).data;
    };
    const [a, b] = await Promise.all(${JSON.stringify(urls)}.map(read));
    return a.reduce((sum, value, at) => sum + (at % 4 === 1 && Math.abs(value - b[at]) > 60 ? 1 : 0), 0);
  })()`);
}

/** Presses a button that copies, and returns what it copied. */
async function copy(page: Page, name: string): Promise<string> {
  await page.evaluate('globalThis.copied = null');
  await page.getByRole('button', { name }).click();
  return (await page.waitForFunction<string>('globalThis.copied')).jsonValue();
}
