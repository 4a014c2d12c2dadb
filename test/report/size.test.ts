/** How long reports are: what nobody reads hides what somebody has to. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import {
  change,
  difference,
  localesOf,
  lockout,
  outcome,
  plan,
  render,
  result,
  senderDelete,
  update,
} from './fixtures.ts';

const body = (at: number, word: string) =>
  Array.from({ length: 30 }, (_, line) => `<p>Paragraph ${line} of mail ${at}</p>`)
    .toSpliced(7, 1, `<p>${word} ${at}, as told</p>`)
    .join('\n');

/** E-mails of which each has another change, with what is grave at the end. */
function planOf(count: number): Plan {
  const mails = Array.from({ length: count - 2 }, (_, at) =>
    change({
      address: `NotificationTemplate/mail%20${at}/EMAIL/en`,
      action: 'update',
      diff: [
        difference('/subject', `Old ${at}`, `New ${at} mail`),
        difference('/body', body(at, 'old'), body(at, `new ${at}`)),
      ],
      requests: [{ method: 'POST', path: '/x', query: {}, headers: {}, body: { body: body(at, 'new') } }],
    }),
  );
  return plan([...mails, senderDelete, lockout]);
}

describe.each([
  [63, 400],
  [2000, 1500],
])('of %i changes, a terminal', (count, most) => {
  const text = (options = {}) => render(planOf(count), 'text', options);

  it(`shows at most ${most} lines, with what is grave whole and the rest counted`, () => {
    const shown = text();
    expect(shown.split('\n').length).toBeLessThanOrEqual(most);
    expect(shown).toContain('\n  ~ AuthProfile/Employees  id p-1  config/all.yaml:12\n      ⚠ LOCK-OUT: ');
    const [, more = '0'] = /^ {2}… and (\d+) more \(--verbose shows all\)$/m.exec(shown) ?? [];
    expect((shown.match(/^ {2}~ NotificationTemplate/gm)?.length ?? 0) + Number(more)).toBe(count - 2);
    expect(shown).toMatch(
      /^ {2}~ NotificationTemplate\/mail 40\/EMAIL\/en {2}subject: Old 40 → New 40 mail · body \+1 −1$/m,
    );
  });

  it('shows all when asked', () => {
    const shown = text({ verbose: true });
    expect(shown.match(/<p>new \d+ \d+, as told<\/p>/g)).toHaveLength(count - 2);
    expect(shown).not.toContain('more (--verbose');
  });
});

it('shows the same replacement once in a terminal, and names the other objects', () => {
  const locales = plan(localesOf(['de', 'en', 'fr', 'it', 'ja']));
  const shown = (verbose: boolean) => render(locales, 'text', { width: 200, verbose });
  const names = ['en', 'fr', 'it', 'ja'].map((locale) => `NotificationTemplate/k/EMAIL/${locale}`);
  expect(shown(false).match(/~ subject/g)).toHaveLength(1);
  expect(shown(false)).toContain(`      the same in 5 objects: also ${names.join(', ')}\n`);
  expect(shown(true).match(/~ subject/g)).toHaveLength(5);
});

it('counts every object that a terminal has no room for, also of those that are the same', () => {
  const pairs = Array.from({ length: 2600 }, (_, at) =>
    update(`SenderAddress/${at}`, difference('/name', `old${at >> 1}`, `new${at >> 1}`)),
  );
  const shown = render(plan(pairs), 'text');
  const [, more] = /… and (\d+) more/.exec(shown) ?? [];
  expect(2 * (shown.match(/the same in 2 objects/g)?.length ?? 0) + Number(more)).toBe(2600);
});

it('packs 63 changes into a page of at most 400 KB', () => {
  expect(render(planOf(63), 'html').length).toBeLessThanOrEqual(400_000);
});

it('tells once why several changes failed, and names all of them', () => {
  const error = '403 Forbidden. The client may not write.';
  const failed = ['A/a', 'A/b', 'B/c'].map((address) => outcome({ address, outcome: 'failed', error }));
  const other = outcome({ address: 'B/d', outcome: 'failed', error: '400 Bad request.' });
  const shown = (verbose: boolean) => render(result([...failed, other]), 'text', { verbose });
  expect(shown(false)).toMatch(
    /✖ failed +~ A\/a\n +403 Forbidden.*\n +the same in 3 objects: also A\/b, B\/c\n/,
  );
  expect(shown(false)).toMatch(/✖ failed +~ B\/d\n +400 Bad request/);
  expect(shown(true).match(/^ {6}403 Forbidden/gm)).toHaveLength(3);
  const comment = render(result(failed), 'markdown');
  expect(comment).toContain('The same in `A/a`, `A/b`');
});
