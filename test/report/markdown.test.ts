import { describe, expect, it } from 'vitest';
import type { Change, Plan } from '../../src/model/documents.ts';
import type { ReportOptions } from '../../src/report/report.ts';
import {
  added,
  change,
  diagnostics,
  difference,
  digest,
  fleet,
  guard,
  localesOf,
  names,
  outcome,
  plan,
  render,
  result,
  sampleResult,
  senderDelete,
  textUpdate,
  update,
} from './fixtures.ts';

const markdown = (shown: Parameters<typeof render>[0], options: Partial<ReportOptions> = {}): string =>
  render(shown, 'markdown', options);

describe('a plan as a comment', () => {
  it('folds each change and ends with the digest', () => {
    const text = markdown(plan([textUpdate]));
    expect(text).toContain('| **1** |');
    expect(text).toContain(
      '<details><summary><code>~</code> <code>NotificationTemplate/work_item_summary/EMAIL/en</code> to update</summary>\n\n',
    );
    expect(text).toContain(
      '| field | Tenant | Manifest |\n| --- | --- | --- |\n' +
        '| `subject` | `"You have work"` | `"You have $numberOfPendingTasks tasks"` |\n\n',
    );
    expect(text.endsWith(`Digest: \`${digest}\`\n`)).toBe(true);
  });

  it('says what it undoes, what limits it, and shows lines beside their places', () => {
    const nobody = { count: 0, first: [] };
    const impact = { before: 3, after: 3, enter: nobody, leave: nobody };
    const lines = (word: string) => `${word}\n\t1\n2\n3\n4\n5\n6\n7\n8\n${word}\n`;
    const text = markdown(
      plan(
        [
          update('A/a', difference('/body', lines('a'), lines('b')), difference('/ends', 'a\r\n', 'a\n')),
          change({ address: 'ProfileSearch/a', action: 'update', impact }),
        ],
        {
          undoes: { startedAt: '2026-01-01T00:00:00.000Z', planDigest: digest },
          scope: { only: ['A/*'], except: [], prune: false, since: null },
        },
      ),
    );
    expect(text).toContain(`### tenantctl plan: production

**Rollback of the apply of 2026-01-01T00:00:00.000Z**

\`https://acme.api.example.com, https://acme-profiles.example.com\` · made 2025\\-03-01 10:00 UTC · limited by \`--only A/*\`
`);
    expect(text).toContain(`<code>A/a</code> to update</summary>

\`config/all.yaml:12\`

\`body\`:

\`\`\`diff
@@ line 1 @@
- a
+ b
      1
  2
  3
@@ line 7 @@
  6
  7
  8
- a
+ b
\`\`\`

\`ends\` \\(only line endings differ\\):

</details>
`);
    expect(text).toContain('It finds 3 profiles, 3 before: nobody enters or leaves.\n');
    expect(markdown(plan([textUpdate]))).not.toContain('@@');
  });

  it('counts each environment in one table, and lists them where the heading does not name all', () => {
    const text = (count: number) => markdown(fleet(names(count), () => [textUpdate]));
    expect(text(3).match(/to create/g)).toHaveLength(1);
    expect(text(3)).not.toContain('All 3 environments');
    expect(text(4)).toContain('All 4 environments');
  });

  it('warns of a refused plan first', () =>
    expect(markdown(plan([textUpdate], { diagnostics: [guard] }))).toMatch(
      /^### .*\n\n> \[!CAUTION\]\n> \*\*REFUSED/,
    ));

  it('says first what went wrong with an apply, and once', () => {
    const failed = outcome({ address: 'A/b', outcome: 'failed', error: '400 Bad request.' });
    const text = markdown(result([failed]));
    expect(text).toMatch(
      /^### .*\n\n> \[!CAUTION\]\n> \*\*Applied in part: 0 done, 1 failed.*\\\n> 1 change failed\n/,
    );
    expect(text.match(/Applied in part/g)).toHaveLength(1);
  });

  it('links to each change in the HTML report, where it is known where that is', () => {
    const reportUrl = 'https://git.example/jobs/1/artifacts/file/plan.html';
    const both = plan([textUpdate, senderDelete]);
    const text = markdown(both, { reportUrl });
    const to = (address: string) =>
      `${reportUrl}#change/${address.split('/').map(encodeURIComponent).join('/')}`;
    expect(text).toContain(
      `<a href="${to(textUpdate.address)}"><code>${textUpdate.address}</code></a> to update</summary>`,
    );
    expect(text).toContain(`[\`SenderAddress/old@acme.example\`](<${to(senderDelete.address)}>)`);
    expect(markdown(both, { reportUrl: 'https://a.example/a|b' })).toContain('](<https://a.example/a%7Cb#');
    for (const other of ['javascript:alert(1)', 'plan.html'])
      expect(markdown(both, { reportUrl: other })).toBe(markdown(both));
  });

  it('links to the manifest where there is a template for the address', () => {
    const sourceUrl = 'https://git.example/blob/main/{file}#L{line}';
    expect(markdown(plan([textUpdate]), { sourceUrl })).toContain(
      '[`config/templates.yaml:40`](<https://git.example/blob/main/config/templates.yaml#L40>)',
    );
    expect(markdown(plan([textUpdate]), { sourceUrl, folder: 'iam/' })).toContain(
      '/blob/main/iam/config/templates.yaml#L40>)',
    );
    expect(markdown(plan([textUpdate]), { sourceUrl: 'https://x.example/> [x](<y b' })).toContain(
      '](<https://x.example/%3E%20[x](%3Cy%20b>)',
    );
    expect(markdown(plan([textUpdate]), { sourceUrl: 'javascript:alert(1)' })).not.toContain('javascript');
  });

  it('stays within what GitHub takes, with a note and the digest', () => {
    const body = Array.from({ length: 50 }, (_, index) => `line ${index} ${'x'.repeat(60)}`).join('\n');
    const many = Array.from({ length: 1000 }, (_, index) =>
      change({
        address: `SimIntegration/${index}`,
        action: 'create',
        diff: [added('/body', `${index}${body}`)],
      }),
    );
    const text = markdown(plan(many));
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(
      /\*\*Cut to the length of a comment\.\*\*\n- Without details: \d+ SimIntegration, to create\.\n- Not shown: \d+ SimIntegration, to create\.\n\nSee all .*`tenantctl show FILE`/,
    );
    expect(text.indexOf('**Cut to')).toBeLessThan(text.indexOf('####'));
    expect(text.endsWith(`Digest: \`${digest}\`\n`)).toBe(true);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    expect(text.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
  });

  it('shows what is grave in a kind before the rest of it, as the page does', () => {
    const harmless = update('SenderAddress/a', ...[difference('/name', 'Old', 'New')]);
    for (const format of ['markdown', 'html'] as const) {
      const shown = render(plan([harmless, senderDelete]), format);
      const titles = shown.match(/(?<=<(?:summary|p)>)(?:<code>|<span class="badge).*/g) ?? [];
      expect(titles[0], format).toMatch(/delete/);
    }
  });

  it('shows what is grave in a later kind before what is not in an earlier one', () => {
    const template = (at: number) => `NotificationTemplate/key_${at}_${'x'.repeat(60)}/EMAIL/en`;
    const many = Array.from({ length: 900 }, (_, at) => change({ address: template(at), action: 'update' }));
    const gone = change({ address: template(-1), action: 'delete', risk: ['delete'] });
    const text = markdown(plan([gone, ...many, senderDelete]));
    expect(text).toMatch(/^<details><summary>.*SenderAddress\/old/m);
    expect(text).toMatch(/- Not shown: \d+ NotificationTemplate, to update\.\n/);
  });

  it('shows the same replacement in many objects once, with their addresses', () => {
    const text = markdown(plan([...localesOf(['de', 'en', 'fr']), ...localesOf(['it'], 'Gamma')]));
    expect(text.match(/<details>/g)).toHaveLength(2);
    expect(text).toContain('to update, <b>the same in 3 objects</b>');
    expect(text).toContain(
      'The same in `NotificationTemplate/k/EMAIL/de`, `NotificationTemplate/k/EMAIL/en`, `NotificationTemplate/k/EMAIL/fr`.',
    );
  });

  it('counts the objects that are cut, not once what is the same in several', () => {
    const pairs = Array.from({ length: 1200 }, (_, at) =>
      update(`SimIntegration/${'x'.repeat(80)}${at}`, difference('/name', `old${at >> 1}`, `new${at >> 1}`)),
    );
    const text = markdown(plan(pairs));
    const [, omitted] = /- Not shown: (\d+) SimIntegration, to update/.exec(text) ?? [];
    expect(2 * (text.match(/the same in 2 objects/g)?.length ?? 0) + Number(omitted)).toBe(1200);
  });

  it('shows a long replacement once only where it is the same beyond the lines that are shown', () => {
    const lines = (word: string, last: string) => `${`${word}\n`.repeat(90)}${last}`;
    const changes = ['end', 'end', 'other end'].map((last, at) =>
      update(`SimIntegration/${at}`, difference('/body', lines('old', ''), lines('new', last))),
    );
    const text = markdown(plan(changes));
    expect(text.match(/<details>/g)).toHaveLength(2);
    expect(text).toContain('The same in `SimIntegration/0`, `SimIntegration/1`.');
    expect(text).toContain('121 lines more');
  });

  it('keeps what is sensitive, cut or done by hand apart', () => {
    const pair = (diff: Change['diff']) => ['a', 'b'].map((key) => update(`SimIntegration/${key}`, ...diff));
    const long = (end: string) => difference('/body', 'x', `${'y'.repeat(5000)}${end}`);
    const sensitive = { ...difference('/password', null, null), sensitive: true };
    for (const changes of [
      pair([sensitive]),
      [...pair([long('1')]).slice(0, 1), ...pair([long('2')]).slice(1)],
      pair([difference('/name', 'x', 'y')]).map((item) => ({ ...item, action: 'manual' as const })),
    ])
      expect(markdown(plan(changes)).match(/<details>/g)).toHaveLength(2);
  });

  it('puts remarks beside their change, and folds the others by code', () => {
    const remark = { severity: 'warning', code: 'not-comparable', message: 'It is not compared.' } as const;
    const others = ['x', 'y'].map((name) => ({ ...remark, address: `SimIntegration/${name}` }));
    const own = { ...remark, message: 'Own remark.', address: textUpdate.address };
    const text = markdown(plan([textUpdate], { diagnostics: [...others, own] }));
    expect(text.indexOf('Own remark')).toBeLessThan(text.indexOf('| `subject` |'));
    expect(text).toContain('<details><summary>2 remarks <code>not-comparable</code></summary>');
    expect(text.indexOf('2 remarks')).toBeGreaterThan(text.indexOf('to update</summary>'));
    // Of what is the same in several objects, each has its own.
    const alike = ['a', 'b'].map((name) => update(`SimIntegration/${name}`, difference('/type', 'x', 'y')));
    const ofSecond = { ...own, address: 'SimIntegration/b' };
    expect(markdown(plan(alike, { diagnostics: [ofSecond] }))).toContain('Own remark');
    // With --quiet, information is in no list.
    const note = { ...remark, severity: 'info' as const };
    const quiet = (each: typeof note | typeof remark) =>
      markdown(plan([textUpdate], { diagnostics: [each] }), { quiet: true });
    expect(quiet(note)).not.toContain(remark.message);
    expect(quiet(remark)).toContain(remark.message);
  });

  it('keeps a bar of a value in its cell', () => {
    const shown = markdown(plan([update('SimIntegration/a', difference('/a|b', 'x|y', 'z'))]));
    expect(shown).toContain('| `a\\|b` | `"x\\|y"` | `"z"` |');
  });

  it('cautions of what is grave, and of nothing else', () => {
    const byHand = change({ address: 'AuthProfile/a', action: 'manual', warnings: ['Do it.'] });
    expect(markdown(plan([senderDelete, byHand]))).toContain('> [!CAUTION]\n> 1 delete\n');
    expect(markdown(plan([byHand]))).not.toContain('CAUTION');
    // The words of the action say it.
    expect(markdown(plan([senderDelete, byHand]))).not.toContain('⚠️ <b>');
    const tasks = names(8).map((name) => ({ ...byHand, address: `AuthProfile/${name}`, warnings: [name] }));
    expect(markdown(plan(tasks))).toContain('|  |  | and 4 more |  |\n');
  });

  it('tells how to apply what was approved, unless the plan is refused', () => {
    const command = `tenantctl apply plan.json --expect ${digest}`;
    const comment = (shown: Plan, ...applyWith: string[]) => markdown(shown, { applyWith });
    expect(comment(plan([textUpdate]), 'plan.json')).toContain(command);
    expect(comment(plan([textUpdate], { digest: '`;rm -rf /;`' }), 'plan.json')).toContain('--expect DIGEST');
    expect(comment(plan([textUpdate], { diagnostics: [guard] }), 'plan.json')).not.toContain(
      'tenantctl apply',
    );
    expect(markdown(plan([textUpdate]))).not.toContain('tenantctl apply');
  });

  it('names no command with a word that it would show in another form', () => {
    const comment = (file: string) => markdown(plan([textUpdate]), { applyWith: [file] });
    expect(comment('my `plan`.json')).toContain("``tenantctl apply 'my `plan`.json' --expect");
    for (const file of ['a\u001b[2J.json', 'a\nb.json', 'a\u202eb.json', '##[error]a.json'])
      expect(comment(file), file).not.toContain('tenantctl apply');
  });
});

describe('results and problems as comments', () => {
  it('has the changes by kind, which a terminal shows in the order of the run', () => {
    expect(markdown(sampleResult).match(/^#### .*/gm)).toEqual([
      '#### AuthProfile: 1 change',
      '#### SimIntegration: 1 change',
      '#### NotificationPreference: 1 change',
      '#### SenderAddress: 2 changes',
    ]);
  });

  it('opens what failed', () => {
    const text = markdown(sampleResult);
    expect(text).toContain(
      '<details open><summary>❌ <code>~</code> <code>AuthProfile/Employees</code> failed</summary>',
    );
    expect(text).toContain(
      'failed</summary>\n\n```\n400 Bad request: offNetwork is not allowed here.\n```\n\n- `PATCH /v2024/auth-profiles/p-1 → 400, tracking id 7f3c, 2 attempts, 120 ms`\n',
    );
    expect(text).toContain('<p>✅ <code>+</code> <code>SenderAddress/help@acme.example</code> done</p>\n');
    expect(text).toContain('by hand</summary>\n\n> ⚠️ Set the mediums by hand.\n');
  });

  it('shows the requests of each change that is done', () => {
    const requests = [
      { method: 'PUT', path: '/x', status: 200, trackingId: null, attempts: 1, ms: 1 },
    ] as const;
    const all = ['A/b', 'A/c'].map((address) => outcome({ address, outcome: 'done', requests }));
    expect(markdown(result(all, { outcome: 'done' })).match(/- `PUT \/x → 200, 1 ms`/g)).toHaveLength(2);
  });

  it('says how to go on where something is left', () => {
    const text = markdown(sampleResult);
    expect(text).toMatch(/^To finish: .*`tenantctl plan`.*\\\nTo undo .*`tenantctl rollback`/m);
  });

  it('lists problems with place and excerpt', () => {
    const text = markdown(diagnostics);
    expect(text).toContain(
      '- ❌ **error** `config/a.yaml:3:1` Unknown field \\`subjct\\`. `unknown-field` _hint:_ Did',
    );
    expect(text).toContain('  3 | subjct: Hello\n');
    expect(text).toMatch(/^### tenantctl validate\n\n\*\*1 error, 1 note\*\*\n/);
  });
});

it.each([
  [
    'of a command',
    Array(3000).fill(guard),
    /`tenantctl validate` shows all of them\./,
    /\n\*\*3000 errors\*\*\n/,
  ],
  [
    'of a plan',
    plan([textUpdate], { diagnostics: Array(3000).fill(guard) }),
    /tenantctl show FILE/,
    /Digest: .*\n$/,
  ],
])('cuts a long list of problems %s, and says what shows all of them', (_whose, shown, advice, kept) => {
  const text = markdown(shown);
  expect(text.length).toBeLessThanOrEqual(65_536);
  expect(text).toMatch(advice);
  expect(text).toMatch(kept);
});

describe('a comment with a long list', () => {
  const long = (at: number, lines: number) =>
    update(`A/${at}`, difference('/body', '', `${at}${'x'.repeat(600)}\n`.repeat(lines)));
  const ofAll = (count: number, lines: number) => Array.from({ length: count }, (_, at) => long(at, lines));

  it('shows short changes whole rather than a long one, and names all where it can', () => {
    expect(markdown(plan([long(0, 60), ...ofAll(30, 2)]))).toContain('- Without details: 1 A, to update.\n');
    const many = markdown(plan(ofAll(300, 3)));
    expect(many).toContain('- Without details: ');
    expect(many).not.toContain('- Not shown: ');
    const bare = names(600).map((name) => change({ address: `A/${name}`, action: 'update', source: null }));
    expect(markdown(plan(bare))).not.toContain('Cut to the length');
  });

  it('counts what is left out by its kind, errors first, as far as there is room', () => {
    const all = names(300).map((name, at) => {
      const severity = at % 2 === 0 ? 'warning' : 'error';
      return { ...guard, code: name, severity, message: 'x'.repeat(600) } as const;
    });
    expect(markdown(all)).toMatch(/^- Not shown: 1 error `tenant-\d+`; .{300,500}; and \d+ other kinds\.$/m);
  });

  it('leaves out a table of environments that is too long by itself', () => {
    const failed = fleet(
      names(900).map((name) => `${name}${'x'.repeat(80)}`),
      () => guard,
    );
    expect(markdown(failed)).toMatch(/^### [^|]*Digest: .*\n$/);
  });

  it('says why an apply was refused, as far as there is room, and how many reasons are left out', () => {
    const reasons = Array.from({ length: 400 }, (_, at) => ({
      ...guard,
      code: 'plan-stale',
      message: `Object ${at} ${'has changed since the plan was made. '.repeat(5)}`,
    }));
    const refusedResult = { ...sampleResult, outcome: 'refused', diagnostics: reasons } as const;
    const text = markdown(refusedResult);
    expect(text.length).toBeLessThan(65_000);
    expect(text).toContain('- ❌ **error** Object 0 ');
    const shown = text.match(/^- ❌ /gm)?.length ?? 0;
    expect(text).toContain(`Not shown: ${400 - shown} error \`plan-stale\``);
  });

  it('does not fold the changes of a plan into a list of undeclared objects that is cut', () => {
    const undeclared = Array.from({ length: 60 }, (_, at) => `SimIntegration/${'%D0%B4'.repeat(1200)}${at}`);
    const summary = { create: 0, update: 0, delete: 1, manual: 0, unchanged: 0, undeclared: 60 };
    const text = markdown(plan([senderDelete], { undeclared, summary }));
    expect(text.match(/<details/g)).toHaveLength(text.match(/<\/details>/g)?.length ?? 0);
    expect(text).toContain('Undeclared: 60 objects in the tenant');
    expect(text).toContain('Without details: 60 undeclared.');
    expect(text).toContain('<code>SenderAddress/old@acme.example</code> to delete');
  });
});
