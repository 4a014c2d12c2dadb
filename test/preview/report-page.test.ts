import { describe, expect, it } from 'vitest';
import { renderPlanTemplates } from '../../src/preview/templates.ts';
import { Renderer } from '../../src/render/renderer.ts';
import { describeInBrowser } from '../report/browsing.ts';
import { change, difference, plan, samplePlan } from '../report/fixtures.ts';
import { violations } from '../support/browser.ts';

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

describeInBrowser('the report of a plan in a browser', (open) => {
  it('shows changes below a condition in further frames, and says what is different in them', async () => {
    const text = (words: string) => `<p>Hello</p>#if($user.isManager)a#{else}<p>${words}</p>#end`;
    const diff = [difference('/body', text('old'), text('new'))];
    const changed = plan([{ ...withBody(text('new')), diff }]);
    const page = await open(changed, { rendered: await renderPlanTemplates(changed) });
    await page.getByText('The same where no condition holds').waitFor();
    const frameOf = (side: string) =>
      page.frameLocator(`iframe[title$="no condition holds, rendered: ${side}"]`);
    await frameOf('After').getByText('new').waitFor();
    await frameOf('Before').getByText('old').waitFor();
    expect(await page.locator('iframe').count()).toBe(4);
    const marks = (is: string) => frameOf('After').locator(`x-mark[data-is="${is}"]`).count();
    await expect.poll(() => marks('words')).toBe(1);
    await page.getByRole('button', { name: 'Next change' }).click();
    await expect.poll(() => marks('current')).toBe(1);
  });

  it('is checked for accessibility in its frames too', async () => {
    const page = await open(samplePlan);
    const mail = '<html lang=en><title>Mail</title><img src=data:,></html>';
    await page.setContent(`<iframe title=Mail sandbox=allow-same-origin srcdoc="${mail}"></iframe>`);
    expect(await violations(page)).toContainEqual(expect.stringMatching(/^image-alt: /));
  });

  it('shows its templates, and is accessible, wide and narrow, light and dark', async () => {
    const shown = plan([...samplePlan.changes, template], { diagnostics: samplePlan.diagnostics });
    const page = await open(shown, { rendered: await renderPlanTemplates(shown) });
    for (const width of [1300, 380])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const frame = page.locator(`iframe[title*="${template.address}"][title$="After"]`);
        await frame.scrollIntoViewIfNeeded();
        const heading = frame.contentFrame().locator('h1');
        await heading.waitFor();
        expect(await heading.innerText()).toBe('Dear Ann Example');
        const colour = 'getComputedStyle(document.body).backgroundColor';
        expect(await frame.contentFrame().locator('body').evaluate(colour)).toBe('rgb(255, 255, 238)');
        expect(await violations(page), `${width} ${colorScheme}`).toEqual([]);
      }
  });
});
