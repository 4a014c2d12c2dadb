/** What several environments have in common is said once: of a change by field and by replacement, and of their plans. */
import { describe, expect, it } from 'vitest';
import { type Difference, fleetOf, type Plan } from '../../src/model/documents.ts';
import type { Format } from '../../src/report/report.ts';
import {
  added,
  difference,
  fleet,
  lockout,
  names,
  outcome,
  plan,
  render,
  result,
  update,
  withResults,
} from './fixtures.ts';

const tenants = names(50);
const address = 'NotificationTemplate/welcome/EMAIL/en';

/** The report of plans that change one template in a way of each tenant. */
function report(diffOf: (name: string) => readonly Difference[], format: Format = 'text', more = {}): string {
  const plans = fleet(tenants, (name) => [update(address, ...diffOf(name))]);
  return render(plans, format, { width: 200, ...more });
}

const paragraphs = (...lines: readonly string[]) =>
  [...lines.slice(0, 1), ...Array.from({ length: 12 }, (_, at) => `Line ${at}`), ...lines.slice(1)].join(
    '\n',
  );

const count = (text: string, part: RegExp) => text.match(part)?.length ?? 0;

describe('of a template in 50 tenants', () => {
  const subject = (name: string) => difference('/subject', `${name}: old words`, `${name}: new words`);

  it.each(['text', 'markdown', 'html'] as const)(
    'a body is in %s once, though the subject holds a variable',
    (format) => {
      const body = difference('/body', paragraphs('Hello', 'Old end'), paragraphs('Hello', 'New end'));
      const shown = report((name) => [subject(name), body], format);
      expect(count(shown.replaceAll(/<[^>]*>/g, ''), /\bNew end/g)).toBe(1);
      expect(shown).toContain('shown is tenant-01');
      expect(count(shown, /In 50 of 50/g)).toBe(1);
    },
  );

  it('a text is compared by replacement: what all have once, and what one has by itself', () => {
    const body = (name: string) =>
      difference(
        '/body',
        paragraphs(`Dear ${name}`, 'First old', 'Middle', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'Last old'),
        paragraphs(
          `Dear ${name}`,
          'First new',
          'Middle',
          ...['a', 'b', 'c', 'd', 'e', 'f', 'g'],
          name === 'tenant-07' ? 'Last of the seventh' : 'Last new',
        ),
      );
    const shown = report((name) => [body(name)]);
    expect(count(shown, /\+ First new/g)).toBe(1);
    expect(shown).toMatch(
      /~ body {2}\(shown is tenant-01\)\n {10}@@ line 11\n[^@]*\+ First new\n[^@+]*~ body/,
    );
    expect(shown).toMatch(/~ body {2}\(in all but tenant-07, shown is tenant-01\)\n[^@]*@@[^@]*\+ Last new/);
    expect(shown).toMatch(/~ body {2}\(in tenant-07\)\n[^@]*@@[^@]*\+ Last of the seventh\n\n/);
  });

  it('the lines of a new text are shared, and those with a variable are shown of some', () => {
    const shown = (more = {}) =>
      report((name) => [added('/body', paragraphs(`Dear ${name}`, 'Regards'))], 'text', more);
    expect(count(shown(), /\+ Regards/g)).toBe(1);
    expect(count(shown(), /\+ Dear tenant/g)).toBe(2);
    expect(shown()).toContain('body  (in tenant-02, and 48 other variants)');
    expect(count(shown({ verbose: true }), /\+ Dear tenant/g)).toBe(50);
    expect(count(shown(), /\+ Line 5$/gm)).toBe(1);
    expect(shown()).toMatch(/\+ body.*\n +@@ line 2\n +\+ Line 0\n/);
  });

  it('replaced lines are compared one by one, and those that are left out are no part of a block', () => {
    expect(report((name) => [difference('/body', 'a\nb\nc\nend\n', `A\n${name}\nC\nend\n`)])).toContain(
      `
       ~ body  (shown is tenant-01)
           @@ line 1
           - a
           + A
           @@ line 3
           - c
           + C
             end
       ~ body  (in tenant-01)
           @@ line 2
           - b
           + tenant-01
`.replaceAll('\n ', '\n'),
    );
  });

  it('a variable has the overlays of all, and the most common replacement is first', () => {
    const overlay = (name: string) => ({ file: `${name}.yaml`, line: 1 });
    const shown = render(
      fleet(['us', 'eu', 'x', 'y', 'y-2', 'y-3'], (name) => [
        update(
          address,
          { ...difference('/subject', `${name} old`, `${name} new`), overlay: overlay(name) },
          difference('/type', 'a', name === 'eu' ? 'b' : 'c'),
          ...(name < 'y' ? [difference('/replyTo', `${name === 'us'} old`, `${name === 'us'} new`)] : []),
        ),
      ]),
      'text',
      { width: 200 },
    );
    expect(shown).toContain(
      `      ~ subject  "eu old" → "eu new"  (shown is eu, set by overlays in eu.yaml:1, us.yaml:1, x.yaml:1 and 3 more)
      ~ type     "a" → "c"  (in all but eu)
      ~ type     "a" → "b"  (in eu)
      ~ replyTo  "false old" → "false new"  (in eu, us, x, shown is eu)
`,
    );
  });

  it.each([
    ['the same', ''],
    ['another', 'Dear '],
  ])('an overlay of some is not said to be of all, with %s text around it', (_what, start) => {
    const shown = render(
      fleet(['a', 'b', 'c'], (name) => {
        const around = start !== '' && name === 'a' ? 'Hello ' : start;
        const subject = difference('/subject', `${around}old words`, `${around}new words`);
        return [
          update(address, name === 'b' ? { ...subject, overlay: { file: 'b.yaml', line: 1 } } : subject),
        ];
      }),
      'text',
      { width: 200 },
    );
    expect(shown).toMatch(/~ subject .*\((?:shown is a, )?set by the overlay in b\.yaml:1 for b\)/);
  });

  it.each([
    ['words', 'mfa: on, vpn: on', 'mfa: off, vpn: on', 'mfa: on, vpn: off'],
    ['letters', 'ああ', 'いあ', 'あい'],
    ['lines', paragraphs('on', 'on'), paragraphs('off', 'on'), paragraphs('on', 'off')],
    ['new lines', 'end', 'a\nb\nend', 'b\na\nend'],
  ])('the same %s in another place are another replacement', (_what, before, after, other) => {
    const shown = report((name) => [difference('/body', before, name === 'tenant-07' ? other : after)]);
    expect(shown).toMatch(/~ body .*\(in all but tenant-07\)/);
    expect(shown).toMatch(/~ body .*\(in tenant-07\)/);
    expect(shown).not.toContain('shown is');
  });

  it('objects of other kinds, or that change alike in other tenants, are not the same', () => {
    const shown = render(
      fleet(['a', 'b'], (name) => [
        ...['a', 'b'].map((key) =>
          update(`A/${key}`, difference('/x', 1, 2), ...(name === key ? [difference('/y', 1, 2)] : [])),
        ),
        ...['A/c', 'B/c'].map((address) => update(address, difference('/x', 1, 2))),
      ]),
      'text',
    );
    expect(shown).not.toContain('the same in');
  });

  it('a field that only some of them change says in which', () => {
    const shown = report((name) => [
      difference('/description', 'Old', 'New'),
      ...(name === 'tenant-03' || name === 'tenant-31' ? [difference('/replyTo', 'a@b.c', 'd@e.f')] : []),
    ]);
    expect(shown).toMatch(/~ replyTo +"a@b.c" → "d@e.f" {2}\(in tenant-03, tenant-31\)/);
    expect(shown).toMatch(/~ description +"Old" → "New"\n/);
  });

  it('line endings alone are a difference', () => {
    const shown = report(() => [difference('/body', 'a\r\nb\r\nc\r\n', 'a\nb\nc\n')]);
    expect(shown).toContain('only line endings differ');
  });

  it('what cannot be compared is not joined', () => {
    const secret = (name: string): Difference => ({
      ...difference('/password', null, name < 'tenant-26' ? 'a' : 'b'),
      sensitive: true,
    });
    expect(
      count(
        report((name) => [secret(name)]),
        /password/g,
      ),
    ).toBe(2);
  });

  it.each(['', 'x'.repeat(80)])('what was declared otherwise before is not joined, after %j', (start) => {
    const shown = report((name) => {
      const base = `${start}${name < 'tenant-26' ? 'one' : 'other'}`;
      return [{ ...difference('/subject', `${start}old`, `${start}new`), base, origin: 'both' }];
    });
    expect(count(shown, /~ subject/g)).toBe(2);
  });

  it('objects are not the same that are so in the tenant that is shown alone', () => {
    const plans = fleet(names(2), (name) =>
      ['en', 'de'].map((locale) => {
        const start = name === 'tenant-1' ? 'Hello' : locale;
        return update(
          `NotificationTemplate/k/EMAIL/${locale}`,
          difference('/subject', `${start} old`, `${start} new`),
        );
      }),
    );
    expect(render(plans, 'text')).not.toContain('the same in 2 objects');
  });
});

it('says of each consequence of a lock-out which tenants have it', () => {
  const plans = fleet(names(3), (name) => [
    { ...lockout, diff: [difference('/type', name === 'tenant-2' ? 'PTA' : 'NON_PTA', 'BLOCK')] },
  ]);
  expect(render(plans, 'text', { width: 200 })).toContain('HIGH    3 lock-outs');
  expect(render(plans, 'text', { width: 200 })).toContain(
    'AuthProfile/Employees in tenant-1, tenant-2, tenant-3 · ' +
      'type: NON_PTA → BLOCK in all but tenant-2 · type: PTA → BLOCK in tenant-2\n',
  );
});

it('names the environments of a field, or the others where these are fewer', () => {
  const shown = (count: number) => {
    const plans = fleet(names(4), (name) => [
      update(
        address,
        difference('/description', 'a', 'b'),
        ...(names(4).indexOf(name) < count ? [difference('/replyTo', 'x', 'y')] : []),
      ),
    ]);
    return render(plans, 'text', { width: 200 });
  };
  expect(shown(2)).toContain('(in tenant-1, tenant-2)');
  expect(shown(3)).toContain('(in all but tenant-4)');
});

it('says of each tenant what somebody changed there, and of several no time of one', () => {
  const undone = (name: string) => ({
    ...update(address, {
      ...difference(name === 'tenant-3' ? '/subject' : '/description', 'by hand', 'declared'),
      origin: 'tenant' as const,
    }),
    risk: ['undoes-tenant-change'] as const,
    modified: '2026-01-01T00:00:00.000Z',
  });
  const shown = render(
    fleet(names(3), (name) => [undone(name)]),
    'text',
    { verbose: true, width: 200 },
  );
  expect(shown).toContain('description: by hand → declared, or in 1 other way\n');
  expect(shown).toMatch(/In 2 of 3: tenant-1, tenant-2\n[^!]+someone changed description in the tenant\n +~/);
  expect(shown).toMatch(
    /Only in tenant-3\n[^!]+someone changed subject in the tenant\n +in the tenant: last/,
  );
});

it('shows the id that an object has in one tenant only where the change is of that tenant alone', () => {
  const shown = (count: number) =>
    render(
      fleet(names(count), () => [lockout]),
      'markdown',
    );
  expect(shown(1)).toContain('id `p-1`');
  expect(shown(2)).not.toContain('p-1');
});

it('of results shows once what was written, though a value is that of each tenant', () => {
  const applied = withResults(
    fleet(names(3), () => []),
    (name) => {
      const fields = (word: string) => ({ subject: `${name}: ${word}` });
      const done = outcome({ address, outcome: 'done', before: fields('old'), after: fields('new') });
      return result([done], { outcome: 'done' });
    },
  );
  const page = render(applied, 'html');
  expect(count(page, /<details class="entry"/g)).toBe(1);
  expect(page).toContain('shown is tenant-1');
});

describe.each(['text', 'markdown', 'html'] as const)('plans of several environments as %s', (format) => {
  const shown = (...plans: readonly Partial<Plan>[]) => shownWith({ verbose: true }, ...plans);
  const shownWith = (more: { verbose: boolean }, ...plans: readonly Partial<Plan>[]) => {
    const members = plans.map((more, at) => ({ name: `eu-${at + 1}`, more }));
    const environments = members.map(({ name, more }) => {
      return { name, plan: plan([], { environment: name, ...more }), error: null };
    });
    const options = { width: 200, ...more };
    return render(fleetOf(environments), format, options).replaceAll(/<[^>]*>/g, '');
  };
  const scope = { only: ['A/**'], except: [], prune: false, since: 'v1' };

  it('say what limits them, as one plan does', () => {
    expect(shown({ scope }, { scope })).toMatch(/limited by\W*--only A\/\*\* --since v1(?! in)/i);
    expect(shown({ scope }, {})).toMatch(/limited by\W*--only A\/\*\* --since v1 in eu-1/i);
    expect(shown({}, {})).not.toMatch(/limited by/i);
  });

  it('say that they have nothing to compare', () => {
    const summary = { create: 0, update: 0, delete: 0, manual: 0, unchanged: 0 };
    expect(shown({ summary }, { summary })).toContain('No declared object is part of these plans.');
    expect(shown({ summary }, {})).toContain('All tenants match the manifests.');
  });

  it('name the objects that no manifest declares, and where', () => {
    const of = (...undeclared: readonly string[]): Partial<Plan> => {
      return { undeclared, summary: { ...plan([]).summary, undeclared: undeclared.length } };
    };
    const text = shown(of('A/x', 'A/y'), of('A/x'));
    expect(text).toContain('3 objects in the tenants that no manifest declares');
    expect(text).toMatch(/A\/x(?!\W+in)/);
    expect(text).toMatch(/A\/y\W+in eu-1/);
    // One of them was made with --since: a manifest that was removed may have left it.
    expect(shownWith({ verbose: false }, of('A/x'), { ...of('A/y'), scope })).toContain('A/y');
    expect(shown({}, {})).not.toContain('that no manifest declares');
  });
});
