import { describe, expect, it } from 'vitest';
import { lookupMarker } from '../../src/model/marker.ts';
import { fillLookups, lookupsIn } from '../../src/planner/fill-lookups.ts';
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
