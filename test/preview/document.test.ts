import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { toRendered } from '../../src/preview/document.ts';
import type { RenderedSides } from '../../src/render/template.ts';

const renderedSide = (after: RenderedSides['after']) =>
  toRendered({ context: {}, before: null, after, further: [], remark: '' }).after;

const shown = (content: Json): string =>
  renderedSide({ is: 'rendered', value: { is: 'chat', content } })?.document.replace(/.*<\/head>/s, '') ?? '';

describe('chat messages', () => {
  const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
  const button = (text: string) => ({ type: 'button', text: { type: 'plain_text', text } });

  it('shows the blocks of Slack', () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Tasks' } },
      { type: 'section', text: mrkdwn('*3* due'), fields: [mrkdwn('soon')] },
      { type: 'divider' },
      { type: 'context', elements: [mrkdwn('ACME')] },
      { type: 'actions', elements: [{ ...button('Open'), url: 'https://x.example' }] },
      { type: 'image', alt_text: 'logo', image_url: 'https://x.example/a.png' },
    ];
    expect(shown({ text: 'fallback', blocks })).toContain(
      '<main class="message"><p class="heading">Tasks</p><p><strong>3</strong> due</p><p>soon</p><hr><p class="note">ACME</p><span class="button">Open</span><p class="image">logo</p></main><p class="notice"><span>Notification text</span> fallback</p>',
    );
  });

  it('shows the cards of Teams', () => {
    const card = {
      type: 'AdaptiveCard',
      body: [
        { type: 'TextBlock', text: 'Access', weight: 'Bolder' },
        { type: 'ColumnSet', columns: [{ type: 'Column', items: [{ type: 'TextBlock', text: 'left' }] }] },
        { type: 'FactSet', facts: [{ title: 'By', value: 'Ann' }] },
      ],
      actions: [{ type: 'Action.OpenUrl', title: 'Decide', url: 'https://x.example' }],
    };
    const messageJSON = { type: 'message', attachments: [{ contentType: 'x', content: card }] };
    expect(shown({ title: 'Title', text: 'fallback', messageJSON })).toContain(
      '<main class="message"><p class="heading">Title</p><p class="heading">Access</p><p>left</p><p><strong>By</strong> Ann</p><span class="button">Decide</span></main>',
    );
  });

  it('shows what stands beside a section there, and not after it', () => {
    const section = { type: 'section', text: mrkdwn('Two *requests*'), accessory: button('Decide') };
    const field = { type: 'static_select', placeholder: { type: 'plain_text', text: 'Choose' } };
    const beside = (label: string) =>
      `<div class="row"><div><p>Two <strong>requests</strong></p></div><div><span class="button">${label}</span></div></div>`;
    expect(shown({ blocks: [section, { ...section, accessory: field }] })).toContain(
      `${beside('Decide')}${beside('Choose')}`,
    );
    const teams = (text: string) => ({ items: [{ type: 'TextBlock', text }] });
    const messageJSON = { body: [{ type: 'ColumnSet', columns: [teams('left'), teams('right')] }] };
    const sections = [{ activityImage: 'https://x.example/a.png', text: 'beside' }];
    expect(shown({ messageJSON, sections })).toContain(
      '<div class="row"><div><p>left</p></div><div><p>right</p></div></div><div class="row"><div><p class="image">image</p></div><div><p>beside</p></div></div>',
    );
  });

  it('shows fields in two columns, quotes, what is struck, and which button is grave', () => {
    const styled = (text: string, style: string) => ({ ...button(text), style });
    const column = (text: string) => `<div><p>${text}</p></div>`;
    const blocks = [
      { type: 'section', fields: ['a', 'b', 'c'].map(mrkdwn) },
      { type: 'section', text: mrkdwn('Because:\n> of *that*\n>and this\nnot ~so~') },
      { type: 'actions', elements: [styled('Yes', 'primary'), styled('No', 'danger')] },
    ];
    expect(shown({ blocks })).toContain(
      `<div class="row">${column('a')}${column('b')}</div><p>c</p><p>Because:\n<span class="quote">of <strong>that</strong>\nand this</span>not <s>so</s></p><span class="button primary">Yes</span><span class="button danger">No</span>`,
    );
    const styles = ['positive', 'destructive', 'default'];
    const actions = styles.map((style) => ({ type: 'Action.Submit', title: style, style }));
    expect(shown({ messageJSON: { content: { actions } } })).toContain(
      '<span class="button primary">positive</span><span class="button danger">destructive</span><span class="button">default</span>',
    );
  });

  it('shows the text where there is nothing else, and text that is no JSON', () => {
    const message = (text: string) => `<main class="message">${text}</main>`;
    expect(shown({ text: 'Hi', blocks: [] })).toBe(message('<p>Hi</p>'));
    expect(shown('just text')).toContain(message('<p>just text</p>'));
    expect(shown(null)).toContain(message(''));
  });

  it('marks emphasis and links, and makes nothing else of a text', () => {
    expect(
      shown({ text: '*b* _i_ `c` **t** <https://x.example|here> [there](https://y.example)' }),
    ).toContain(
      '<strong>b</strong> <em>i</em> <code>c</code> <strong>t</strong> <span class="link" title="https://x.example">here</span> <span class="link" title="https://y.example">there</span>',
    );
    expect(shown({ text: '<img src=x onerror=1> 2*3*4 a_b_c <javascript:alert(1)|x>' })).toContain(
      '&lt;img src=x onerror=1&gt; 2*3*4 a_b_c &lt;javascript:alert(1)|x&gt;',
    );
    expect(shown({ text: 'R&amp;D &lt;b&gt; &copy; &' })).toContain('R&amp;D &lt;b&gt; &amp;copy; &amp;');
  });
});

describe('documents', () => {
  const mail = { is: 'email', subject: '<s>', from: '', replyTo: '', html: '<p>hi</p>' } as const;

  it('put the policy before anything of the template', () => {
    const document = renderedSide({ is: 'rendered', value: mail })?.document ?? '';
    expect(document.indexOf('Content-Security-Policy')).toBeLessThan(document.indexOf('<p>hi</p>'));
    expect(document).not.toContain('&lt;s&gt;');
  });

  it.each(['link', 'FRAME', 'iframe', 'frameset', 'object', 'embed', 'portal', 'fencedframe', 'svg', 'math'])(
    'have no <%s>, for which a browser would resolve the name of a host',
    (name) => {
      const html = `<${name} src="https://x.example">`;
      const document = renderedSide({ is: 'rendered', value: { ...mail, html } })?.document ?? '';
      expect(document).not.toContain(`<${name}`);
      expect(document).toContain(`<x-${name} src="https://x.example">`);
    },
  );

  it('give beside an e-mail what an inbox shows of it', () => {
    const html = `<head><title>x</title><style>p { color: red }</style></head><!-- no --><p>Dear&nbsp;Ann,</p> please &amp; thank you ${'word '.repeat(40)}`;
    expect(renderedSide({ is: 'rendered', value: { ...mail, from: 'a@b.example', html } })?.head).toEqual({
      subject: '<s>',
      from: 'a@b.example',
      replyTo: '',
      preheader: expect.stringMatching(/^Dear Ann, please & thank you word .{70,80} …$/),
    });
  });

  it('give the first words of an e-mail without what fills the line after them', () => {
    const html =
      '<p>F&uuml;r &#220;ml&#xfc; &ndash; 5&nbsp;&euro; &unknown; &#0; &amp;lt;</p>&#847;&zwnj;&nbsp;&#8203;&shy;&#8199;<p>end &#8238;</p>';
    expect(renderedSide({ is: 'rendered', value: { ...mail, html } })?.head?.preheader).toBe(
      'Für Ümlü – 5 € &unknown; \ufffd &lt; end <U+202E>',
    );
  });

  it('say why there is nothing to see', () => {
    expect(renderedSide({ is: 'failed', reason: '<b>' })?.document).toContain('&lt;b&gt;');
    expect(renderedSide(null)).toBeNull();
  });
});
