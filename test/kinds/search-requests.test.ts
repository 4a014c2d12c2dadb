/** The rules of a saved search on the wire, written by hand from the API documents. */
import { describe, expect, it } from 'vitest';
import { comparable } from '../../src/kinds/field.ts';
import type { Field } from '../../src/kinds/kind.ts';
import { profileSearch, runRules, runSaved } from '../../src/kinds/profile-search.ts';
import { recordIdsIn } from '../../src/kinds/references.ts';
import {
  canonicalJson,
  getObject,
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
} from '../../src/model/json.ts';
import { lookupMarker } from '../../src/model/marker.ts';
import { type ApiSettings, contractSettings } from '../../src/model/tenant.ts';
import { answers, planOf, resource } from '../support/plan.ts';

const status = (value: string, more: JsonObject = {}): JsonObject => ({
  type: 'ProfileStatusRule',
  comparison_operator: '==',
  value,
  ...more,
});
const attribute = (value: string, more: JsonObject = {}): JsonObject => ({
  type: 'ProfileAttributeRule',
  object_type: 'NeAttribute',
  condition_object_id: 'a1',
  comparison_operator: '==',
  value,
  ...more,
});

const rulesField: Field = profileSearch.fields.rules ?? { is: 'value' };
const withAttributeClass = (rule: JsonObject, settings: ApiSettings) =>
  objectsIn(profileSearch.quirks?.complete?.({ rules: [rule] }, settings)?.rules)[0];
const rulesIn = (body: Json) =>
  isObject(body) ? objectsIn(getObject(body, 'advanced_search').condition_rules_attributes) : [];
const newRule = (rule: JsonObject, settings: ApiSettings) =>
  rulesIn(runRules({ rules: [rule] }, settings).body)[0];

describe('on a host whose rules name the class of their attribute', () => {
  const settings: ApiSettings = { ...contractSettings, profileSearchObjectType: 'attribute_class' };
  const { object_type: _, ...unclassed } = attribute('x');
  const classOf = (where: Record<string, string>) => ({
    ...unclassed,
    condition_object_type: lookupMarker({ from: 'ne_attributes', where, take: 'type' }),
  });

  it('a rule that names one, and one about no attribute, stay as they are', () => {
    const profiles = lookupMarker({ from: 'profiles', where: { name: 'A' }, take: 'id' });
    const kept: JsonObject[] = [
      attribute('x', { object_type: 'DateAttribute' }),
      attribute('x', { condition_object_id: profiles }),
      status('Active'),
      status('Active', { condition_object_id: 'a1' }),
    ];
    expect(kept.map((rule) => withAttributeClass(rule, settings))).toEqual(kept);
    const elsewhere = { ...settings, profileSearchObjectType: 'object_type' } as const;
    expect(withAttributeClass(attribute('x'), elsewhere)).toEqual(attribute('x'));
    expect(withAttributeClass(attribute('x'), settings)).not.toHaveProperty('object_type');
    for (const id of [null, 7]) {
      const rule = { ...unclassed, condition_object_id: id };
      expect(withAttributeClass(rule, settings)).toEqual(rule);
    }
    const { condition_object_id: _id, ...without } = unclassed;
    expect(withAttributeClass(without, settings)).toEqual(without);
  });

  it('a rule that names none gets that of its attribute by a lookup, by the id or by what finds it', () => {
    expect(withAttributeClass(unclassed, settings)).toEqual(classOf({ id: 'a1' }));
    const where = { uid: 'department' };
    const found = { condition_object_id: lookupMarker({ from: 'ne_attributes', where, take: 'id' }) };
    expect(withAttributeClass({ ...unclassed, ...found }, settings)).toEqual({ ...classOf(where), ...found });
  });

  it('every rule of a search that needs one gets one', () => {
    const fields = { rules: [unclassed, status('A'), 'odd'], note: [unclassed] };
    const complete = { ...fields, rules: [classOf({ id: 'a1' }), status('A'), 'odd'] };
    expect(profileSearch.quirks?.complete?.(fields, settings)).toEqual(complete);
    expect(profileSearch.quirks?.complete?.({ rules: null }, settings)).toEqual({ rules: null });
    expect(profileSearch.quirks?.complete?.(fields, contractSettings)).toEqual(fields);
  });
});

describe('a rule whose class is another one', () => {
  const other = { secondary_value: 'after', value: 'Today', comparison_operator: '<' };

  it('loses what is declared null, and sends no other member that is unset', () => {
    const live = { id: 'r1', ...attribute('Today'), ...other, object_type: 'ProfileType', note: null };
    const [sent] = rulesIn(patch([attribute('Today', { ...other, secondary_value: null })], [live]));
    expect(sent).toMatchObject({ id: 'r1', object_type: 'NeAttribute', secondary_value: null });
    expect(sent).not.toHaveProperty('note');
  });

  it('never passes for a marker of tenantctl, whatever the tenant holds', () => {
    const live = { id: 'r1', ...attribute('Today'), note: { $secret: 'SNOW_PASSWORD' }, unset: null };
    const sent = JSON.stringify(patch([attribute('Tomorrow')], [live]));
    expect(sent).toContain(JSON.stringify({ $literal: { $secret: 'SNOW_PASSWORD' } }));
    expect(sent).not.toContain('unset');
  });
});

function patch(declared: JsonObject[], live: JsonObject[], settings: Partial<ApiSettings> = {}) {
  const { changes } = planOf({
    declared: [resource('ProfileSearch', ['S'], { rules: declared })],
    live: [answers.search(1, 'S', live)],
    settings,
  });
  return changes[0]?.requests[0]?.body ?? null;
}
const rules = (...list: JsonObject[]) => ({ advanced_search: { condition_rules_attributes: list } });

describe('a changed rule', () => {
  it('keeps the members that the manifest leaves out', () => {
    const { object_type: _, ...declared } = attribute('New');
    const live = attribute('Old', { id: 'r1' });
    const changed = attribute('New', { id: 'r1' });
    expect(patch([declared], [live])).toEqual(rules(changed));
    const { comparison_operator: _operator, ...without } = attribute('New');
    const other = { comparison_operator: '!=' };
    expect(patch([without], [{ ...live, ...other }])).toEqual(rules({ ...changed, ...other }));
  });

  it('is sent with its own id, whatever type that has', () =>
    expect(patch([status('B')], [status('A', { id: 7 })])).toEqual(rules(status('B', { id: 7 }))));

  it('leaves a rule out that agrees, whatever else changes', () => {
    const live = [attribute('x', { id: 'r1' }), status('A', { id: 'r2' })];
    expect(patch([status('B'), attribute('x')], live)).toEqual(rules(status('B', { id: 'r2' })));
    expect(patch([attribute('x')], live)).toEqual(rules({ id: 'r2', _destroy: true }));
    expect(patch([], live)).toEqual(rules({ id: 'r1', _destroy: true }, { id: 'r2', _destroy: true }));
  });

  it('is read from a wrapped answer too', () => {
    const search = { id: 1, label: 'S', condition_rules_attributes: [status('A', { id: 'r' })] };
    const live = [{ kind: 'ProfileSearch', raw: { advanced_search: search } }];
    const { changes } = planOf({
      declared: [resource('ProfileSearch', ['S'], { rules: [status('B')] })],
      live,
    });
    expect(changes[0]?.requests[0]?.body).toEqual(rules(status('B', { id: 'r' })));
  });
});

it('a new rule names the class of its attribute as the host calls it', () => {
  const { object_type: _, ...bare } = attribute('x');
  expect(patch([bare], [])).toEqual(rules(attribute('x')));
  const other = attribute('x', { object_type: 'Other' });
  expect(patch([other], [])).toEqual(rules(other));
});

it('a renamed search sends its label alone, and its rules only where they differ', () => {
  const live = [answers.search(1, 'S', [status('A', { id: 'r' })])];
  const lifecycle = { renamedFrom: ['S'] };
  const requestOf = (rules: JsonObject[]) =>
    planOf({ declared: [resource('ProfileSearch', ['New'], { rules }, { lifecycle })], live }).changes[0]
      ?.requests[0];
  const label = { label: 'New' };
  expect(requestOf([status('A')])).toMatchObject({ method: 'PATCH', path: '/api/advanced_search/1' });
  expect(requestOf([status('A')])?.body).toEqual({ advanced_search: label });
  const { advanced_search: changed } = rules(status('B', { id: 'r' }));
  expect(requestOf([status('B')])?.body).toEqual({ advanced_search: { ...label, ...changed } });
});

describe('running a search', () => {
  const settings = { ...contractSettings, profileSearchPath: '/api/searches' };

  it('sends the declared rules without saving them', () => {
    const { object_type: _, ...bare } = attribute('x');
    expect(runRules({ rules: [status('A'), bare, 'odd'] }, settings)).toEqual({
      method: 'POST',
      path: '/api/searches/run',
      query: {},
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: rules(status('A'), attribute('x')),
      lane: { service: 'profiles', group: 'api' },
    });
    expect(runRules({}, settings).body).toEqual(rules());
  });

  it('names a saved one by its id', () => {
    const path = '/api/searches/a%2F1/run';
    expect(runSaved('a/1', settings)).toMatchObject({ method: 'GET', path, body: null });
  });
});

describe('the records that rules refer to, by the places of the kind', () => {
  const of = (...list: JsonObject[]) => recordIdsIn(rulesField, list);

  it('are the profile type of a type rule', () => {
    expect(of({ type: 'ProfileTypeRule', value: 't1' })).toEqual([
      { at: '/0/value', id: 't1', from: 'profile_types' },
    ]);
    expect(of({ type: 'ProfileTypeRule', value: 7 })).toEqual([]);
  });

  it('are the attributes of an attribute rule, and its value where the type of the first says so', () => {
    const first = { at: '/1/condition_object_id', id: 'a1', from: 'ne_attributes' };
    const profiles = { profile_select: 'profiles', 'profile search': 'profiles' };
    const users = { user_search: 'users', 'owner select': 'users', contributor_select: 'users' };
    const from = expect.objectContaining({ ...profiles, ...users });
    expect(of(status('Active'), attribute('v', { secondary_attribute_id: 'a2' }))).toEqual([
      first,
      { at: '/1/value', id: 'v', typedBy: first, from },
      { at: '/1/secondary_attribute_id', id: 'a2', from: 'ne_attributes' },
    ]);
  });

  it('are none of a rule without an attribute, and none of other rules', () => {
    expect(of(attribute('v', { condition_object_id: null }))).toEqual([]);
    expect(of(status('Active'))).toEqual([]);
    expect(of({ type: 'OtherRule', condition_object_id: 'a1', value: 'v' })).toEqual([]);
  });
});

describe('the class of a rule that is changed', () => {
  const declared = (more: JsonObject = {}): JsonObject => {
    const { object_type: _, ...rule } = attribute('New');
    return { ...rule, ...more };
  };
  const live = (more: JsonObject): JsonObject => ({ ...declared(), value: 'Old', id: 'r1', ...more });
  const sent = (rule: JsonObject, row: JsonObject) => {
    const [{ id, ...changed } = {}] = rulesIn(patch([rule], [row]));
    expect(id).toBe(row.id);
    return changed;
  };

  const [usual, other] = [{ object_type: 'NeAttribute' }, { object_type: 'ProfileType' }];
  const [date, named] = [
    { condition_object_type: 'DateAttribute' },
    { condition_object_type: 'ProfileType' },
  ];

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['stays where none is declared', {}, other, other],
    ['stays under the name that the host gives it', usual, date, date],
    ['changes from another class to that of an attribute', usual, named, usual],
    ['changes from that of an attribute to another', other, usual, other],
    ['is added where the rule has none', {}, {}, usual],
    ['is sent as the manifest names it', named, usual, named],
  ])('%s', (_what, wanted, has, expected) =>
    expect(sent(declared(wanted), live(has))).toEqual({ ...declared(), ...expected }),
  );

  it('is none in a rule of another type', () =>
    expect(sent(status('B'), status('A', { id: 1, uid: 'u', created_at: 'x', updated_at: 'y' }))).toEqual(
      status('B'),
    ));

  it.each(['object_type', 'condition_object_type', 'attribute_class'] as const)(
    'is named as the host calls it: %s',
    (profileSearchObjectType) => {
      const name = profileSearchObjectType === 'object_type' ? 'object_type' : 'condition_object_type';
      const rule = newRule(declared(), { ...contractSettings, profileSearchObjectType });
      expect(rule).toEqual({ ...declared(), [name]: 'NeAttribute' });
    },
  );

  it('has no unset members in a new rule', () => {
    expect(newRule(status('A', { note: null }), contractSettings)).toEqual(status('A'));
    expect(newRule(declared(date), contractSettings)).toEqual(declared(date));
  });
});

const same = (one: JsonObject, other: JsonObject) =>
  canonicalJson(comparable(rulesField, [one])) === canonicalJson(comparable(rulesField, [other]));

it('two rules are the same whatever class of attribute a host names, under whichever name', () => {
  const rule = attribute('x');
  const { object_type: _, ...bare } = rule;
  expect(same(rule, { ...bare, condition_object_type: 'DateAttribute' })).toBe(true);
  expect(same(rule, { ...bare, object_type: 'TextFieldAttribute' })).toBe(true);
  expect(same(rule, { ...bare, condition_object_type: 'ProfileType' })).toBe(false);
  const [named, renamed] = [{ object_type: 'ProfileType' }, { condition_object_type: 'ProfileType' }];
  expect(same({ ...bare, ...named }, { ...bare, ...renamed })).toBe(true);
  expect(same(rule, bare)).toBe(false);
});

it('a rule is added beside rules whose ids the tenant does not show', () => {
  const added = status('Inactive', { comparison_operator: '!=' });
  expect(patch([status('Active'), added], [status('Active')])).toEqual(rules(added));
});
