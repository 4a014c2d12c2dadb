import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import type { Json } from '../../src/model/json.ts';
import { lookedUpWords, lookupMarker } from '../../src/model/marker.ts';
import { defaultsFor, withoutDefault } from '../../src/planner/index.ts';
import { readRequestsFor } from '../../src/planner/input.ts';
import { matchAll } from '../../src/planner/match.ts';
import { fillLookups, lookedUpBy, lookupsIn } from '../../src/planner/references.ts';
import { answers, inputOf, liveObjects, type PlanCase, planOf, resource } from '../support/plan.ts';
import { kinds, profile, ref, role } from './referring.ts';

const search = (label: string, lifecycle = {}) => resource('ProfileSearch', [label], {}, { lifecycle });
const sender = (email: string, more = {}) => resource('SenderAddress', [email], {}, more);

const reads = (given: PlanCase) =>
  readRequestsFor(inputOf(given)).map(({ kind, keys, ids, complete }) => [kind.name, keys, ids, complete]);

describe('what a plan reads', () => {
  it('are the objects of the kinds that manifests declare, and of no others', () => {
    expect(reads({ declared: [] })).toEqual([]);
    expect(reads({ declared: [search('A'), sender('x@a.example'), search('B')] })).toEqual([
      ['SenderAddress', [['x@a.example']], [], false],
      ['ProfileSearch', [['A'], ['B']], [], false],
    ]);
  });

  it('is only what is in scope', () => {
    const declared = [search('A'), search('B'), sender('x@a.example')];
    const chosen = reads({ declared, scope: { only: ['ProfileSearch/*'], except: ['ProfileSearch/B'] } });
    expect(chosen).toEqual([['ProfileSearch', [['A']], [], false]]);
  });

  it('are both names of an object that is renamed, and one of an object named twice', () => {
    const declared = [search('New', { renamedFrom: ['Old'] }), sender('X@a.example')];
    const previous = [search('Old'), sender('x@A.example')];
    const [senders, searches] = reads({ declared, previous });
    expect(searches?.[1]).toEqual([['New'], ['Old']]);
    expect(senders?.[1]).toHaveLength(1);
  });

  it('are pinned ids, each once', () => {
    const pinned = (name: string, id: string | null) => resource('AuthProfile', [name], {}, { id });
    const [profiles] = reads({ declared: [pinned('A', 'p1'), pinned('B', null), pinned('C', 'p1')] });
    expect(profiles).toEqual(['AuthProfile', [['A'], ['B'], ['C']], ['p1'], false]);
  });

  it('may be two objects of one name where a manifest only refers to them, and not where one declares it', () => {
    const profiles = ['Profile/Declared', 'Profile/Referred'].map(ref);
    const { environment, ...input } = inputOf({
      declared: [resource(role, ['Reader'], { profiles }), resource(profile, ['Declared'])],
    });
    const requests = readRequestsFor({ ...input, environment: { ...environment, kinds } });
    expect(requests.find(({ kind }) => kind === profile)).toMatchObject({
      keys: [['Declared'], ['Referred']],
      allowsDuplicates: [['Referred']],
    });
  });

  it('are objects that were only referred to before, of a kind that is read for another reason', () => {
    const reader = (name: string) => resource(role, ['Reader'], { profiles: [ref(`Profile/${name}`)] });
    const { environment, ...input } = inputOf({ declared: [reader('New')], previous: [reader('Old')] });
    const requests = readRequestsFor({ ...input, environment: { ...environment, kinds } });
    expect(requests.find(({ kind }) => kind === profile)?.keys).toEqual([['New'], ['Old']]);
  });

  it('is the whole list where something of the kind may be deleted', () => {
    const declared = [sender('a@a.example'), sender('b@a.example')];
    const complete = (given: Partial<PlanCase>) => reads({ declared, ...given })[0]?.[3];
    expect(complete({})).toBe(false);
    expect(complete({ scope: { since: 'HEAD~1' } })).toBe(true);
    const gone = [sender('a@a.example'), sender('b@a.example', { ensure: 'absent' })];
    expect(complete({ declared: gone })).toBe(true);
  });

  it('is the whole list of a kind that is pruned, also without any manifest, and only with --prune', () => {
    const policy = { prune: { kinds: ['SenderAddress'], keep: [] } };
    expect(reads({ declared: [search('A')], policy, scope: { prune: true } })).toEqual([
      ['SenderAddress', [], [], true],
      ['ProfileSearch', [['A']], [], false],
    ]);
    expect(reads({ declared: [search('A')], policy })).toHaveLength(1);
  });
});

describe("the vendor's defaults", () => {
  const template = (key: string, more = {}) =>
    resource('NotificationTemplate', [key, 'EMAIL', 'en'], { subject: 'Hello' }, more);
  const asked = (given: PlanCase) =>
    defaultsFor(matchAll(inputOf(given))).map(({ kind, keys, complete }) => [kind.name, keys, complete]);

  it('are asked for where a template is created or goes back to its default', () => {
    const gone = template('gone', { ensure: 'absent' });
    const declared = [template('new'), template('there'), gone, sender('a@a.example')];
    const live = [answers.template('there'), answers.template('gone')];
    const keys = ['new', 'gone'].map((key) => [key, 'EMAIL', 'en']);
    expect(asked({ declared, live })).toEqual([['NotificationTemplate', keys, false]]);
    expect(asked({ declared: [template('there'), sender('a@a.example')], live })).toEqual([]);
  });

  it('lack the keys that are unknown', () => {
    const declared = [template('welcome'), template('bye'), sender('a@a.example')];
    const { missing } = matchAll(inputOf({ declared }));
    const unknown = (...keys: readonly string[]) => {
      const defaults = liveObjects(keys.map((key) => answers.template(key, {}, null)));
      return withoutDefault(missing, defaults).map(({ resource: { key } }) => key[0]);
    };
    expect(unknown('welcome', 'bye')).toEqual([]);
    expect(unknown('welcome')).toEqual(['bye']);
    expect(unknown()).toEqual(['welcome', 'bye']);
  });

  it('name the key that was probably meant, with the place of the manifest', () => {
    const defaults = ['welcome', 'goodbye'].flatMap((key) =>
      ['en', 'de'].map((locale) => answers.template(key, { locale }, null)),
    );
    const declaration = { digest: () => '', differsHere: () => [], isEnsuredHere: false };
    const problems = (...keys: string[]) => {
      try {
        planOf({ declared: keys.map((key) => ({ ...template(key), declaration })), defaults });
      } catch (error) {
        if (error instanceof Failure) return error.diagnostics;
      }
      return null;
    };
    expect(problems('welcom')).toEqual([
      {
        code: 'unknown-key',
        severity: 'error',
        message:
          'The tenant has no default NotificationTemplate with the key "welcom", so it cannot be created.',
        source: { file: 'config/test.yaml', line: 1, column: 1 },
        excerpt: '',
        address: 'NotificationTemplate/welcom/EMAIL/en',
        hint: 'Did you mean `welcome`?',
      },
    ]);
    // The keys cannot be seen elsewhere, and are told once.
    const hints = problems('something', 'else')?.map(({ hint }) => hint);
    expect(hints).toEqual(['Keys with a default: goodbye, welcome.', undefined]);
    expect(problems('welcome')).toBeNull();
  });

  it('of another medium or locale are enough to know a key, and the plan says that none was exact', () => {
    const declared = [resource('NotificationTemplate', ['a', 'SLACK', 'de'], { subject: 'Hallo' })];
    const warnings = (raw: object) =>
      planOf({ declared, defaults: [answers.template('a', { ...raw }, null)] }).changes[0]?.warnings ?? [];
    const none = /no default for exactly this object/;
    expect(warnings({ medium: 'EMAIL', locale: 'en' }).join()).toMatch(none);
    expect(warnings({ medium: 'SLACK', locale: 'de' }).join()).not.toMatch(none);
    expect(planOf({ declared: [sender('a@a.example')] }).changes[0]?.warnings).toEqual([]);
  });
});

const fromProfiles = { from: 'profiles', where: { name: 'A', uid: 'a' }, take: 'id' };
const searchFor = (value: object) =>
  resource('ProfileSearch', ['S'], { rules: [{ type: 'T', value: { ...value } }, 'text', null] });

describe('the lookups of manifests', () => {
  it('are found once, with every place that uses them', () => {
    const first = searchFor(lookupMarker(fromProfiles));
    const turned = lookupMarker({ ...fromProfiles, where: { uid: 'a', name: 'A' } });
    const second = resource('SimIntegration', ['I'], {
      sources: [turned, 's1'],
      attributes: { 'a/b': lookupMarker({ ...fromProfiles, take: 'name' }) },
    });
    const [ofFirst, ofSecond] = [
      { resource: first, at: '/rules/0/value' },
      { resource: second, at: '/sources/0' },
    ];
    expect(lookupsIn([first, second])).toEqual([
      { ...fromProfiles, uses: [ofFirst, ofSecond] },
      { ...fromProfiles, take: 'name', uses: [{ resource: second, at: '/attributes/a~1b' }] },
    ]);
    expect(lookupsIn([resource('SimIntegration', ['I'], { type: 'T' })])).toEqual([]);
  });

  it('are replaced by their answers, and nothing else is', () => {
    const given = searchFor(lookupMarker(fromProfiles));
    const places: string[] = [];
    const point = (at: string) => {
      places.push(at);
      return { source: given.source(), excerpt: '' };
    };
    const filled = fillLookups({ ...given, point }, (lookup) => `${lookup.from}-1`);
    expect(filled.fields).toEqual({ rules: [{ type: 'T', value: 'profiles-1' }, 'text', null] });
    expect(filled.point('/rules')).toEqual({ source: given.source(), excerpt: '' });
    expect(places).toEqual(['/rules']);
  });

  it.each([
    ['ProfileSearch', 'rules', ['7']],
    ['SimIntegration', 'description', ['7']],
    ['NotificationTemplate', 'replyTo', ['7']],
    ['SimIntegration', 'attributes', [7]],
  ])('in %s `%s` are numbers only where the field may have them', (kind, name, expected) => {
    const given = resource(kind, ['A'], { [name]: [lookupMarker(fromProfiles)] });
    expect(fillLookups(given, () => 7).fields).toEqual({ [name]: expected });
  });

  it('leave a manifest without any as it is', () => {
    const plain = searchFor({ $secret: 'S' });
    expect(fillLookups(plain, () => 'x')).toBe(plain);
  });
});

describe('what lookups found', () => {
  const asked = [
    searchFor(lookupMarker(fromProfiles)),
    resource('SimIntegration', ['I'], { sources: [lookupMarker(fromProfiles)] }),
  ];
  const other = { ...fromProfiles, take: 'name' };
  const both = lookupsIn([...asked, resource('SimIntegration', ['J'], { sources: [lookupMarker(other)] })]);

  it('has words for reviewers, by the objects that use it', () => {
    const words = lookedUpBy(both, ({ take }) => (take === 'id' ? 42 : 'A'));
    expect([...words].map(([address, names]) => [address, [...names]])).toEqual([
      ['ProfileSearch/S', [['42', lookedUpWords(fromProfiles)]]],
      ['SimIntegration/I', [['42', lookedUpWords(fromProfiles)]]],
      ['SimIntegration/J', [['A', '!lookup profiles name: A, uid: a']]],
    ]);
  });

  it('is shown for each of several in one object, and not for what is no text or number', () => {
    const sources = [fromProfiles, other].map(lookupMarker);
    const lookups = lookupsIn([resource('SimIntegration', ['I'], { sources })]);
    const words = (answer: (take: string) => Json) =>
      [...(lookedUpBy(lookups, ({ take }) => answer(take)).get('SimIntegration/I') ?? [])].map(([id]) => id);
    expect(words((take) => `the ${take}`)).toEqual(['the id', 'the name']);
    expect(words((take) => (take === 'id' ? true : null))).toEqual([]);
    expect([...lookedUpBy([fromProfiles], () => 'x')]).toEqual([]);
  });
});
