import { describe, expect, it } from 'vitest';
import { renderReport } from '../../src/report/index.ts';
import {
  added,
  change,
  diagnostics,
  digest,
  guard,
  plain,
  plan,
  sampleResult,
  textUpdate,
} from './fixtures.ts';

const markdown = (value: ReturnType<typeof plan>, options = plain): string =>
  renderReport({ is: 'plan', plan: value }, 'markdown', options);

describe('a plan as a comment', () => {
  it('folds each change and ends with the digest', () => {
    const text = markdown(plan([textUpdate]));
    expect(text).toContain('| **1** |'.slice(0, 5));
    expect(text).toContain(
      '<details><summary><code>~</code> <code>NotificationTemplate/work_item_summary/EMAIL/en</code> to update</summary>\n\n',
    );
    expect(text).toContain('- subject: "You have work"\n+ subject: "You have $numberOfPendingTasks tasks"');
    expect(text.endsWith(`Digest: \`${digest}\`\n`)).toBe(true);
  });

  it('warns of a refused plan first', () => {
    expect(markdown(plan([textUpdate], { diagnostics: [guard] }))).toMatch(
      /^### .*\n\n> \[!CAUTION\]\n> \*\*REFUSED/,
    );
  });

  it('links to the manifest where there is a template for the address', () => {
    const sourceUrl = 'https://git.example/blob/main/{file}#L{line}';
    expect(markdown(plan([textUpdate]), { ...plain, sourceUrl })).toContain(
      '[`config/templates.yaml:40`](<https://git.example/blob/main/config/templates.yaml#L40>)',
    );
    expect(markdown(plan([textUpdate]), { ...plain, sourceUrl: 'https://x.example/> [x](<y b' })).toContain(
      '](<https://x.example/%3E%20[x](%3Cy%20b>)',
    );
    expect(markdown(plan([textUpdate]), { ...plain, sourceUrl: 'javascript:alert(1)' })).not.toContain(
      'javascript',
    );
  });

  it('stays within what GitHub takes, with a note and the digest', () => {
    const body = Array.from({ length: 50 }, (_, index) => `line ${index} ${'x'.repeat(60)}`).join('\n');
    const many = Array.from({ length: 1000 }, (_, index) =>
      change({ address: `SimIntegration/${index}`, action: 'create', diff: [added('/body', body)] }),
    );
    const text = markdown(plan(many));
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(
      /_Cut to the length of a comment: \d+ changes shown without details, \d+ changes not shown/,
    );
    expect(text.endsWith(`Digest: \`${digest}\`\n`)).toBe(true);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    expect(text.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
  });

  it('stays within it when problems alone are too long', () => {
    const problems = Array.from({ length: 3000 }, () => guard);
    const text = markdown(plan([textUpdate], { diagnostics: problems }));
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text.endsWith(`Digest: \`${digest}\`\n`)).toBe(true);
  });
});

describe('results and problems as comments', () => {
  it('opens what failed', () => {
    const text = renderReport({ is: 'result', result: sampleResult }, 'markdown', plain);
    expect(text).toContain('<details open><summary>❌ failed');
    expect(text).toContain('400 Bad request: offNetwork is not allowed here.');
  });

  it('lists problems with place and excerpt', () => {
    const text = renderReport({ is: 'diagnostics', diagnostics }, 'markdown', plain);
    expect(text).toContain('- ❌ **error** `config/a.yaml:3:1` Unknown field \\`subjct\\`. `unknown-field`');
    expect(text).toContain('  3 | subjct: Hello\n');
    expect(text.endsWith('**1 error, 1 note**\n')).toBe(true);
  });
});
