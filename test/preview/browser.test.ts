import { createServer as createTcpServer, type Server } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Preview } from '../../src/preview/server.ts';
import type { Snapshot } from '../../src/preview/templates.ts';
import { Renderer } from '../../src/render/renderer.ts';
import { executablePath, launch, violations } from '../support/browser.ts';
import { snapshot, template } from './support.ts';

const mail = template({
  before: { subject: 'Old', body: '<h1>Hello ${user.name}</h1>' },
  after: { subject: 'New for $user.name', body: '<h1 style="width: 100%">Dear ${user.name}</h1>' },
});
const german = template({ locale: 'de', after: { subject: 'Neu', body: 'Hallo' } });
const slack = template({ key: 'other', medium: 'SLACK', after: { slackTemplate: { text: '*bold* $days' } } });

interface VisitOptions {
  readonly address?: string;
  readonly width?: number;
  readonly dark?: boolean;
  /** The most that a template may take. */
  readonly milliseconds?: number;
}

describe.skipIf(executablePath === undefined)('the page', () => {
  let browser: Browser;
  let outside: Server;
  let connections = 0;
  let port = 0;
  let open: Preview | undefined;

  beforeAll(async () => {
    browser = await launch();
    outside = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((listening) => outside.listen(0, '127.0.0.1', listening));
    const address = outside.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await open?.close();
  });
  afterAll(async () => {
    await browser?.close();
    outside?.close();
  });

  async function visit(shown: Snapshot, options: VisitOptions = {}) {
    const renderer = new Renderer({ milliseconds: options.milliseconds ?? 20_000, megabytes: 64 });
    open = await new Preview(shown, (text) => text, renderer).start(0);
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1400, height: 900 },
      colorScheme: options.dark ? 'dark' : 'light',
    });
    const page = await context.newPage();
    const hash = options.address === undefined ? '' : `#${encodeURIComponent(options.address)}`;
    await page.goto(`${open.url}${hash}`);
    await page.getByText('Live', { exact: true }).waitFor();
    return { page, preview: open };
  }

  const sideOf = (side: 'Before' | 'After') => `figure:${side === 'Before' ? 'first' : 'last'}-child iframe`;
  const inFrame = (page: Page, side: 'Before' | 'After') => page.frameLocator(sideOf(side)).locator('body');

  it('lists templates by key, medium and locale, and shows both sides of one', async () => {
    const { page } = await visit(snapshot([mail, german, slack]));
    expect(await page.locator('#list a').allInnerTexts()).toEqual([
      expect.stringMatching(/E-mail\s+en\s+changed/),
      expect.stringMatching(/E-mail\s+de/),
      expect.stringMatching(/Slack\s+en/),
    ]);
    await inFrame(page, 'Before').getByText('Hello Ann Example').waitFor();
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
    await page.locator('.inbox ins').getByText('New for Ann Example').waitFor();
  });

  it('shows e-mail as wide as in a mail program or on a phone', async () => {
    const { page } = await visit(snapshot([mail]), { width: 900 });
    const width = () =>
      page.frameLocator(sideOf('After')).locator('html').evaluate('document.documentElement.clientWidth');
    await inFrame(page, 'After').waitFor();
    await expect.poll(width).toBe(600);
    await page.getByRole('button', { name: '375 px' }).click();
    await expect.poll(width).toBe(375);
  });

  it('keeps its place, filters and one side over a reload, with frames as high as the mail', async () => {
    const body = (words: string) => `<p style="height: 3000px">Long</p><p>${words}</p>`;
    const long = template({ before: { body: body('old') }, after: { subject: '', body: body('new') } });
    const { page } = await visit(snapshot([german, { ...long, key: 'long', address: 'long' }]));
    await page.getByLabel('Changed only').check();
    await expect.poll(() => page.locator('#list a').count()).toBe(1);
    await page.locator('#list a').click();
    await inFrame(page, 'After').getByText('new').waitFor();
    const height = () => page.locator(sideOf('After')).evaluate('document.documentElement.scrollHeight');
    await expect.poll(height).toBeGreaterThan(3000);
    await page.evaluate('scrollTo(0, 700)');
    await page.reload();
    await inFrame(page, 'After').getByText('new').waitFor();
    await expect.poll(() => page.evaluate('scrollY')).toBe(700);
    await expect.poll(() => page.locator('#list a').count()).toBe(1);
    await page.getByRole('button', { name: 'After', exact: true }).click();
    await expect.poll(() => page.locator('iframe:visible').count()).toBe(1);
    await page.locator('.subject.missing', { hasText: 'No subject' }).last().waitFor();
    const colour = `getComputedStyle(document.querySelector('figure:last-child .subject.missing')).color`;
    expect(await page.evaluate(colour)).toBe('rgb(161, 22, 13)');
    const link = page.getByRole('link', { name: 'config/all.yaml:3' });
    expect(await link.getAttribute('href')).toBe('vscode://file/project/config/all.yaml:3:1');
  });

  it('goes to another template by link, keyboard and filter', async () => {
    const { page } = await visit(snapshot([mail, german, slack]));
    await page.keyboard.press('/');
    await page.keyboard.type('slack');
    await expect.poll(() => page.locator('#list a').count()).toBe(1);
    // First comes "Changed only".
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await inFrame(page, 'After').locator('strong', { hasText: 'bold' }).waitFor();
    expect(page.url()).toContain('SLACK');
    expect(await page.locator('h1').innerText()).toBe('other');
    expect(await page.evaluate('document.activeElement.dataset.address')).toBe(slack.address);
  });

  it('opens with a link that was cut inside an escape', async () => {
    const { page, preview } = await visit(snapshot([mail]));
    await page.goto(`${preview.url}#NotificationTemplate%2`);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('renders again with the context that is typed in', async () => {
    const { page } = await visit(snapshot([mail]));
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
    await page.getByText('sample values', { exact: true }).click();
    await page.getByLabel('Context as JSON').fill('{"user": {"name": "Zoe <b>"}}');
    await inFrame(page, 'After').getByText('Dear Zoe').waitFor();
    await page.getByLabel('Context as JSON').fill('[1]');
    await page.getByRole('alert').getByText('JSON object').waitFor();
    await page.getByRole('button', { name: 'Use sample values' }).click();
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
  });

  it('follows a change without being loaded again, and keeps the typed context', async () => {
    const { page, preview } = await visit(snapshot([mail]));
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
    await page.getByText('sample values', { exact: true }).click();
    await page.getByLabel('Context as JSON').fill('{"user": {"name": "Zoe"}}');
    await inFrame(page, 'After').getByText('Dear Zoe').waitFor();
    // The last values count until the text is JSON again.
    await page.getByLabel('Context as JSON').fill('{');
    await page.getByRole('alert').getByText('JSON').waitFor();
    preview.show(snapshot([template({ after: { body: 'Good day, ${user.name}' } }), german]));
    await inFrame(page, 'After').getByText('Good day, Zoe').waitFor();
    await expect.poll(() => page.locator('#list a').count()).toBe(2);
  });

  it('leaves the connections of a browser to the tabs that are seen, and follows again when it is seen', async () => {
    const { page, preview } = await visit(snapshot([mail]));
    const hide = (tab: Page, isHidden: boolean) =>
      tab.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await hide(page, true);
    for (const _ of Array.from({ length: 6 })) {
      const other = await page.context().newPage();
      await other.goto(preview.url);
      await inFrame(other, 'After').getByText('Dear Ann Example').waitFor();
      await hide(other, true);
    }
    preview.show(snapshot([mail, german]));
    expect(await page.locator('#list a').count()).toBe(1);
    await hide(page, false);
    await expect.poll(() => page.locator('#list a').count()).toBe(2);
    preview.show(snapshot([mail]));
    await expect.poll(() => page.locator('#list a').count()).toBe(1);
  });

  it('lets an e-mail neither change its texts nor cut them off', async () => {
    const body = `<style>html, body { height: 100%; overflow: hidden }</style><p>Your target = 95 %</p>${'<p>line</p>'.repeat(40)}<p>the end</p>`;
    const { page } = await visit(snapshot([template({ after: { subject: 'Hi', body } })]));
    await inFrame(page, 'After').getByText('Your target = 95 %').waitFor();
    const below = `document.querySelector('p:last-child').getBoundingClientRect().bottom - innerHeight`;
    await expect.poll(() => inFrame(page, 'After').evaluate(below)).toBeLessThanOrEqual(0);
  });

  it('shows subject, first words and messages from right to left where their script is', async () => {
    const words = 'שלום ${user.name}.';
    const { page } = await visit(
      snapshot([
        template({ after: { subject: words, body: `<p>${words}</p>` } }),
        template({ key: 'other', medium: 'SLACK', after: { slackTemplate: { text: words } } }),
      ]),
    );
    // The full stop is at the end of the line, which is its left.
    const isStopLeft = (selector: string) => `(() => {
      const text = document.querySelector('${selector}').firstChild;
      const leftOf = (at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(text.length - 1) < leftOf(0);
    })()`;
    await page.locator('.inbox').last().waitFor();
    expect(await page.evaluate(isStopLeft('.inbox .subject'))).toBe(true);
    expect(await page.evaluate(isStopLeft('.inbox .preheader'))).toBe(true);
    await page.locator('#list a').nth(1).click();
    await inFrame(page, 'After').locator('.message p').waitFor();
    expect(await inFrame(page, 'After').evaluate(isStopLeft('.message p'))).toBe(true);
  });

  it('gives a column of buttons the room that it needs, and others the rest', async () => {
    const section = { type: 'section', text: { type: 'mrkdwn', text: 'Two requests' } };
    const button = { type: 'button', text: { type: 'plain_text', text: 'Go' } };
    const columns = [{ items: [{ text: 'a' }, button] }, { items: [{ text: 'b' }] }];
    const slackTemplate = { blocks: [{ ...section, accessory: button }, { columns }] };
    const { page } = await visit(snapshot([template({ medium: 'SLACK', after: { slackTemplate } })]));
    await inFrame(page, 'After').locator('.row').last().waitFor();
    const widths = '[...document.querySelectorAll(".row > div")].map(({ clientWidth }) => clientWidth)';
    const [text = 0, accessory = 0, left, right] = await inFrame(page, 'After').evaluate<number[], unknown>(
      widths,
    );
    expect(accessory).toBeLessThan(text / 3);
    expect(left).toBe(right);
  });

  it('tells the problems of the project and those of the template', async () => {
    const problem = { severity: 'warning', message: 'This `#if` has no `#end`.', hint: 'Add it.' } as const;
    const { page, preview } = await visit(
      snapshot([mail], { diagnostics: [{ code: 'velocity-unclosed', address: mail.address, ...problem }] }),
    );
    await page.locator('#problems').getByText('This `#if` has no `#end`.').waitFor();
    await page.getByRole('link', { name: 'E-mail en 1 remark changed', exact: true }).waitFor();
    preview.show(
      snapshot([mail], { diagnostics: [{ code: 'x', severity: 'error', message: 'No e-mail address' }] }),
    );
    await page.getByRole('heading', { name: 'Problems' }).waitFor();
    expect(await page.locator('#live').innerText()).toBe('Live');
    expect(await page.locator('#stale').isHidden()).toBe(true);
  });

  it('never shows an old state as the files, wherever the error is', async () => {
    const source = { file: 'config/a.yaml', line: 3, column: 1 };
    const { page, preview } = await visit(snapshot([mail]));
    const { address } = mail;
    preview.show(null);
    await page.getByText('Reading again …').waitFor();
    const diagnostics = [
      { code: 'unknown-field', severity: 'error', message: 'Unknown field `bdy`.', source, address },
    ] as const;
    preview.show(snapshot([mail], { diagnostics, isBroken: true }));
    await page.getByRole('alert').getByText('The project does not load.').waitFor();
    await page.locator('#alerts', { hasText: 'config/a.yaml:3:1 Unknown field `bdy`.' }).waitFor();
    await page.locator('figcaption', { hasText: /After, as declared at \d/ }).waitFor();
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    preview.show(snapshot([mail]));
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.locator('#stale').isHidden()).toBe(true);
    await preview.close();
    open = undefined;
    await page.getByRole('alert').getByText('The preview has ended.').waitFor();
  });

  it('says why a template is not rendered, and stays alive', async () => {
    const endless = template({
      after: { body: '#foreach($a in [1..9999])#foreach($b in [1..9999])#set($c = $b)#end#end' },
    });
    const { page, preview } = await visit(snapshot([endless]), { milliseconds: 2000 });
    await inFrame(page, 'After').getByText('It takes longer than 2 s.').waitFor();
    preview.show(snapshot([mail]));
    await inFrame(page, 'After').getByText('Dear Ann Example').waitFor();
  });

  it('runs nothing of a hostile template, and no request leaves the page', async () => {
    const url = `http://127.0.0.1:${port}`;
    const hostile = `</title></style><script>top.pwned = 1</script><img src="${url}/img" onerror="top.pwned=2">
<link rel="stylesheet" href="${url}/css"><link rel="preconnect" href="${url}"><LINK rel="prefetch" href="${url}/prefetch"><link
rel="dns-prefetch" href="${url}"><style>@import "${url}/import"; @font-face { font-family: x; src: url(${url}/font) } body { background: url(${url}/bg); font-family: x }</style>
<meta http-equiv="refresh" content="0;url=${url}/refresh"><base href="${url}/"><iframe src="${url}/frame"></iframe><object data="${url}/object"></object><embed src="${url}/embed">
<video src="${url}/video" poster="${url}/poster"></video><svg><image href="${url}/svg"/><use href="${url}/use#x"/><script>top.pwned=3</script></svg>
<form action="${url}/form"><button id="send">go</button></form><a id="out" ping="${url}/ping" href="${url}/link">out</a> <a id="js" href="javascript:top.pwned=4">js</a>
<a target="_blank" id="blank" href="${url}/blank">blank</a> <a title=">" target = _self id="self" href="${url}/self">self</a><a id="bare" href="${url}/bare" target>bare</a><iframe srcdoc="<iframe src='${url}/inner'></iframe>"></iframe><div onclick="top.pwned=5" onpointerenter="top.pwned=6" id="div">div</div><details open ontoggle="top.pwned=7">x</details><input autofocus onfocus="top.pwned=8">`;
    const shown = snapshot(
      [
        template({
          key: '"><script>top.pwned=9</script>',
          before: { subject: hostile, body: hostile },
          after: { subject: hostile, from: hostile, body: hostile },
        }),
        template({
          medium: 'TEAMS',
          key: 't',
          after: {
            teamsTemplate: {
              title: hostile,
              text: hostile,
              messageJSON: { body: [{ type: 'TextBlock', text: hostile }] },
            },
          },
        }),
      ],
      {
        environment: hostile,
        diagnostics: [
          { code: hostile, severity: 'error', message: hostile, hint: hostile, excerpt: hostile },
        ],
      },
    );
    const { page } = await visit(shown);
    for (const side of ['Before', 'After'] as const) {
      const frame = page.frameLocator(sideOf(side));
      for (const id of ['#div', '#js', '#out', '#blank', '#self', '#bare', '#send'])
        await frame.locator(id).click({ force: true });
      for (const key of ['Control', 'Shift', 'Alt'] as const)
        await frame.locator('#out').click({ modifiers: [key], force: true });
      await frame.locator('#out').click({ button: 'middle', force: true });
      await frame.locator('#out').press('Control+Enter');
    }
    await page.locator('#list a').nth(1).click();
    await page.locator('h1', { hasText: /^t$/ }).waitFor();
    await expect.poll(() => page.locator('iframe').count()).toBe(1);
    await inFrame(page, 'After').getByText('top.pwned').first().waitFor();
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    expect(
      await page
        .locator(
          'img, script:not([src="/script.js"]), main a:not([href^=vscode]), link:not([rel=icon]):not([rel=stylesheet])',
        )
        .count(),
    ).toBe(0);
    expect(page.context().pages()).toHaveLength(1);
    expect(connections).toBe(0);
  });

  it('is no wider than a phone, whatever the project says', async () => {
    const long = 'x'.repeat(300);
    const place = { file: `config/${long}.yaml`, line: 1, column: 1 };
    const problem = {
      code: 'a',
      message: `No ${long}`,
      excerpt: `1 | body: ${long}\n  | ^`,
      hint: long,
      source: place,
    };
    const wide = template({
      key: long,
      locale: `en-${long}`,
      source: place,
      before: { subject: long, body: `<table width="1200"><tr><td>${long}</td></tr></table>` },
      after: { subject: long.repeat(2), from: `${long}@acme.example`, replyTo: long, body: `<p>${long}</p>` },
    });
    const diagnostics = [
      { ...problem, severity: 'error' },
      { ...problem, severity: 'warning', address: wide.address },
      { ...problem, severity: 'info', address: wide.address },
    ] as const;
    const shown = snapshot([wide, slack], { environment: long, diagnostics });
    const { page, preview } = await visit(shown, { width: 390 });
    const overhang = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await inFrame(page, 'After').waitFor();
    await page.getByText('sample values', { exact: true }).click();
    expect(await overhang()).toBeLessThanOrEqual(0);
    preview.show({ ...shown, isBroken: true });
    await page.getByText('Why the project does not load').waitFor();
    expect(await overhang()).toBeLessThanOrEqual(0);
  });

  it.each([[{ width: 1400 }], [{ width: 1400, dark: true }], [{ width: 380 }], [{ width: 380, dark: true }]])(
    'is accessible and fits: %j',
    async (options) => {
      const diagnostics = [
        { code: 'a', severity: 'error', message: 'An error' },
        { code: 'b', severity: 'warning', message: 'A warning', address: mail.address },
        { code: 'c', severity: 'info', message: 'A note', address: mail.address, excerpt: 'x', hint: 'y' },
      ] as const;
      const { page } = await visit(snapshot([mail, german, slack], { diagnostics }), options);
      await inFrame(page, 'After').waitFor();
      await page.getByText('sample values', { exact: true }).click();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
  );
});
