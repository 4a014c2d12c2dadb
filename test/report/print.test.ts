import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, side } from './browsing.ts';
import { change, difference, digest, plan, samplePlan, textUpdate } from './fixtures.ts';

const mail = side('<p style="margin: 0; width: 580px; height: 40px; background: green">Hello</p>');

/** Long enough to be packed. */
const long = Array.from({ length: 80 }, (_, at) =>
  change({
    address: `NotificationTemplate/key_${at}/EMAIL/en`,
    action: 'update',
    diff: [difference('/subject', 'Old', `New ${at}`)],
    requests: textUpdate.requests.map((request) => ({ ...request, body: 'x'.repeat(20_000) })),
  }),
);

describeInBrowser('a printed page', (open) => {
  it('has mails whole, and neither tools nor a background', async () => {
    const rendered = { [textUpdate.address]: { before: mail, after: mail } };
    const page = await open(samplePlan, { rendered });
    await page.frameLocator('iframe').last().getByText('Hello').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await styleOf(page, '.fields tr', 'breakInside')).toBe('avoid');
    expect(await styleOf(page, '.group h2', 'breakAfter')).toBe('avoid');
    expect(await styleOf(page, '.line.new', 'printColorAdjust')).toBe('exact');
    expect(await styleOf(page, 'body', 'backgroundColor')).toBe('rgba(0, 0, 0, 0)');
    expect(
      await page
        .locator('.toolbar :not(#count, .progress), .tools, .copy, #theme')
        .filter({ visible: true })
        .count(),
    ).toBe(0);
  });

  it('has the details of a long report, and all its mails, which it gives up afterwards', async () => {
    const rendered = Object.fromEntries(long.map(({ address }) => [address, { before: mail, after: mail }]));
    const page = await open(plan(long), { rendered });
    await page.locator('html[data-unpacked]').waitFor();
    expect(await page.locator('.fields').count()).toBe(0);
    await page.locator('.entry').first().locator('summary').first().click();
    await page.frameLocator('iframe').nth(1).getByText('Hello').waitFor();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('.entry[open] > .body:not(:empty)').count()).toBe(long.length);
    const texts =
      '[...document.querySelectorAll(".frame")].map((place) => place.firstChild?.contentDocument.body.innerText)';
    expect(await page.evaluate<string[]>(texts)).toEqual(
      Array.from({ length: 2 * long.length }, () => 'Hello'),
    );
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('iframe').count()).toBeLessThan(long.length / 2);
    await page.emulateMedia({ media: 'print' });
    const before = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '::before').content`);
    expect(await before('.frame:empty')).toMatch(/^"Not printed: rendered e-mails need the script/);
    expect(await before('.entry > .body')).toBe('none');
    await page.evaluate(
      'document.querySelector(".entry").append(Object.assign(document.createElement("div"), { className: "body" }))',
    );
    expect(await before('.entry > .body:empty')).toMatch(/^"Not printed: the details were not unpacked yet/);
  });

  it('leaves e-mails and requests out of more than 100 changes, says so at the top, and has them again afterwards', async () => {
    const many = Array.from({ length: 101 }, (_, at) => {
      const [first] = long;
      return { ...(first ?? textUpdate), address: `NotificationTemplate/key_${at}/EMAIL/en` };
    }).map((each, at) => ({ ...each, diff: [difference('/subject', 'Old', `New ${at}`)] }));
    const rendered = Object.fromEntries(many.map(({ address }) => [address, { before: mail, after: mail }]));
    const page = await open(plan(many), { rendered });
    await page.locator('html[data-unpacked]').waitFor();
    await page.locator('.entry').first().locator('summary').first().click();
    await page.locator('.entry').first().locator('iframe').first().waitFor();
    const words = 'getComputedStyle(document.getElementById("count"), "::after").content';
    const printed = async () => {
      await page.evaluate('dispatchEvent(new Event("beforeprint"))');
      await page.emulateMedia({ media: 'print' });
    };
    const done = async () => {
      await page.evaluate('dispatchEvent(new Event("afterprint"))');
      await page.emulateMedia({ media: 'screen' });
    };
    await printed();
    expect(await page.evaluate(words)).toMatch(/^" printed, without rendered e-mails and requests\./);
    expect(await page.locator('.fields').filter({ visible: true }).count()).toBe(many.length);
    expect(await page.locator('.rendered, .requests').filter({ visible: true }).count()).toBe(0);
    await done();
    expect(await page.locator('.entry').first().locator('iframe').first().isVisible()).toBe(true);
    expect(await page.locator('.body:not(:empty)').count()).toBeLessThan(many.length / 2);
    await page.locator('.entry').last().locator('summary').first().click();
    await page.locator('.entry').last().locator('.rendered').waitFor();
    await page.locator('.entry').last().locator('.tools').waitFor();
    await page.getByLabel('Filter by text').fill('key_1');
    await page.locator('#count', { hasText: `12 of ${many.length}` }).waitFor();
    await printed();
    expect(await page.evaluate(words)).toBe('" printed"');
    expect(await page.locator('.rendered').filter({ visible: true }).count()).toBe(12);
    await done();
    await page.getByLabel('Filter by text').fill('');
    await page.locator('#count', { hasText: `101 of ${many.length}` }).waitFor();
    expect((await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(3);
  });

  it('has 63 changes with their mails on at most 40 pages, each with the digest and its number', async () => {
    const high = side('<p style="margin: 0; width: 580px; height: 560px; background: green">Hello</p>');
    const body = (at: number, word: string) =>
      Array.from({ length: 40 }, (_, line) => `<p style="color: #123">Paragraph ${line} of ${at}</p>`)
        .toSpliced(7, 1, `<p>${word} ${at}</p>`)
        .toSpliced(30, 1, `<p>${word} ${at} again</p>`)
        .join('\n');
    const changes = Array.from({ length: 63 }, (_, at) =>
      change({
        address: `NotificationTemplate/mail_${at}/EMAIL/en`,
        action: 'update',
        risk: ['undoes-tenant-change'],
        diff: [
          difference('/subject', `Old ${at}`, `New ${at} mail`),
          difference('/body', body(at, 'old'), body(at, `new ${at}`)),
        ],
        requests: textUpdate.requests,
      }),
    );
    const rendered = Object.fromEntries(
      changes.map(({ address }) => [address, { before: high, after: high }]),
    );
    const page = await open(plan(changes), { rendered });
    await page.locator('html[data-unpacked]').waitFor();
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(40);
    const foot =
      '[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText)';
    const rules = (await page.evaluate<string[]>(foot)).join('\n');
    expect(rules).toContain(`@bottom-left { content: "${digest}"`);
    expect(rules).toContain('content: counter(page) " of " counter(pages)');
  });

  it('has only what the filter shows, and says how much that is', async () => {
    const page = await open(plan(long));
    await page.locator('html[data-unpacked]').waitFor();
    await page.getByLabel('Filter by text').fill('key_7/');
    await page.locator('#count', { hasText: `1 of ${long.length}` }).waitFor();
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('.body:not(:empty)').count()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.toolbar :not(.progress):visible').allInnerTexts()).toEqual([
      `1 of ${long.length}`,
    ]);
    const words = 'getComputedStyle(document.getElementById("count"), "::after").content';
    expect(await page.evaluate(words)).toBe('" printed"');
    const box = await page.locator('#count').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  });

  it('expands a long report without building what is out of sight', async () => {
    const page = await open(plan(long));
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.locator('.fields').first().waitFor();
    expect(await page.locator('.entry[open]').count()).toBe(long.length);
    expect(await page.locator('.body:not(:empty)').count()).toBeLessThan(long.length / 2);
    await page.locator('.entry').last().scrollIntoViewIfNeeded();
    await page.locator('.entry').last().locator('.fields').first().waitFor();
  });
});

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name}`);
