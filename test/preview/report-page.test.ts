import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPlanTemplates } from '../../src/preview/plan-templates.ts';
import { Renderer } from '../../src/render/renderer.ts';
import { renderReport } from '../../src/report/index.ts';
import { change, difference, plain, plan, samplePlan } from '../report/fixtures.ts';
import { executablePath, launch, violations } from '../support/browser.ts';

const body = '<html lang="en"><body style="background: #ffffee"><h1>Dear ${user.name}</h1></body></html>';
const post = { method: 'POST', path: '/x', query: {}, headers: {} } as const;
const withBody = (text: string) =>
  change({
    address: 'NotificationTemplate/welcome/EMAIL/en',
    action: 'update',
    diff: [difference('/body', '<h1>Hello ${user.name}</h1>', text)],
    requests: [{ ...post, body: { subject: 'Hi', body: text } }],
  });
const template = withBody(body);

describe('templates of a plan', () => {
  it('are rendered by address, and only those', async () => {
    const rendered = await renderPlanTemplates(
      plan([template, ...samplePlan.changes.filter(({ kind }) => kind !== template.kind)]),
    );
    expect(Object.keys(rendered)).toEqual([template.address]);
    expect(rendered[template.address]?.before?.document).toContain('<h1>Hello Ann Example</h1>');
    expect(rendered[template.address]?.after?.document).toContain('<h1>Dear Ann Example</h1>');
  });

  it('show an accessory beside its section, also in blocks that are JSON text', async () => {
    const blocks = (words: string) =>
      JSON.stringify([
        { type: 'section', text: { type: 'mrkdwn', text: words }, accessory: { type: 'button', text: 'Go' } },
      ]);
    const chat = change({
      address: 'NotificationTemplate/welcome/SLACK/en',
      action: 'update',
      diff: [difference('/slackTemplate/blocks/0/text/text', 'old', 'new')],
      requests: [
        { ...post, body: { slackTemplate: { $jsonText: { text: 'note', blocks: blocks('new') } } } },
      ],
    });
    const { before, after } = (await renderPlanTemplates(plan([chat])))[chat.address] ?? {};
    const row = (words: string) =>
      `<div class="row"><div><p>${words}</p></div><div><span class="button">Go</span></div></div>`;
    expect([before?.document, after?.document]).toEqual([
      expect.stringContaining(row('old')),
      expect.stringContaining(row('new')),
    ]);
  });

  it("take the tenant's attributes where they are given", async () => {
    const rendered = await renderPlanTemplates(plan([withBody('$__global.companyName')]), {
      attributes: { companyName: 'ACME' },
    });
    expect(rendered[template.address]?.after?.document).toMatch(/ACME$/);
  });

  it('say so where they cannot be rendered', async () => {
    const renderer = new Renderer({ milliseconds: 300 });
    const endless = '#foreach($a in [1..9999])#foreach($b in [1..9999])#set($c = $b)#end#end';
    const changes = [
      change({ address: template.address, action: 'delete', diff: [difference('/body', endless, null)] }),
    ];
    const rendered = await renderPlanTemplates(plan(changes), { renderer });
    renderer.close();
    expect(rendered[template.address]).toMatchObject({
      before: { document: expect.stringContaining('longer than 0.3 s') },
      after: null,
    });
  });

  it('are given up when the run is interrupted', async () => {
    const renderer = new Renderer({ milliseconds: 600_000 });
    const interrupt = new AbortController();
    const endless = withBody('#foreach($a in [1..9999])#foreach($b in [1..9999])#set($c = $b)#end#end');
    const rendering = renderPlanTemplates(plan([endless]), { renderer, signal: interrupt.signal });
    interrupt.abort();
    await expect(rendering).rejects.toMatchObject({ exitCode: 130 });
    renderer.close();
  });
});

describe.skipIf(executablePath === undefined)('the report of a plan in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it('shows changes below a condition in further frames, and says what is different in them', async () => {
    const text = (words: string) => `<p>Hello</p>#if($user.isManager)a#{else}<p>${words}</p>#end`;
    const changed = {
      ...withBody(text('new')),
      diff: [difference('/body', text('old'), text('new'))],
    };
    const file = join(folder, 'branches.html');
    const rendered = await renderPlanTemplates(plan([changed]));
    writeFileSync(file, renderReport({ is: 'plan', plan: plan([changed]) }, 'html', { ...plain, rendered }));
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.getByText('The same where no condition holds').waitFor();
    await page
      .frameLocator('iframe[title$="no condition holds, rendered: After"]')
      .getByText('new')
      .waitFor();
    await page
      .frameLocator('iframe[title$="no condition holds, rendered: Before"]')
      .getByText('old')
      .waitFor();
    expect(await page.locator('iframe').count()).toBe(4);
    const frame = page.frameLocator('iframe[title$="no condition holds, rendered: After"]');
    await expect.poll(() => frame.locator('x-mark[data-is="words"]').count()).toBe(1);
    await page.getByRole('button', { name: 'Next change' }).click();
    await expect.poll(() => frame.locator('x-mark[data-is="current"]').count()).toBe(1);
    await page.close();
  });

  it('is checked for accessibility in its frames too', async () => {
    const page = await browser.newPage();
    const mail = '<html lang=en><title>Mail</title><img src=data:,></html>';
    await page.setContent(`<iframe title=Mail sandbox=allow-same-origin srcdoc="${mail}"></iframe>`);
    expect(await violations(page)).toContainEqual(expect.stringMatching(/^image-alt: /));
    await page.close();
  });

  describe('shows its templates', () => {
    let page: Page;
    beforeAll(async () => {
      const shown = plan([...samplePlan.changes, template], { diagnostics: samplePlan.diagnostics });
      const rendered = await renderPlanTemplates(shown);
      const file = join(folder, 'plan.html');
      writeFileSync(file, renderReport({ is: 'plan', plan: shown }, 'html', { ...plain, rendered }));
      page = await browser.newPage();
      await page.goto(pathToFileURL(file).href);
    });

    it.each([
      [1300, 'light'],
      [1300, 'dark'],
      [380, 'light'],
      [380, 'dark'],
    ] as const)('and is accessible, %i wide and %s', async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const frame = page.locator(`iframe[title*="${template.address}"][title$="After"]`);
      await frame.scrollIntoViewIfNeeded();
      const heading = frame.contentFrame().locator('h1');
      await heading.waitFor();
      expect(await heading.innerText()).toBe('Dear Ann Example');
      const colour = 'getComputedStyle(document.body).backgroundColor';
      expect(await frame.contentFrame().locator('body').evaluate(colour)).toBe('rgb(255, 255, 238)');
      expect(await violations(page)).toEqual([]);
    });
  });
});
