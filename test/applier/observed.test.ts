/** What a live object shows of a change: all of it, a part, or something else. */
import { describe, expect, it } from 'vitest';
import { deviationsOf, foreignDifferences, hasEffect, judgeEffect } from '../../src/applier/verify.ts';
import { kindFrom } from '../../src/kinds/described-kind.ts';
import type { LiveObject } from '../../src/kinds/kind.ts';
import { profileSearch } from '../../src/kinds/profile-search.ts';
import { simIntegration } from '../../src/kinds/sim-integration.ts';
import type { Change, Difference } from '../../src/model/documents.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Pointer } from '../../src/model/pointer.ts';
import { descriptorFrom } from '../support/descriptor.ts';
import { liveFrom, secretsOf } from '../support/plan.ts';
import { change, diff, note, objectOf, request, sensitive, thing } from './things.ts';

const secrets = secretsOf({ S: '1234' });
const declaring = (declared: JsonObject, ...differences: readonly Difference[]) => ({
  kind: thing,
  change: change(thing, ['a'], { action: 'update', declared, diff: differences }),
});
const update = (...differences: readonly Difference[]) => ({
  kind: thing,
  change: change(thing, ['a'], { action: 'update', diff: differences }),
});
const live = (fields: JsonObject) => objectOf(thing, { id: '1', name: 'a', ...fields });
const isMet = (declared: JsonObject, fields: JsonObject) =>
  hasEffect(declaring(declared), live(fields), secrets);

describe('what is declared shows', () => {
  const having = (a: Json) => ({ attributes: { a } });
  const [x, y] = [
    { name: 'x', value: '1' },
    { name: 'y', value: '2' },
  ];
  const cases: [what: string, declared: JsonObject, shown: JsonObject, not: JsonObject][] = [
    ['a text', { text: 'x\ny' }, { text: 'x\r\ny' }, { text: 'z' }],
    ['a text that is cleared', { text: null }, { text: '' }, { text: 'x' }],
    [
      'a member of JSON text',
      having({ b: '1' }),
      { attributes: '{"a":{"b":1}}' },
      { attributes: '{"a":{"b":2}}' },
    ],
    ['a member beside others', having({ b: '1' }), having({ b: '1', c: '2' }), having({ c: '2' })],
    ['a member taken away', { attributes: { a: null } }, { attributes: {} }, { attributes: { a: 1 } }],
    ['an item of a set, wherever it is', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, { tags: ['b'] }],
    ['a record', { rows: [y, x] }, { rows: [x, y] }, { rows: [x] }],
    ['a secret, where its text is known', having({ $secret: 'S' }), having('1234'), having('5678')],
  ];
  it.each(cases)('%s', (_what, declared, shown, not) => {
    expect(isMet(declared, shown)).toBe(true);
    expect(isMet(declared, not)).toBe(false);
  });

  it('as far as it is known: a secret that is not set may have any text', () => {
    const declared = { attributes: { password: { $secret: 'UNSET' } } };
    expect(isMet(declared, { attributes: { password: 'any' } })).toBe(true);
  });

  it('by exactly the declared members of an object that a manifest declares whole', () => {
    const shows = (declared: Json, statusMap: JsonObject) => {
      const made = change(simIntegration, ['a'], { action: 'update', declared: { statusMap: declared } });
      const seen = liveFrom({ kind: 'SimIntegration', raw: { id: '1', name: 'a', statusMap } });
      return hasEffect({ kind: simIntegration, change: made }, seen, secrets);
    };
    expect(shows({ a: 'Failed' }, { a: 'Failed' })).toBe(true);
    expect(shows({ a: 'Failed' }, { a: 'Failed', b: 'Committed' })).toBe(false);
    expect(shows({ a: { b: 'Failed' } }, { a: { b: 'Failed' } })).toBe(true);
    expect(shows({ a: { b: 'Failed' } }, { a: { b: 'Failed', c: 'Committed' } })).toBe(false);
  });
});

it('a change is under way while every difference is as before or as after', () => {
  const both = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  expect(foreignDifferences(both, live({ text: 'b', rule: '1' }), secrets)).toEqual([]);
  expect(hasEffect(both, live({ text: 'b', rule: '1' }), secrets)).toBe(false);
  expect(hasEffect(both, live({ text: 'b', rule: '2' }), secrets)).toBe(true);
  expect(foreignDifferences(both, live({ text: 'c', rule: '1' }), secrets)).toEqual(['/text']);
  const requests = [request('PATCH', '/1'), request('PATCH', '/2')];
  const step = { index: 0, before: new Map([['Thing/a', 'sha256:0']]) };
  const gone = { live: null, others: [] };
  expect(judgeEffect({ ...both, change: { ...both.change, requests } }, step, gone, secrets)).toBe('unclear');
  const remove = { kind: thing, change: change(thing, ['a'], { action: 'delete', requests }) };
  expect(judgeEffect(remove, step, { ...gone, live: live({}) }, secrets)).toBe('unclear');
});

it('of what the plan conceals, nothing says how it was: it does not make a change foreign', () => {
  const concealed = declaring({ text: 'new', rule: '2' }, sensitive('/text'), diff('/rule', '1', '2'));
  expect(foreignDifferences(concealed, live({ text: 'x', rule: '1' }), secrets)).toEqual([]);
  expect(foreignDifferences(concealed, live({ text: 'x', rule: '3' }), secrets)).toEqual(['/rule']);
});

it('a difference that the tenant is known to ignore is not waited for', () => {
  const both = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  expect(hasEffect(both, live({ text: 'a', rule: '2' }), secrets, ['/text'])).toBe(true);
  expect(hasEffect(both, live({ text: 'a', rule: '1' }), secrets, ['/text'])).toBe(false);
});

it('a delete is reached when nothing is there', () => {
  const remove = { kind: thing, change: change(thing, ['a'], { action: 'delete' }) };
  expect(hasEffect(remove, null, secrets)).toBe(true);
  expect(hasEffect(remove, live({}), secrets)).toBe(false);
});

const hidden = (...places: readonly Pointer[]) => ({
  ...live({ text: 'before', attributes: { url: 'u', password: '****' } }),
  hidden: places,
});

it.each<[string, JsonObject, readonly Pointer[]]>([
  ['a field', { text: 'after' }, ['/text']],
  ['a member', { attributes: { password: 'new' } }, ['/attributes/password']],
  ['a part of a field', { attributes: { url: 'u', password: 'new' } }, ['/attributes/password']],
])(
  'a value that the tenant does not show is neither ignored nor rewritten: %s',
  (_name, declared, places) => {
    expect(hasEffect(declaring(declared), hidden(...places), secrets)).toBe(true);
    expect(hasEffect(declaring(declared), hidden(), secrets)).toBe(false);
  },
);

it('a new name is reached when the object has it, in any case where the kind folds it', () => {
  const renamed = (wanted: string) => ({
    kind: thing,
    change: change(thing, [wanted], { action: 'update', diff: [diff('/name', 'old', wanted)] }),
  });
  expect(hasEffect(renamed('A'), live({}), secrets)).toBe(true);
  expect(hasEffect(renamed('b'), live({}), secrets)).toBe(false);
  const made = change(note, ['A'], { action: 'update', diff: [diff('/key', 'old', 'A')] });
  const exact = { kind: note, change: made };
  expect(hasEffect(exact, objectOf(note, { key: 'a', text: 'x' }), secrets)).toBe(false);
  expect(hasEffect(exact, objectOf(note, { key: 'A', text: 'x' }), secrets)).toBe(true);
});

/** An update of an object that is now as it was planned from. */
const plannedFrom = (before: LiveObject, made: Change): Change => ({
  ...made,
  fingerprint: before.fingerprint(),
});

it('what was ignored is told apart from what was rewritten', () => {
  const before = live({ text: 'a', rule: '1' });
  const { kind, change: made } = update(diff('/text', 'a', 'b'), diff('/rule', '1', '2'));
  const entry = { kind, change: plannedFrom(before, made) };
  expect(deviationsOf(entry, live({ text: 'a', rule: '3' }), before, secrets)).toEqual({
    warnings: [
      'The tenant ignored /text: it is unchanged.',
      'The tenant rewrote /rule: it differs from what was sent.',
    ],
    unmet: ['/text', '/rule'],
    beside: [],
  });
});

it('of what the plan conceals, nobody can tell whether it was ignored or rewritten', () => {
  const concealed = declaring({ text: 'new' }, sensitive('/text'));
  expect(deviationsOf(concealed, live({ text: 'x' }), live({ text: 'x' }), secrets).warnings).toEqual([
    'The tenant does not show /text as it was written.',
  ]);
});

describe('a member that no change is about', () => {
  const off = diff('/attributes/off', { own: 1 }, null);
  const { change: made } = update(diff('/attributes/on', 'a', 'b'), off);
  const lost = (attributes: JsonObject, hidden: readonly Pointer[] = [], now: JsonObject = {}) => {
    const before = { ...live({ attributes: { on: 'a', off: { own: 1 }, ...attributes } }), hidden };
    const entry = { kind: thing, change: plannedFrom(before, made) };
    return deviationsOf(entry, live({ attributes: { on: 'b', ...now } }), before, secrets).warnings;
  };

  it('is lost where the object does not have it any more', () => {
    const names = ['own', 'none', 'list', 'group'];
    expect(lost({ own: 1, none: false, list: ['x'], group: { x: 1 } })).toEqual(
      names.map((name) => `The tenant removed /attributes/${name}, although no change asked for that.`),
    );
  });

  it('is not lost where the change takes it away, or the tenant gives it another value', () => {
    expect(lost({})).toEqual([]);
    expect(lost({ count: 1, group: { x: 1 } }, [], { count: 2, group: { x: 2 } })).toEqual([]);
  });

  it('is not lost where it had nothing, since hosts leave out or answer null for what is empty', () =>
    expect(lost({ a: null, b: '', c: [], d: {} })).toEqual([]));

  it('is not lost where the tenant hides its value, since some answers leave it out', () =>
    expect(lost({ password: '1:ACP:eA==' }, ['/attributes/password'])).toEqual([]));
});

it('a field that no change is about is told where it differs', () => {
  const before = live({ text: 'a', rule: '1', tags: ['x'], attributes: { own: 1 } });
  const { kind, change: made } = update(diff('/text', 'a', 'b'));
  const seen = live({ text: 'b', rule: '2', tags: ['x'], attributes: { own: 2 } });
  const entry = { kind, change: plannedFrom(before, made) };
  const { warnings, unmet, beside } = deviationsOf(entry, seen, before, secrets);
  // Settings that no manifest declares are left to the tenant.
  expect([warnings, unmet, beside]).toEqual([[], [], ['/rule']]);
});

describe('a record that no change is about', () => {
  const rule = (comparison_operator: string, value: string) => ({
    ...{ type: 'ProfileTypeRule', comparison_operator, value },
  });
  const search = (...rules: JsonObject[]) =>
    objectOf(profileSearch, { id: 's', label: 'Staff', condition_rules_attributes: rules });
  const wanted = [rule('==', 't1'), rule('!=', 't1')];
  const before = search(rule('==', 't2'));
  const made = change(profileSearch, ['Staff'], {
    action: 'update',
    declared: { rules: wanted },
    diff: [diff('/rules/0/value', 't2', 't1'), diff('/rules/1', null, rule('!=', 't1'))],
  });
  const told = (seen: LiveObject) =>
    deviationsOf({ kind: profileSearch, change: plannedFrom(before, made) }, seen, before, secrets).warnings;

  it('is none of those that the change adds or alters, in whatever order the tenant has them', () => {
    expect(told(search(...wanted))).toEqual([]);
    expect(told(search(...wanted.toReversed()))).toEqual([]);
  });

  it('is told where the tenant adds it', () =>
    expect(told(search(...wanted, rule('==', 't9')))).toEqual([
      'The tenant added items to /rules, although no change asked for that.',
    ]));
});

it('an item of a list without order, inside a field too, is told by its list', () => {
  const fields = { config: 'json' };
  const path = '/v2025/hooks';
  const kind = kindFrom(descriptorFrom({ kind: 'Hook', path, fields, places: { 'config/*': 'set' } }));
  const having = (...tags: readonly string[]) => objectOf(kind, { id: 'h', name: 'H', config: { tags } });
  const added = ['c', 'd'].map((tag, at) => diff(`/config/tags/${at + 1}`, null, tag));
  const declared = { config: { tags: ['a', 'c', 'd'] } };
  const differences = [diff('/config/tags/0', 'b', null), ...added];
  const made = change(kind, ['H'], { action: 'update', declared, diff: differences });
  const entry = { kind, change: plannedFrom(having('a', 'b'), made) };
  const told = (...tags: readonly string[]) => {
    const { warnings, unmet } = deviationsOf(entry, having(...tags), having('a', 'b'), secrets);
    return [warnings, unmet];
  };
  expect(told('d', 'c', 'a')).toEqual([[], []]);
  const more = 'The tenant added items to /config/tags, although no change asked for that.';
  expect(told('0', 'a', 'c', 'd')).toEqual([[more], ['/config/tags']]);
  const ignored = 'The tenant ignored changes to items of /config/tags: the list is not as requested.';
  expect(told('a', 'd')).toEqual([[ignored], ['/config/tags']]);
});
