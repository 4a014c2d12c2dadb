import { describe, expect, it } from 'vitest';
import {
  type Change,
  type ChangeResult,
  type Fleet,
  type FleetMember,
  fleetOf,
  notRun,
} from '../../src/model/documents.ts';
import type { Diagnostic } from '../../src/model/failure.ts';
import type { Format } from '../../src/report/report.ts';
import {
  difference,
  fleet,
  guard,
  lockout,
  names,
  outcome,
  render,
  result,
  senderDelete,
  textUpdate,
  update,
  withResults,
} from './fixtures.ts';

const longText = (seed: string) =>
  Array.from({ length: 40 }, (_, at) => `${seed} line ${at} of a text`).join('\n');
const long = (name: string): Change =>
  update(`NotificationTemplate/${name}/EMAIL/en`, difference('/body', longText('old'), longText(name)));
/** Environments that all plan one delete. */
const deleting = (count: number) => fleet(names(count), () => [senderDelete]);
const done = (...changes: readonly ChangeResult[]) => result(changes, { outcome: 'done' });
const shower = (shown: Fleet) => (format: Format) => render(shown, format);
const down = (name: string): Diagnostic => ({
  code: 'tenant-unreachable',
  severity: 'error',
  message: `The host ${name}.api.example.com is down, and no answer came from it within the time limit.`,
  hint: 'Check the base URL, the network, and whether the host is up.',
});

describe('the comment about 500 environments', () => {
  const all = names(500);
  const failed = (name: string) => name.endsWith('3');
  const many = fleet(all, (name) => {
    if (failed(name)) return down(name);
    return [
      long(name),
      ...(name.endsWith('07') ? [lockout] : []),
      ...(name.endsWith('9') ? [senderDelete] : []),
    ];
  });
  const comment = render(many, 'markdown');

  it('fits, and names every environment that failed', () => {
    expect(comment.length).toBeLessThan(65_536);
    const [table = ''] = /\| ❌ .*/.exec(comment) ?? [];
    expect(all.filter(failed).filter((name) => !table.includes(name))).toEqual([]);
    expect(table).toContain('tenant-unreachable');
  });

  it('says first how many lock-outs and deletes there are, and shows both changes', () => {
    const [first = ''] = /\*\*Read this first\*\*\n\n(\|.*\n)*/.exec(comment) ?? [];
    expect(first).toContain('**5 lock-outs**');
    expect(first).toContain('**50 deletes**');
    expect(comment).toMatch(/<code>~<\/code> <code>AuthProfile\/Employees<\/code> to update.*LOCK-OUT/);
    expect(comment).toMatch(/<code>-<\/code> <code>SenderAddress\/old@acme\.example<\/code> to delete/);
  });

  it('counts what it leaves out, and ends with the digest', () => {
    expect(comment).toMatch(
      /\*\*Cut to the length of a comment\.\*\*[\s\S]*\d+ NotificationTemplate, to update/,
    );
    expect(comment.trimEnd().endsWith(`Digest: \`${many.digest}\``)).toBe(true);
  });
});

it.each([
  [4, 'tenant-1, tenant-2, tenant-3, tenant-4'],
  [5, 'tenant-1, tenant-2, tenant-3 and 2 more'],
])('names %i environments that are alike as %s', (count, expected) => {
  const alike = fleet([...names(count), 'other'], (name) => (name === 'other' ? [lockout] : [senderDelete]));
  expect(render(alike, 'markdown')).toContain(`: ${expected}\n`);
});

it.each(['plan', 'result'])('says whose requests a %s shows that several share', (what) => {
  const requests = [
    { method: 'POST', path: '/x', status: 200, trackingId: null, attempts: 1, ms: 1 },
  ] as const;
  const planned = fleet(names(2), () => [textUpdate]);
  const done = result([outcome({ address: textUpdate.address, outcome: 'done', requests })]);
  const of = what === 'plan' ? planned : withResults(planned, () => done);
  const page = render(of, 'html').replaceAll(/<[^>]*>/g, '');
  expect(page).toMatch(what === 'plan' ? /The requests are those of tenant-1\./ : /tenant-1: POST \/x/);
  expect(render(of, 'text', { verbose: true })).toMatch(/ tenant-1: POST \//);
});

it('says whose requests those are of several environments only, and where there are some', () => {
  const [one, two] = [fleet(names(1), () => [textUpdate]), fleet(names(2), () => [senderDelete])];
  expect(render(one, 'text', { verbose: true })).toMatch(/ {6}→ POST \//);
  expect(render(two, 'html')).not.toContain('The requests are those of');
});

it('of plans beside results says how many environments were applied, and how many only planned', () => {
  const show = shower(withResults(deleting(3), (_, at) => (at === 0 ? done() : undefined)));
  expect(show('text')).toContain('3 environments: 1 applied, 2 planned.');
  // What those will delete is not lost beside what the others have done.
  expect(show('text')).toMatch(/tenant-2 +only planned: 1 to delete\n/);
  expect(show('text')).toMatch(/In 2 of 3: tenant-2, tenant-3\n\n {2}- SenderAddress\/old@acme.example/);
  expect(show('text')).toMatch(
    / {2}HIGH +2 deletes +SenderAddress\/old@acme.example in tenant-2, tenant-3 · /,
  );
  expect(show('markdown')).toContain(
    '#### In 2 of 3: tenant-2, tenant-3\n\n<details><summary><code>-</code>',
  );
  expect(show('html')).toMatch(/In 2 of 3: tenant-2, tenant-3[\s\S]*id="change\/SenderAddress\/old%40acme/);
  // An apply that could not begin is over, too.
  const error = { exitCode: 1, diagnostics: [down('b')] } as const;
  const refused = deleting(2).environments.map((each): FleetMember => {
    return { ...each, error, result: null };
  });
  expect(shower(fleetOf(refused))('text')).not.toContain('SenderAddress/old');
});

it('tells what a tenant did not do as asked', () => {
  const ignored = outcome({ address: 'A/b', outcome: 'done', warnings: ['The tenant ignored a field.'] });
  const fine = outcome({ address: 'A/c', outcome: 'done' });
  const show = shower(withResults(deleting(1), () => done(ignored, fine)));
  for (const report of [show('text'), show('markdown')]) {
    expect(report).toMatch(/A\/b[\s\S]*The tenant ignored a field\./);
    expect(report).not.toContain('A/c');
  }
  // The page has both, and says so of a change that is folded.
  expect(show('html').match(/<span class="risk">1 warning<\/span>/g)).toHaveLength(1);
});

it('counts the steps by hand of an apply by themselves, as the report of one environment does', () => {
  const made = outcome({ address: 'A/b', outcome: 'done' });
  const byHand = outcome({ address: 'A/c', action: 'manual', outcome: 'notAttempted' });
  const results = [done(made), done(made, byHand, byHand)];
  const show = shower(withResults(deleting(2), (_, at) => results[at]));
  expect(show('text')).toMatch(/not attempted {2}unknown {2}by hand\n/);
  expect(show('text')).toMatch(/tenant-1 +1 +0 +0 +0 +0 +0\n +tenant-2 +1 +0 +0 +0 +0 +2\n/);
  expect(show('markdown')).toContain('| tenant-2 | **1** | 0 | 0 | 0 | 0 | **2** |');
  // The number filters the changes that it counts.
  expect(show('html')).toContain('<div class="tile zero"><b>0</b> <span>not attempted</span>');
  expect(show('html')).toMatch(/data-filter="manual" aria-pressed="false"><b>2<\/b>/);
});

it('of results tells what failed first, and a step by hand once for all environments', () => {
  const task = { address: 'A/task', action: 'manual', outcome: 'notAttempted' } as const;
  const byHand = outcome({ ...task, warnings: ['Do it.'] });
  const broken = outcome({ address: 'A/broken', outcome: 'failed', error: '400 Bad request.' });
  const show = shower(
    withResults(deleting(50), (name) => (name === 'tenant-31' ? result([byHand, broken]) : done(byHand))),
  );
  for (const format of ['text', 'markdown', 'html'] as const) {
    const report = show(format);
    const [first = '', ...others] = report.replaceAll(/<[^>]*>/g, '').split(/In 50 of 50: tenant-01/);
    expect(first).toMatch(/A\/broken[\s\S]*400 Bad request\./);
    expect(others).toHaveLength(1);
    // Among what is left to do, and in the list: there in the title and below it.
    expect(report.match(/Do\s+it\./g)).toHaveLength(format === 'html' ? 3 : 2);
  }
});

it('of results tells each error, also where a change failed in several environments', () => {
  const partial = withResults(deleting(3), (_, at) => {
    const error = at === 0 ? '403 Forbidden.' : '409 Conflict.';
    return result([outcome({ address: 'A/b', outcome: 'failed', error })]);
  });
  expect(render(partial, 'html')).toMatch(
    /In 2 of 3: tenant-2, tenant-3[\s\S]*409 Conflict[\s\S]*Only in tenant-1[\s\S]*403 Forbidden/,
  );
});

it('of results says once how to go on where something is left', () => {
  const partial = withResults(deleting(3), () => result([]));
  for (const format of ['text', 'markdown'] as const)
    expect(render(partial, format).match(/^To finish/gm)).toHaveLength(1);
  expect(render(partial, 'text')).toMatch(/✖ tenant-1 [\d ]+Applied in part\n/);
});

it('of results tells why a run was refused, and what went wrong after an apply', () => {
  const results = [result([], { outcome: 'refused', diagnostics: [guard] }), result([])];
  const { environments } = withResults(deleting(2), (_, at) => results[at]);
  const error = { exitCode: 1 as const, diagnostics: [down('b')] };
  const both = fleetOf(environments.map((each, at) => (at === 0 ? each : { ...each, error })));
  for (const format of ['text', 'markdown', 'html', 'junit'] as const) {
    expect(render(both, format), format).toContain(guard.message);
    expect(render(both, format), format).toContain(down('b').message.slice(0, 40));
  }
});

it('names no command to apply plans of which one failed', () => {
  const command = (failed: string) =>
    render(
      fleet(names(2), (name) => (name === failed ? down(name) : [textUpdate])),
      'text',
      { applyWith: ['plan.json'] },
    ).includes('tenantctl apply plan.json');
  expect([command(''), command('tenant-1')]).toEqual([true, false]);
});

it('counts the objects that no manifest names in all tenants', () => {
  const counted = deleting(3).environments.map(({ plan, ...each }, at) => ({
    ...each,
    plan: plan && { ...plan, summary: { ...plan.summary, undeclared: at } },
  }));
  const show = shower(fleetOf(counted));
  expect(show('text')).toMatch(/unchanged, 3 undeclared\.\n/);
  expect(show('html')).toContain('<b>3</b> <span>undeclared</span>');
});

it('says of a plan that a guard refused that it is refused', () => {
  const guarded = deleting(2).environments.map(({ plan, ...each }, at) => ({
    ...each,
    plan: plan && { ...plan, diagnostics: at === 0 ? [guard] : [] },
  }));
  const show = shower(fleetOf(guarded));
  expect(show('text')).toMatch(/✖ tenant-1 [\d ]+REFUSED: this\s+plan\s+cannot\s+be\s+applied\.\n/);
  expect(show('text')).toContain('2 environments: 1 planned, 1 failed.');
  expect(show('html')).toContain('✖ tenant-1 <small>REFUSED: this plan cannot be applied.</small>');
  expect(show('markdown')).toContain(
    '| ❌ tenant-1 · REFUSED: this plan cannot be applied. | 0 | 0 | **1** |',
  );
});

it('says that all tenants match only where each could be planned', () => {
  const isSaid = (count: number, broken = '') => {
    const planned = fleet(names(count), (name) => (name === broken ? down(name) : []));
    return render(planned, 'text').includes('All tenants match');
  };
  expect([isSaid(2), isSaid(3, 'tenant-2'), isSaid(0)]).toEqual([true, false, false]);
});

it('keeps a change apart in the environment in which it has a risk', () => {
  const risky = { ...senderDelete, risk: [...senderDelete.risk, 'undoes-tenant-change' as const] };
  const both = fleet(names(2), (name) => [name === 'tenant-2' ? risky : senderDelete]);
  for (const format of ['text', 'markdown'] as const) {
    const [first = '', second = ''] = render(both, format).split('Only in tenant-2');
    expect(first).toContain('Only in tenant-1');
    expect(first).not.toContain('UNDOES A CHANGE');
    expect(second).toMatch(/UNDOES A CHANGE\W+someone changed this in the tenant/);
  }
});

it('has what most environments share first, whatever is grave in one of them', () => {
  const planned = fleet(names(2), (name) => [textUpdate, ...(name === 'tenant-2' ? [lockout] : [])]);
  expect(render(planned, 'markdown').match(/^#### .*/gm)).toEqual([
    '#### In 2 of 2: tenant-1, tenant-2',
    '#### Only in tenant-2',
  ]);
});

it('has its numbers below their headings in a terminal, however long the names are', () => {
  const many = fleet(
    Array.from({ length: 60 }, (_, at) => `customer-${1000 + at}`),
    () => [senderDelete],
  );
  const lines = render(many, 'text').split('\n');
  const at = lines.findIndex((line) => line.includes('to create'));
  const [head = '', named, counts = ''] = lines.slice(at, at + 3);
  expect(named).toBe('    customer-1000, customer-1001, customer-1002 and 57 more');
  const ends = (line: string, words: RegExp) =>
    [...line.matchAll(words)].map((each) => each.index + each[0].length);
  expect(ends(counts, /\d+/g)).toEqual(ends(head, /to \w+|by hand|unchanged/g));
});

it('of one environment counts it as one', () =>
  expect(render(deleting(1), 'text')).toContain('1 environment: 1 planned.'));

it('names the error of an environment that failed, and not a remark before it', () => {
  const remark = { ...down('a'), code: 'sim-deprecated', severity: 'info' as const };
  const failed = fleetOf([
    { name: 'a', plan: null, error: { exitCode: 1, diagnostics: [remark, down('a')] } },
    { name: 'b', plan: null, error: { exitCode: 1, diagnostics: [down('b')] } },
  ]);
  expect(render(failed, 'text')).toMatch(/✖ a +tenant-unreachable\n/);
  expect(render(failed, 'markdown')).toMatch(/\| ❌ a \| \S*tenant-unreachable/);
});

const mixed = fleetOf(
  ['a', 'b', 'c', 'd'].map((name) => ({
    name,
    plan: null,
    error: name === 'c' ? { exitCode: 1 as const, diagnostics: [down('c')] } : notRun,
  })),
);
const show = shower(mixed);

it('environments that were not run come after those that failed, and are told together', () => {
  const text = show('text');
  expect(text).toMatch(/✖ c +tenant-unreachable\n +a +not run\n +b +not run\n +d +not run\n/);
  expect(text).toMatch(/^c\n[\s\S]*^a, b, d\n/m);
  expect(text).toContain('4 environments: 1 failed, 3 not run.');
  expect(show('markdown')).toMatch(/\| ❌ c \|[\s\S]*\| a \| not run \|[\s\S]*#### c\n[\s\S]*#### a, b, d\n/);
  expect(show('html')).toContain('<strong>Failed: c</strong>');
  expect(show('junit')).toContain('tests="4" failures="1" errors="0" skipped="3"');
});

it('shows a change once where only the file of the overlay differs, and names the overlays', () => {
  const overlaid = (name: string) =>
    update('NotificationTemplate/k/EMAIL/en', {
      ...difference('/replyTo', 'old@acme.example', 'help@acme.example'),
      overlay: { file: `environments/${name}.yaml`, line: 4 },
    });
  const secret = (name: string) => {
    return update('SimIntegration/a', ...overlaid(name).diff.map((each) => ({ ...each, sensitive: true })));
  };
  expect(
    render(
      fleet(names(5), (name) => [secret(name)]),
      'text',
    ).match(/\(sensitive\)/g),
  ).toHaveLength(1);
  const many = fleet(names(5), (name) => [overlaid(name)]);
  for (const format of ['text', 'markdown', 'html'] as const) {
    const report = render(many, format, { width: 300 });
    expect(report).toContain('In 5 of 5: tenant-1, tenant-2, tenant-3 and 2 more');
    expect(report, format).not.toContain('Only in');
    expect(report.replaceAll('\\', '')).toContain(
      'set by overlays in environments/tenant-1.yaml:4, environments/tenant-2.yaml:4, environments/tenant-3.yaml:4 and 2 more',
    );
  }
});

it('says in one line which tenants a lock-out is in, whatever else differs there', () => {
  const many = fleet([...names(10), 'other'], (name) =>
    name === 'other'
      ? [senderDelete]
      : [{ ...lockout, diff: [...lockout.diff, difference('/applicationId', 'old', name)] }],
  );
  const inTen = names(10).join(', ');
  const show = (format: Format) => render(many, format, { width: 200 });
  const text = show('text').replace(/ +/g, ' ');
  expect(text).toContain(`10 lock-outs AuthProfile/Employees in ${inTen} · offNetwork: false → true ·`);
  expect(text).toContain('1 delete SenderAddress/old@acme.example in other · is removed from the tenant\n');
  expect(show('markdown')).toContain(`| **10 lock-outs** | \`AuthProfile/Employees\` in ${inTen} |`);
  const [point = ''] = /<li class="high">.*?<\/ul>/s.exec(show('html')) ?? [];
  expect(point.match(/<a href/g)).toHaveLength(1);
  expect(point.replace(/<[^>]*>/g, '')).toContain(`AuthProfile/Employees in ${inTen}`);
});
