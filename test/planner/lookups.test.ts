import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { lookedUpWords, lookupMarker } from '../../src/model/marker.ts';
import { fillLookups, lookedUpBy, lookupsIn } from '../../src/planner/references.ts';
import { resource } from '../support/plan.ts';

const profile = { from: 'profiles', where: { name: 'A', uid: 'a' }, take: 'id' };
const search = (value: object) =>
  resource('ProfileSearch', ['S'], { rules: [{ type: 'T', value: { ...value } }, 'text', null] });

describe('the lookups of manifests', () => {
  it('are found once, with every place that uses them', () => {
    const first = search(lookupMarker(profile));
    const turned = lookupMarker({ ...profile, where: { uid: 'a', name: 'A' } });
    const second = resource('SimIntegration', ['I'], {
      sources: [turned, 's1'],
      attributes: { 'a/b': lookupMarker({ ...profile, take: 'name' }) },
    });
    expect(lookupsIn([first, second])).toEqual([
      {
        ...profile,
        uses: [
          { resource: first, at: '/rules/0/value' },
          { resource: second, at: '/sources/0' },
        ],
      },
      { ...profile, take: 'name', uses: [{ resource: second, at: '/attributes/a~1b' }] },
    ]);
    expect(lookupsIn([resource('SimIntegration', ['I'], { type: 'T' })])).toEqual([]);
  });

  it('are replaced by their answers, and nothing else is', () => {
    const given = search(lookupMarker(profile));
    const places: string[] = [];
    const locate = (at: string) => {
      places.push(at);
      return given.source();
    };
    const filled = fillLookups({ ...given, locate }, (lookup) => `${lookup.from}-1`);
    expect(filled.fields).toEqual({ rules: [{ type: 'T', value: 'profiles-1' }, 'text', null] });
    expect(filled.locate('/rules')).toBe(given.source());
    expect(places).toEqual(['/rules']);
    expect(filled.point('/rules')).toEqual({ source: given.source(), excerpt: '' });
  });

  it('leave a manifest without any as it is', () => {
    const plain = search({ $secret: 'S' });
    expect(fillLookups(plain, () => 'x')).toBe(plain);
  });
});

describe('what lookups found', () => {
  const asked = [
    search(lookupMarker(profile)),
    resource('SimIntegration', ['I'], { sources: [lookupMarker(profile)] }),
  ];
  const other = { ...profile, take: 'name' };
  const both = lookupsIn([...asked, resource('SimIntegration', ['J'], { sources: [lookupMarker(other)] })]);

  it('has words for reviewers, by the objects that use it', () => {
    const words = lookedUpBy(both, ({ take }) => (take === 'id' ? 42 : 'A'));
    expect([...words].map(([address, names]) => [address, [...names]])).toEqual([
      ['ProfileSearch/S', [['42', lookedUpWords(profile)]]],
      ['SimIntegration/I', [['42', lookedUpWords(profile)]]],
      ['SimIntegration/J', [['A', '!lookup profiles name: A, uid: a']]],
    ]);
  });

  it('is shown for each of several in one object, and not for what is no text or number', () => {
    const twice = resource('SimIntegration', ['I'], {
      sources: [lookupMarker(profile), lookupMarker(other)],
    });
    const lookups = lookupsIn([twice]);
    const words = (answer: (take: string) => Json) =>
      [...(lookedUpBy(lookups, ({ take }) => answer(take)).get('SimIntegration/I') ?? [])].map(([id]) => id);
    expect(words((take) => `the ${take}`)).toEqual(['the id', 'the name']);
    expect(words((take) => (take === 'id' ? true : null))).toEqual([]);
    expect([...lookedUpBy([profile], () => 'x')]).toEqual([]);
  });
});
