import { existsSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Diff, SideDifference } from '../../src/model/documents.ts';
import { canonicalJson } from '../../src/model/json.ts';
import { type Content, fill, tenantContent } from '../support/arbitraries.ts';
import { runs } from '../support/effort.ts';
import { createTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import type { WorldOptions } from '../support/world.ts';

/** Tenants that answer differently, so that what they hold can be the same where their answers are not. */
const worlds: readonly { test?: WorldOptions; production?: WorldOptions }[] = [
  {},
  {
    test: {
      sandbox: { variations: { jsonText: 'object', slackTeams: 'object', simStatusMap: 'attributes' } },
      identity: { jsonText: 'object' },
    },
    production: { sandbox: { variations: { emptyAsNull: true, shuffleLists: true, simSecrets: 'masked' } } },
  },
];

async function diff({ run }: TwoTenants, ...argv: string[]): Promise<Diff> {
  const { code, stdout, stderr } = await run('diff', ...argv, '--format', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** What a diff says, whichever side is the first. Records have no order, so their indexes may be others. */
function essence({ objects, summary, notComparable }: Diff, isMirrored: boolean) {
  const { onlyFirst, onlySecond, ...counts } = summary;
  const sides = {
    both: 'both',
    first: isMirrored ? 'second' : 'first',
    second: isMirrored ? 'first' : 'second',
  };
  const shown = ({ path, before, after, sensitive }: SideDifference) => {
    const values = isMirrored ? [after, before] : [before, after];
    return canonicalJson([path.replaceAll(/\/\d+/g, '/*'), ...values, sensitive]);
  };
  return {
    ...counts,
    only: isMirrored ? [onlySecond, onlyFirst] : [onlyFirst, onlySecond],
    objects: objects.map((object) => [object.address, sides[object.in], object.diff.map(shown).toSorted()]),
    notComparable,
  };
}

/** The second content, with the names of the first one where it has some: most objects are then on both sides. */
function renameAll(first: Content, second: Content): Content {
  const named = <T>(own: readonly T[], others: readonly T[], name: (item: T, other: T) => T) =>
    own.map((item, at) => {
      const other = others[at];
      return other === undefined ? item : name(item, other);
    });
  const byName = <T extends { readonly name: string }>(item: T, other: T) => ({ ...item, name: other.name });
  const distinct = <T>(items: readonly T[], key: (item: T) => string) => [
    ...new Map(items.map((item) => [key(item).toLowerCase(), item])).values(),
  ];
  return {
    ...second,
    authProfiles: distinct(named(second.authProfiles, first.authProfiles, byName), ({ name }) => name),
    integrations: distinct(named(second.integrations, first.integrations, byName), ({ name }) => name),
    searches: distinct(
      named(second.searches, first.searches, (item, { label }) => ({ ...item, label })),
      ({ label }) => label,
    ),
  };
}

async function laws(two: TwoTenants, first: Content, second: Content): Promise<void> {
  fill(two.test.sandbox.state, first);
  fill(two.production.sandbox.state, renameAll(first, second));
  const there = await diff(two, 'test', 'production');
  expect(essence(await diff(two, 'production', 'test'), true)).toEqual(essence(there, false));

  expect((await diff(two, 'test', 'test')).objects).toEqual([]);

  const exported = await two.run('export -e test --out exported');
  expect(exported, exported.stderr).toMatchObject({ code: 0 });
  if (!existsSync(`${two.test.dir}/exported`)) return;
  expect((await diff(two, 'test', './exported')).objects).toEqual([]);
  expect((await diff(two, './exported', 'test')).objects).toEqual([]);
  const apart = await diff(two, 'production', './exported');
  expect(essence(await diff(two, './exported', 'production'), true)).toEqual(essence(apart, false));

  // As the manifests of the project, it says the same, and agrees with the plan.
  rmSync(`${two.test.dir}/config`, { recursive: true, force: true });
  await two.run('export -e test');
  expect((await diff(two, '--declared', 'test')).objects).toEqual([]);
  expect((await diff(two, '--declared', 'test', 'production')).objects).toEqual([]);
}

it.each(worlds)(
  'a tenant equals itself and its export, and a diff says the same from both sides, for tenants of kind %#',
  (options) =>
    fc.assert(
      fc.asyncProperty(tenantContent, tenantContent, async (first, second) => {
        await using two = await createTwoTenants(options);
        await laws(two, first, second);
      }),
      { numRuns: runs(25) },
    ),
);

it('the same content is equal however the tenants answer', () =>
  fc.assert(
    fc.asyncProperty(tenantContent, async (content) => {
      await using two = await createTwoTenants(worlds[1]);
      for (const { sandbox } of [two.test, two.production]) fill(sandbox.state, content);
      expect((await diff(two, 'test', 'production')).objects).toEqual([]);
    }),
    { numRuns: runs(25) },
  ));
