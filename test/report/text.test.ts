import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Change, ChangeResult, Diff, Difference, Result } from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import { widthOf } from '../../src/report/layout.ts';
import { type Document, formatsOf, type ReportOptions } from '../../src/report/report.ts';
import { renderRequests } from '../../src/report/text.ts';
import { renderReport } from '../../src/report/writers.ts';
import {
  added,
  change,
  diagnostics,
  difference,
  digest,
  guard,
  lockout,
  outcome,
  plain,
  plan,
  render,
  result,
  samplePlan,
  sampleResult,
  senderDelete,
  textUpdate,
  update,
} from './fixtures.ts';

const text = (shown: Parameters<typeof render>[0], options: Partial<ReportOptions> = {}): string =>
  render(shown, 'text', options);

describe('a plan as text', () => {
  it('shows an update with its place and the lines around what differs', () =>
    expect(
      text(plan([textUpdate])),
    ).toBe(`Plan for production  https://acme.api.example.com, https://acme-profiles.example.com

NotificationTemplate  1 to update

  ~ NotificationTemplate/work_item_summary/EMAIL/en  id 2c918084  config/templates.yaml:40
      ~ subject  "You have work" → "You have $numberOfPendingTasks tasks"
      ~ body
          @@ line 2
              <body>
                <h1>Hello $name</h1>
                <p>You have \${numberOfPendingTasks} tasks to complete.</p>
          -     <p>Please sign in.</p>
          +     <p>Please sign in to the portal.</p>
                #if($requireReason)
                <p>A reason is required.</p>
                #end

Plan: 0 to create, 1 to update, 0 to delete, 0 by hand, 137 unchanged.
Digest: ${digest}
`));

  it('reverses the words of a one-line value that differ, and no others', () => {
    const diff = [difference('/subject', 'Five days left', 'Two days left')];
    const reversed = text(plan([{ ...textUpdate, diff }]), { colour: true })
      .split('\u001b[7m')
      .slice(1);
    const words = reversed.map((each) => stripVTControlCharacters(each.split('\u001b[27m')[0] ?? ''));
    expect(words).toEqual(['Five', 'Two']);
  });

  it('says in words what is risky, by hand, sensitive, or changed in the tenant', () => {
    const shown = text(samplePlan);
    expect(shown).toContain('⚠ LOCK-OUT: this can lock out people');
    expect(shown).toContain('⚠ UNDOES A CHANGE: someone changed offNetwork in the tenant');
    const modified = '2026-11-20T10:12:00.000Z';
    const when = 'in the tenant: last modified 2026-11-20 10:12 UTC';
    expect(text(plan([{ ...lockout, modified }]))).toContain(when);
    expect(text(plan([{ ...textUpdate, modified }]))).not.toContain(when);
    expect(shown).toContain('⚠ SENDS E-MAIL');
    expect(shown).toContain('⚠ DELETE');
    expect(shown).toContain('by hand: Set the mediums of approvals');
    // It is the task, and no warning too.
    expect(shown).not.toContain('⚠ Set the mediums');
    expect(shown).toMatch(/\+ attributes\/password {2}\(sensitive\)/);
    expect(shown).toContain('false → true  (changed in the repository and in the tenant)');
    expect(shown).toContain('Plan: 2 to create, 2 to update, 1 to delete, 1 by hand, 137 unchanged.');
  });

  it('ends with what to read first', () => {
    const deletes = [1, 2, 3, 4, 5].map((at) => ({ ...senderDelete, address: `SenderAddress/${at}` }));
    const shown = text(plan([lockout, textUpdate, ...deletes]));
    expect(shown.slice(shown.indexOf('Read this first'))).toBe(`Read this first
  HIGH    1 lock-out                  AuthProfile/Employees · offNetwork: false → true
  HIGH    5 deletes                   SenderAddress/1, SenderAddress/2, SenderAddress/3 and 2 more ·
                                        is removed from the tenant
  HIGH    1 undoes somebody's change  AuthProfile/Employees · offNetwork: false → true

Plan: 0 to create, 2 to update, 5 to delete, 0 by hand, 137 unchanged.
Digest: ${digest}
`);
    expect(text(plan([textUpdate]))).not.toContain('Read this first');
  });

  it('reads a replacement as a delete, and names what is undeclared where a manifest was removed since', () => {
    const replaced = change({ address: 'SimIntegration/a', action: 'update', risk: ['replace'] });
    expect(text(plan([replaced]))).toMatch(/HIGH +1 delete +SimIntegration\/a/);
    const undeclared = ['SenderAddress/gone', 'SenderAddress/lost'];
    const summary = { create: 0, update: 0, delete: 0, manual: 0, unchanged: 1, undeclared: 2 };
    const shown = (since: string | null) =>
      text(plan([], { undeclared, summary, scope: { only: [], except: [], prune: false, since } }));
    expect(shown('main')).toContain('? SenderAddress/gone\n  ? SenderAddress/lost\n');
    expect(shown(null)).toMatch(/Undeclared +2 objects .*; --verbose names them\n/);
  });

  it('names four objects of a point, since "and 1 more" takes as much room', () => {
    const deletes = (count: number) =>
      text(
        plan(Array.from({ length: count }, (_, at) => ({ ...senderDelete, address: `SenderAddress/${at}` }))),
        { width: 200 },
      );
    expect(deletes(4)).toMatch(
      /4 deletes +SenderAddress\/0, SenderAddress\/1, SenderAddress\/2, SenderAddress\/3 ·/,
    );
    expect(deletes(5)).toMatch(
      /5 deletes +SenderAddress\/0, SenderAddress\/1, SenderAddress\/2 and 2 more ·/,
    );
  });

  it('says in a few words what becomes of each, and counts what it has no room for', () => {
    const byHand = (at: number) =>
      change({
        address: `AuthProfile/${at}`,
        action: 'manual',
        warnings: [`Task ${at >> 1}${' and so on'.repeat(20)}`],
      });
    const reverted = change({ ...senderDelete, risk: ['delete', 'back-to-default'] });
    const shown = text(plan([reverted, ...Array.from({ length: 14 }, (_, at) => byHand(at))]), {
      width: 400,
    });
    expect(shown).toContain("SenderAddress/old@acme.example · back to the vendor's text\n");
    const [, task = ''] = /AuthProfile\/0, AuthProfile\/1 · (.*)\n/.exec(shown) ?? [];
    expect(task).toMatch(/^Task 0 and so on.{1,145}…$/);
    expect(shown).toMatch(/AuthProfile\/6, AuthProfile\/7 · .*\n +and 6 more\n/);
  });

  it('counts the people that leave a search', () => {
    const impact = { before: 9, after: 3, enter: { count: 0, first: [] }, leave: { count: 6, first: ['A'] } };
    expect(text(plan([change({ address: 'ProfileSearch/a', action: 'update', impact })]))).toContain(
      '  MEDIUM  6 people leave a search  ProfileSearch/a · 6 people leave\n',
    );
  });

  it('never shows a value marked sensitive', () => {
    const leaky = { ...difference('/password', 'canary-before', 'canary-after'), sensitive: true };
    const value = plan([update('SimIntegration/a', leaky)]);
    for (const format of formatsOf('plan').filter((name) => name !== 'json'))
      expect(render(value, format)).not.toContain('canary');
  });

  it('marks a refused plan at the top and at the bottom', () => {
    const lines = text(plan([senderDelete], { diagnostics: [guard] })).split('\n');
    expect(lines.flatMap((line, index) => (line.includes('REFUSED') ? [index] : []))).toHaveLength(2);
    expect(lines.slice(0, 6).join('\n')).toContain(guard.message);
    expect(lines.slice(-8).join('\n')).toContain(guard.message);
    expect(lines.slice(-8).join('\n')).toContain('hint: Raise it for this run with --max-deletes 12.');
  });

  it('says that nothing differs', () => {
    expect(text(plan([]))).toContain('No changes. The tenant matches the manifests.');
    const nothing = { create: 0, update: 0, delete: 0, manual: 0, unchanged: 0 };
    expect(text(plan([], { summary: nothing }))).toContain(
      'No changes. No declared object is part of this plan.',
    );
    const undoes = { startedAt: '2026-01-01T00:00:00.000Z', planDigest: plan([]).digest };
    expect(text({ ...plan([]), undoes })).toMatch(
      /No changes\. This plan undoes nothing\.(?![\s\S]*manifests)/,
    );
  });

  it('says where a change is, and no line where a text is only added', () => {
    const of = (before: string | null, after: string) =>
      text(plan([update('A/b', difference('/body', before, after))]));
    expect(of('one\r\ntwo\r\n', 'one\nthree\n')).toMatch(/body\n +@@ line 1\n/);
    expect(of(null, 'one\ntwo\n')).toMatch(/\+ one\n +\+ two\n/);
    expect(of(null, 'one\ntwo\n')).not.toContain('@@');
  });

  it('shows ids by the words that a manifest has for them', () => {
    const named = { a1: '!lookup { from: ne_attributes, where: { uid: city }, take: id }', s1: 'Source/HR' };
    const diff = [{ ...difference('/ids', ['a1'], ['s1']), named }];
    const shown = text(plan([update('A/b', ...diff)]), { width: 200 });
    expect(shown).toContain('"!lookup { from: ne_attributes, where: { uid: city }, take: id } (a1)"');
    expect(shown).toContain('"!ref Source/HR (s1)"');
    // The number of an item is no id, and what a tenant has written is no reference of ours.
    const item = { ...difference('/items/1', 'a', 'b'), named: { 1: 'Source/HR' } };
    const plainly = text(plan([update('A/b', item, difference('/data', { $ref: 'Source/HR' }, 'b'))]));
    expect(plainly).toMatch(/~ items\/1 +"a" → "b"\n/);
    expect(plainly).toContain('{"$ref": "Source/HR"} → "b"');
  });

  it('shows secrets and references by name, letters that look like others by code, and nothing of a missing side', () => {
    const named = { s1: 'Source/HR', 7: 'Identity/a%20b' };
    const long = { text: 'x'.repeat(80), key: { $secret: 'A' } };
    const both = { origin: 'both' } as const;
    const diff: Difference[] = [
      added('/empty', null),
      { ...difference('/gone', 1, null), op: 'remove' },
      { ...difference('/owner', 7, { $ref: 'Source/IT' }), named },
      { ...difference('/by/s1', 'toString', 'b'), named },
      { ...difference('/moved', 'a', 'b'), ...both, named, base: 's1' },
      { ...difference('/looks', 'a', 'b'), ...both, base: { $ref: 'Source/HR' } },
      { ...difference('', 'a', 'b'), origin: 'repo' },
      difference('/one', { $secret: 'OLD' }, [{ $secret: 'NEW' }]),
      difference('/like', 'p\u0430', 'q\u0430'),
      difference('/lines', 'a\np\u0430', 'a\nq\u0430'),
      added('/long', long),
    ];
    expect(text(plan([update('A/b', ...diff)]), { width: 200 })).toContain(`
      + empty                   null
      - gone                    1
      ~ owner                   "!ref Identity/a b (7)"
                              → "!ref Source/IT (created by this plan)"
      ~ by/!ref Source/HR (s1)  "toString" → "b"
      ~ moved                   "a" → "b"  (changed in the repository and in the tenant)
                              was declared: "!ref Source/HR (s1)"
      ~ looks                   "a" → "b"  (changed in the repository and in the tenant)
                              was declared: {"$ref": "Source/HR"}
      ~ (all)                   "a" → "b"
      ~ one                     (secret OLD) → ["(secret NEW)"]
      ~ like                    "p<U+0430>" → "q<U+0430>"
      ~ lines
          @@ line 1
            a
          - p<U+0430>
          + q<U+0430>
      + long
          + {
          +   "text": "${long.text}",
          +   "key": "(secret A)"
          + }
`);
  });

  const removed = (before: string): Difference => ({ ...difference('/body', before, null), op: 'remove' });
  it.each([
    [added('/body', 'a\nb\n'), 'body +2'],
    [removed('a\nb\n'), 'body −2'],
    [difference('/body', 'a\nb\n', 'a\nc\n'), 'body +1 −1'],
    [removed('a'), 'body removed'],
    [added('/body', 'a'.repeat(32)), `body: ${'a'.repeat(32)}`],
    [added('/body', 'a'.repeat(33)), `body: ${'a'.repeat(31)}…`],
  ])('says in a few words what %j is', (diff, words) => {
    const shown = text(plan([{ ...lockout, diff: [diff] }]), { width: 200 });
    expect(/lock-out .*· (.*)/.exec(shown)?.[1]).toBe(words);
  });

  const lines = difference('/body', '', 'a\nb\n');
  const toggle = (at: number, last = 'audit: on') => {
    const before = ['mfa: on', 'vpn: on', last];
    const after = before.map((word, each) => (each === at ? word.replace('on', 'off') : word));
    return difference('/x', before.join(', '), after.join(', '));
  };
  const ends = (name: string) => difference(name, 'a\r\nb\r\n', 'a\nb\n');
  const sends = (name: string) =>
    textUpdate.requests.map((request) => ({ ...request, body: { key: { $secret: name } } }));
  it.each<[string, Partial<Change>, Partial<Change>]>([
    ['another action', {}, { action: 'create' }],
    ['another sign', { diff: [lines] }, { diff: [{ ...lines, op: 'add' }] }],
    ['another side', {}, { diff: [{ ...difference('/x', 'a', 'b'), origin: 'both' }] }],
    ['another side of a text', { diff: [lines] }, { diff: [{ ...lines, origin: 'both' }] }],
    ['line ends of another field', { diff: [ends('/a')] }, { diff: [ends('/b')] }],
    ['another place of the same words', { diff: [toggle(0)] }, { diff: [toggle(1)] }],
    ['another text around the same words', { diff: [toggle(0)] }, { diff: [toggle(0, 'pki: on')] }],
    ['another warning', { warnings: ['One.'] }, { warnings: ['Two.'] }],
    ['another secret', { requests: sends('A') }, { requests: sends('B') }],
  ])('shows two changes as one, but not with %s', (_what, one, other) => {
    const base = { ...update('A/a', difference('/x', 'a', 'b')), ...one };
    const shown = (second: Partial<Change>) => text(plan([base, { ...base, address: 'A/b', ...second }]));
    expect(shown({})).toContain('the same in 2 objects');
    expect(shown(other)).not.toContain('the same in');
  });

  it('cuts long values with a note, and shows them whole when asked', () => {
    const body = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const value = plan([
      change({ address: 'SimIntegration/a', action: 'create', diff: [added('/body', body)] }),
    ]);
    expect(text(value)).toContain('… 60 lines more (--verbose shows all)');
    expect(text(value, { verbose: true })).toContain('+ line 99');
    const moved = { ...difference('/body', body, ''), origin: 'both', base: '' } as const;
    expect(text(plan([update('A/b', moved)])).match(/… 60 lines more/g)).toHaveLength(2);
  });

  it('shows what was declared beside what both sides made of it', () => {
    const lines = (word: string) => ['Hello', word, 'Bye', 'Team'].join('\n');
    const moved = update(
      'SimIntegration/a',
      { ...difference('/type', 'hand', 'mine'), origin: 'both', base: 'before' },
      { ...difference('/body', lines('hand'), lines('mine')), origin: 'both', base: lines('before') },
    );
    const shown = text(plan([moved]));
    expect(shown).toMatch(/type +"hand" → "mine".*\n +was declared: "before"\n/);
    expect(shown).toMatch(/What the tenant changed of what was declared:\n[^+]*- before\n +\+ hand\n/);
    // Where it is long, it is compared line by line, however short the values are.
    const short = { ...difference('/type', 'hand', 'mine'), origin: 'both', base: lines('before') } as const;
    expect(text(plan([update('SimIntegration/a', short)]))).toContain('What the tenant changed');
    // The same change, but not of the same.
    const other = { ...difference('/type', 'hand', 'mine'), origin: 'both', base: 'another' } as const;
    const two = text(
      plan([
        { ...moved, diff: moved.diff.slice(0, 1) },
        { ...moved, address: 'SimIntegration/b', diff: [other] },
      ]),
    );
    expect(two).toContain('was declared: "before"');
    expect(two).toContain('was declared: "another"');
    const [, body] = moved.diff;
    const bodies = ['one', 'two'].map((word, at) =>
      update(`SimIntegration/${at}`, ...(body ? [{ ...body, base: lines(word) }] : [])),
    );
    expect(text(plan(bodies))).toMatch(/- one\n[\s\S]*- two\n/);
    // In Markdown, a column; only where something is told.
    const markdown = render(plan([moved, textUpdate]), 'markdown');
    expect(markdown).toContain('| field | Tenant | Manifest | Was declared |\n');
    expect(markdown).toMatch(/\| `"hand"` \| `"mine"` \| `"before"` \|\n/);
    expect(markdown).toContain('| field | Tenant | Manifest |\n');
    expect(markdown).toMatch(
      /What the tenant changed of what was declared:\n\n```diff\n[^+]*- before\n\+ hand\n/,
    );
  });

  it('shows blanks that only look like a space', () => {
    const value = plan([update('ProfileSearch/a', difference('/label', 'a b', 'a\u00a0b'))]);
    expect(text(value)).toContain('"a b" → "a\\u00a0b"');
  });

  it('names the address of both services once where it is the same', () => {
    const tenant = { identity: 'https://one.example', profiles: 'https://one.example' };
    expect(text(plan([], { tenant }))).toMatch(/^Plan for production {2}https:\/\/one\.example\n/);
  });

  it('names what limits the plan', () => {
    const scope = { only: ['SimIntegration/*'], except: [], prune: true, since: 'main' };
    expect(text(plan([], { scope }))).toContain('limited by --only SimIntegration/* --prune --since main');
  });

  it.each([
    [59, ''],
    [60, 'made 1 minute ago\n'],
    [7200, 'made 2 hours ago\n'],
    [86_400, 'made 1 day ago\n'],
  ])('says of a plan of %i seconds ago how old it is: %j', (seconds, words) => {
    const made = plan([textUpdate]);
    const shown = text(made, { now: Date.parse(made.createdAt) + seconds * 1000 });
    expect(/^made .*\n/m.exec(shown)?.[0] ?? '').toBe(words);
  });

  it('has its heading again below what fills a screen, and a command to copy on one line', () => {
    const headings = (changes: Parameters<typeof plan>[0]) =>
      text(plan(changes), { verbose: true }).match(/^Plan for production/gm);
    expect(headings([textUpdate])).toHaveLength(1);
    expect(headings([textUpdate, textUpdate, textUpdate, textUpdate])).toHaveLength(2);
    const applyWith = [`${'a-folder-'.repeat(9)}/plan.json`];
    expect(text(plan([textUpdate]), { width: 40, applyWith })).toContain(
      `To apply exactly this plan: tenantctl apply ${applyWith} --expect ${digest}\n`,
    );
  });

  it('fits narrow terminals, wide characters included', () => {
    const wide = update(
      'ProfileSearch/x',
      difference('/label', '漢字漢字漢字漢字漢字漢字漢字', '한국어 한국어 한국어 한국어 한국어'),
    );
    for (const width of [24, 40, 61]) {
      for (const line of text(plan([...samplePlan.changes, wide]), { width }).split('\n'))
        expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it('differs with colour by nothing but colour', () => {
    const coloured = text(samplePlan, { colour: true });
    expect(coloured).toContain('\u001b[31m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(text(samplePlan));
  });
});

const sent = (method: 'POST' | 'PATCH' | 'DELETE', status: number) => {
  return { method, path: '/x', status, trackingId: null, attempts: 1, ms: 1 };
};

describe('a result as text', () => {
  it('says the same error of several objects once where it says what is left to do', () => {
    const error = '503 Unavailable\nTry again.';
    const failed = [1, 2, 3, 4, 5, 6].map((at) =>
      outcome({ address: `SimIntegration/s%20${at}`, outcome: 'failed', error }),
    );
    const shown = text(result(failed), { width: 200 });
    expect(shown).toContain(
      '  HIGH    6 changes failed  SimIntegration/s 1, SimIntegration/s 2, SimIntegration/s 3 and 3 more · 503 Unavailable\n',
    );
    expect(shown).toContain('      503 Unavailable\n      Try again.\n');
    const page = render(result(failed), 'html');
    const [left = ''] = /<h2 id="first">Left to do<[\s\S]*?<\/section>/.exec(page) ?? [];
    expect(left.match(/503 Unavailable/g)).toHaveLength(1);
    expect(left).toContain(
      '<p>To finish: apply the plan file again; without one, apply what <code>tenantctl plan</code>',
    );
  });

  it.each<[string, boolean, Partial<ChangeResult>]>([
    ['that nobody saw again', true, { outcome: 'unknown', replaced: true }],
    ['that is gone', true, { replaced: true }],
    ['that was made in part', true, { replaced: true, after: {}, requests: [sent('POST', 201)] }],
    ['that is still there', false, { replaced: true, after: {}, requests: [sent('DELETE', 409)] }],
    ['that was only prepared', false, { replaced: true, after: {}, requests: [sent('PATCH', 200)] }],
    ['that is replaced', false, { outcome: 'done', replaced: true }],
    ['that was not begun', false, { outcome: 'notAttempted', replaced: true }],
    ['that is only updated', false, {}],
    ['that was made under another name', true, { action: 'create', id: 'i1', after: {} }],
    ['that was not made', false, { action: 'create' }],
  ])('advises to roll back first, without the plan, for an object %s: %s', (_, isTorn, change) => {
    const torn = outcome({ address: 'SimIntegration/R%26D', outcome: 'failed', ...change });
    const shown = text(result([torn]), { width: 500 });
    const again = change.action === 'create' ? '' : 'apply the plan file again. Without one, ';
    const advice =
      `To finish: ${again}apply what \`tenantctl rollback\` plans from the result file first: ` +
      'a new plan does not know what this one left of SimIntegration/R&D.\n';
    expect([shown.includes(advice), shown.includes('`tenantctl plan` shows now')]).toEqual([isTorn, !isTorn]);
  });

  it('says why it was refused, and no more than once that it was', () => {
    const refused = text(result([], { outcome: 'refused', diagnostics: [guard] }));
    expect(refused).toContain(guard.message);
    expect(refused.match(/Refused, nothing written/g)).toHaveLength(1);
  });

  it('lists what became of each change, with the words of the tenant and its tracking id', () =>
    expect(
      text(sampleResult),
    ).toBe(`Apply to production  https://acme.api.example.com, https://acme-profiles.example.com

  ✔ done           + SenderAddress/help@acme.example
  ✖ failed         ~ AuthProfile/Employees
      400 Bad request: offNetwork is not allowed here.
      PATCH /v2024/auth-profiles/p-1 → 400, tracking id 7f3c, 2 attempts, 120 ms
  ↷ skipped        - SenderAddress/old@acme.example
  ○ by hand        ! NotificationPreference/approvals
      ⚠ Set the mediums by hand.
  ? unknown        + SimIntegration/ServiceNow
      POST /v2024/sim-integrations → no response, 30.0 s

Left to do
  HIGH    1 change failed       AuthProfile/Employees · 400 Bad request: offNetwork is not allowed
                                  here.
  HIGH    1 outcome is unknown  SimIntegration/ServiceNow
  MEDIUM  1 step by hand        NotificationPreference/approvals · Set the mediums by hand.

Applied in part: 1 done, 1 failed, 1 skipped, 0 not attempted, 1 unknown, 1 by hand.  12.3 s
Digest: ${digest}
To finish: apply the plan file again; without one, apply what \`tenantctl plan\` shows now.
To undo what was done: \`tenantctl rollback\` with the result file.
`));

  it.each([
    ['2025-03-01T10:00:00.400Z', '400 ms'],
    ['2025-03-01T10:02:05.000Z', '2 min 5 s'],
    ['2025-03-01T10:00:59.980Z', '1 min 0 s'],
    ['2025-03-01T10:01:59.980Z', '2 min 0 s'],
  ])('says how long a run took that ended at %s: %s', (endedAt, took) =>
    expect(text({ ...sampleResult, endedAt })).toMatch(new RegExp(`  ${took}$`, 'm')),
  );

  it('says how to go on where something is left, and how to undo what is done', () => {
    const change = (is: 'done' | 'notAttempted') => outcome({ address: 'SenderAddress/a', outcome: is });
    const steps = (outcome: Result['outcome'], ...changes: ChangeResult[]) =>
      text(result(changes, { outcome })).match(/^To \w+/gm) ?? [];
    expect(steps('interrupted', change('done'), change('notAttempted'))).toEqual(['To finish', 'To undo']);
    expect(steps('interrupted', change('notAttempted'))).toEqual(['To finish']);
    expect(steps('refused', change('notAttempted'))).toEqual([]);
    expect(steps('done', change('done'))).toEqual([]);
    expect(text(result([change('done')], { outcome: 'done' }))).toMatch(/✔ done +~ SenderAddress\/a$/m);
  });

  it('says why a run was refused', () => {
    const refused = { ...sampleResult, outcome: 'refused' as const, changes: [], diagnostics: [guard] };
    expect(text(refused)).toContain(guard.message);
    expect(text(refused)).toContain('Refused, nothing written:');
  });

  it('gives a reason once, though the change has it too', () => {
    const address = 'Thing/a' as const;
    const message = `${address} has changed since the plan was made: it exists now.`;
    const stale: Diagnostic = { code: 'plan-stale', severity: 'error', message, address };
    const change = outcome({ address, outcome: 'notAttempted', error: message });
    const refused = result([change], { outcome: 'refused', diagnostics: [stale] });
    const linesOf = (options = {}) =>
      text(refused, options)
        .split('\n')
        .filter((line) => line.includes(address));
    const reason = `error  ${message}  [plan-stale]`;
    // A list of all that was not attempted would bury it.
    expect(linesOf()).toEqual([reason]);
    expect(linesOf({ verbose: true })).toEqual([`  ○ not attempted  ~ ${address}`, reason]);
  });
});

describe('problems as text', () => {
  it('shows place, words, code, excerpt and hint, and counts at the end', () =>
    expect(text(diagnostics)).toBe(`config/a.yaml:3:1  error  Unknown field \`subjct\`.  [unknown-field]
    3 | subjct: Hello
      | ^
    hint: Did you mean \`subject\`?

info  SimIntegration is deprecated by the vendor.  [deprecated-kind]

1 error, 1 note
`));

  it('shows all lines of a message, and a source line whole where it fits, else around the sign', () => {
    const sign = (line: string, at: number) => ({ excerpt: `7 | ${line}\n  | ${' '.repeat(at)}^` });
    const said = (more: Partial<Diagnostic>) => text([{ ...guard, ...more }], { width: 60 });
    expect(said({ message: 'One.\nTwo.' })).toContain('error  One.  [too-many-deletes]\n    Two.\n');
    expect(said(sign('a'.repeat(50), 49))).toContain(`    7 | ${'a'.repeat(50)}\n`);
    expect(said(sign(`body: ${'a'.repeat(90)}`, 7))).toContain('    7 | body: aaa');
  });

  it('stay in order, and end with no empty line, however many they are', () => {
    const all = Array.from({ length: 30 }, (_, at): Diagnostic => {
      const severity = [7, 14, 21].includes(at) ? 'warning' : 'error';
      return { code: severity, severity, message: 'It is.', source: { file: 'a', line: at + 1, column: 1 } };
    });
    const said = text(all);
    expect([...said.matchAll(/^a:(\d+)/gm)].map(([, line]) => Number(line) - 1)).toEqual([...all.keys()]);
    expect(said).not.toContain('\n\n\n');
  });

  it('count no notes with --quiet, which leaves them out', () => {
    const counts = (all: readonly Diagnostic[]) => text(all, { quiet: true }).trimEnd().split('\n').at(-1);
    expect(counts(diagnostics)).toBe('1 error');
    expect(counts(diagnostics.slice(1))).toBe('no problems');
  });

  it.each([
    [3, ''],
    [4, 'and 3 more: A/1, A/2, A/3 ('],
    [5, 'and 4 more: A/1, A/2, A/3, … ('],
  ])('folds %i warnings that are alike: %j', (count, words) => {
    const all = Array.from(
      { length: count },
      (_, at): Diagnostic => ({ code: 'same', severity: 'warning', message: 'It is.', address: `A/${at}` }),
    );
    const said = text(all);
    expect(/and \d more.*?\(/.exec(said)?.[0] ?? '').toBe(words);
    expect(said.match(/warning {2}It is/g)).toHaveLength(words === '' ? count : 1);
  });

  it('names what is folded by its place where it has no address, each once', () => {
    const at = (line: number): Diagnostic => {
      const source = { file: 'a', line, column: 1 };
      return { code: 'same', severity: 'warning', message: 'It is.', source };
    };
    expect(text([1, 2, 2, 3, 3].map(at))).toContain('and 4 more: a:2:1, a:3:1 (');
  });

  const long = `body: "${'abcdefghi '.repeat(20)}"`;
  it.each([
    ['of a wide line stays below its sign', `7 | ${long}\n  | ${' '.repeat(147)}^`, 60],
    ['near the beginning', `7 | ${long}\n  | ${' '.repeat(7)}^`, 60],
    ['at the end', `7 | ${long}\n  | ${' '.repeat(long.length - 1)}^`, 40],
    ['in a very narrow terminal', `123 | ${long}\n    | ${' '.repeat(147)}^`, 20],
    ['counts wide signs', `7 | 日本語 👩‍👩‍👧‍👦 x: a\n  | ${' '.repeat('日本語 👩‍👩‍👧‍👦 '.length)}^`, 60],
    ['counts wide signs in a narrow terminal', `7 | ${'日本語'.repeat(20)}x: a\n  | ${' '.repeat(60)}^`, 40],
  ])('a caret %s', (_name, excerpt, width) => {
    const lines = text([{ ...guard, message: 'It is.', excerpt, hint: 'None.' }], { width }).split('\n');
    const at = lines.findIndex((shown) => shown.endsWith('^'));
    const [first = '', second = '', after] = lines.slice(at - 1);
    const [line = '', below = ''] = excerpt.split('\n');
    const sign = line.charAt(below.length - 1);
    expect(below.endsWith('^')).toBe(true);
    for (const shown of [first, second]) expect(widthOf(shown)).toBeLessThanOrEqual(width);
    expect(after).toContain('hint');
    const column = second.indexOf('^');
    expect([...first].filter((_, at, all) => widthOf(all.slice(0, at).join('')) === column)[0]).toBe(sign);
  });
});

describe('a dry run', () =>
  it('prints every request as it would be sent, secrets by name', () => {
    expect(renderRequests(samplePlan, plain)).toContain(`# + SimIntegration/ServiceNow
POST /v2024/sim-integrations?dry=a+b
X-Service-Experimental: true

{
  "name": "ServiceNow",
  "attributes": "{\\"password\\":\\"(secret SNOW_PASSWORD)\\"}"
}
`);
    expect(renderRequests(samplePlan, plain)).toContain('Dry run: 2 requests, none sent.');
    expect(renderRequests(plan([lockout]), plain)).toBe('Dry run: 0 requests, none sent.\n');
  }));

it('a dry run breaks no line of a body, so that it can be copied', () => {
  const body = { subject: 'A long subject. '.repeat(20), source: { $ref: 'Source/a%20b' } };
  const long = { ...textUpdate, requests: textUpdate.requests.map((request) => ({ ...request, body })) };
  const [shown = ''] = /^\{\n.*^\}/ms.exec(renderRequests(plan([long]), plain)) ?? [];
  expect(JSON.parse(shown)).toEqual({ ...body, source: '(id of Source/a b)' });
});

describe('renderReport', () => {
  it('needs no options: then it is plain, and 100 columns wide', () => {
    const document = { is: 'plan', plan: samplePlan } as const;
    expect(renderReport(document, 'text')).toBe(
      renderReport(document, 'text', { colour: false, width: 100 }),
    );
    expect(renderReport(document, 'markdown')).toContain(samplePlan.digest);
  });

  it('names a manifest as the source only of what one declares', () => {
    const diff = [difference('/description', 'a', 'b')];
    const headsOf = (changes: Parameters<typeof plan>[0]) =>
      render(plan(changes), 'html').match(/(?<=<th scope="col">)\w+/g);
    expect(headsOf([{ ...lockout, diff }])).toEqual(['Field', 'Tenant', 'Manifest']);
    for (const { source } of [senderDelete, lockout])
      expect(headsOf([{ ...senderDelete, diff, source }])).toEqual(['Field', 'Tenant', 'After']);
    // A rollback restores what no manifest declares.
    expect(headsOf([{ ...lockout, diff, source: null }])).toEqual(['Field', 'Tenant', 'After']);
  });

  it('tells in HTML how many fields more a folded change has', () => {
    const diff = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => difference(`/${name}`, 'x', 'y'));
    const [, what] = /class="what">(.*?)</.exec(render(plan([{ ...lockout, diff }]), 'html')) ?? [];
    expect(what).toBe('a: x → y · b: x → y · 4 more');
  });

  it('says in HTML once that an object is deleted', () => {
    const page = render(plan([senderDelete]), 'html');
    expect(page).toContain('<b aria-hidden="true">-</b>delete</span>');
    expect(page).not.toContain('class="risk grave"');
  });

  const sideOf = (name: string) => ({ name, is: 'manifests', tenant: null }) as const;
  const objectOf = (key: string, where: 'both' | 'first', value = 'y'): Diff['objects'][number] => {
    const diff = where === 'both' ? [difference('/a', 'x', value)] : [];
    return { address: `A/${key}`, kind: 'A', key: [key], in: where, source: null, diff };
  };
  const diffOf = (...objects: Diff['objects']): Document => ({
    is: 'diff',
    diff: {
      formatVersion: 1,
      tool: samplePlan.tool,
      createdAt: samplePlan.createdAt,
      sides: [sideOf('test'), sideOf('production')],
      scope: { only: ['A/**'], except: [], kinds: [] },
      summary: { differing: 1, onlyFirst: 9, onlySecond: 0, equal: 0, notComparable: 0 },
      objects,
      notComparable: [],
      diagnostics: [],
    },
  });

  it('of a diff shows what differs before what one side lacks, opened, and what limits it', () => {
    const lacking = [...'123456789'].map((key) => objectOf(key, 'first'));
    const page = render(diffOf(...lacking, objectOf('0', 'both')), 'html');
    expect(/(?<=<details class="entry")[^>]*/.exec(page)?.[0]).toMatch(/data-address="A\/0".* open$/);
    expect(page).toMatch(/Limited by<.*--only A\/\*\*/);
  });

  it('keeps the ticks of two applies of one plan apart, and of two diffs of the same sides', () => {
    const keyOf = (shown: Parameters<typeof render>[0]) =>
      /data-digest="(.*?)"/.exec(render(shown, 'html'))?.[1];
    expect(keyOf(sampleResult)).not.toBe(keyOf({ ...sampleResult, startedAt: '2025-03-01T11:00:00.000Z' }));
    expect(keyOf(diffOf(objectOf('a', 'both', 'y')))).not.toBe(keyOf(diffOf(objectOf('a', 'both', 'z'))));
  });

  it('cuts an endless body of a request in HTML, and says how much is left', () => {
    const body = { subject: 'x'.repeat(30_000) };
    const long = { ...textUpdate, requests: textUpdate.requests.map((request) => ({ ...request, body })) };
    const page = render(plan([long]), 'html');
    const rest = JSON.stringify(body, null, 2).length - 20_000;
    expect(page).toContain(`… (${rest} characters more)`);
    expect(render(plan([textUpdate]), 'html')).not.toContain('characters more');
  });

  it('refuses a format that a document does not have, and names those it has', () => {
    expect(() => render(diagnostics, 'html')).toThrow('A diagnostics report cannot be written as html.');
    expect(formatsOf('result')).toEqual(['text', 'json', 'markdown', 'html', 'junit', 'github']);
  });
});
