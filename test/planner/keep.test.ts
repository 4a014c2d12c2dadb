import { describe, expect, it, test } from 'vitest';
import type { LiveObject } from '../../src/model/live.ts';
import type { Resource } from '../../src/model/resource.ts';
import { equalTo, type Kept, keeperFor, NamedObject } from '../../src/planner/keep.ts';
import { inputOf, liveFrom, type PlanCase, resource } from '../support/plan.ts';

const integration = (name: string, more = {}) =>
  liveFrom({ kind: 'SimIntegration', raw: { id: `id-${name}`, name, description: 'Live', ...more } });

const declared = (name: string, more: Parameters<typeof resource>[3] & { digest?: string | null } = {}) => ({
  ...resource('SimIntegration', [name], { description: 'Live' }, more),
  digest: more.digest === undefined ? `digest of ${name}` : more.digest,
});

/** What a plan keeps of an object. */
function kept(object: LiveObject, given: PlanCase, open: readonly Resource[] = []): Kept {
  return keeperFor(inputOf(given), new Set(open))(object);
}

const pruned = { policy: { prune: { kinds: ['SimIntegration'], keep: [] } }, scope: { prune: true } };

describe('of an object a plan keeps the name alone', () => {
  it.each<[string, PlanCase]>([
    ['that is as declared', { declared: [declared('a')] }],
    ['that is as the id says that is declared', { declared: [declared('a', { id: 'id-a' })] }],
    ['that nobody declares', { declared: [declared('b')] }],
    [
      'that is declared outside the scope',
      {
        declared: [resource('SimIntegration', ['a'], { description: 'Other' })],
        scope: { only: ['SimIntegration/b'] },
      },
    ],
    ['that is as declared, though everything else is deleted', { declared: [declared('a')], ...pruned }],
    ['that is as declared, as it was before', { declared: [declared('a')], previous: [declared('a')] }],
  ])('%s', (_, given) => {
    const object = integration('a');
    expect(kept(object, given)).toEqual(
      expect.objectContaining({
        kind: 'SimIntegration',
        key: ['a'],
        address: 'SimIntegration/a',
        id: 'id-a',
      }),
    );
    expect(kept(object, given)).toBeInstanceOf(NamedObject);
  });
});

describe('an object is kept whole', () => {
  it.each<[string, PlanCase]>([
    ['that differs', { declared: [resource('SimIntegration', ['a'], { description: 'Other' })] }],
    ['that is to go', { declared: [declared('a', { ensure: 'absent' })] }],
    ['that goes since nobody declares it', { declared: [], ...pruned }],
    ['that was declared', { declared: [], previous: [declared('a')] }],
    ['that was declared by its id', { declared: [], previous: [declared('b', { id: 'id-a' })] }],
    ['that takes another name', { declared: [declared('b', { lifecycle: { renamedFrom: ['a'] } })] }],
    ['that has another name than its id is declared with', { declared: [declared('b', { id: 'id-a' })] }],
    ['that two manifests stand for', { declared: [declared('a'), declared('b', { id: 'id-a' })] }],
    [
      'whose secret is written again',
      {
        declared: [resource('SimIntegration', ['a'], { attributes: { t: { $secret: 'T' } } })],
        secrets: { T: 'x' },
        choices: { rotate: ['SimIntegration/a'] },
      },
    ],
  ])('%s', (_, given) => {
    const object = integration('a', { attributes: '{"t":"x"}' });
    expect(kept(object, given)).toBe(object);
  });

  it('while a lookup in its manifest is not filled', () => {
    const manifest = declared('a');
    const object = integration('a');
    expect(kept(object, { declared: [manifest] }, [manifest])).toBe(object);
  });
});

test('what an object is equal to is known where all that is declared is shown', () => {
  const known = (object: LiveObject, manifest: Resource) =>
    equalTo([kept(object, { declared: [manifest] })])('SimIntegration/a');
  expect(known(integration('a'), declared('a'))).toBe('digest of a');
  expect(known(integration('a'), declared('a', { digest: null }))).toBeNull();
  expect(known(integration('a', { description: 'Other' }), declared('a'))).toBeNull();
  const unshown = { ...declared('a'), fields: { description: 'Live', statusMap: { a: 'b' } } };
  expect(known(integration('a'), unshown)).toBeNull();
});

test('an object that is known to be equal is not read for it', () => {
  const object = integration('a');
  const known = { ...object, equalTo: 'digest of a' };
  for (const name of ['fields', 'hidden', 'raw'])
    Object.defineProperty(known, name, {
      get: () => {
        throw new Error('read');
      },
    });
  expect(equalTo([kept(known, { declared: [declared('a')] })])('SimIntegration/a')).toBe('digest of a');
});
