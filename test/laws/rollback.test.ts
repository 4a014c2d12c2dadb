/** A rollback of an apply leaves the tenant as it was before, but for what the rollback says. */
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Plan, Result } from '../../src/model/documents.ts';
import {
  canonicalJson,
  isArray,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  mapMembers,
  parseJson,
  pick,
  sameJson,
} from '../../src/model/json.ts';
import { pointer } from '../../src/model/pointer.ts';
import { fill, manifests, tenantContent } from '../support/arbitraries.ts';
import { describedCase, withReference } from '../support/described.ts';
import { runs } from '../support/effort.ts';
import { objectsOf, places } from '../support/tenant-objects.ts';
import { describedOptions, worlds } from '../support/tenant-variants.ts';
import { createWorld, runProgram, succeed, type World, type WorldOptions } from '../support/world.ts';

const ofTenant = ['id', 'uid', 'created', 'modified', 'mailFromDomainStatus'];

/** The objects without what is the tenant's, and without what the plan of the rollback says that it leaves as it is. */
function restorable(
  objects: ReadonlyMap<string, JsonObject>,
  { changes, diagnostics }: Plan,
  replaced: readonly string[],
) {
  const byHand = changes.flatMap(({ action, address }) => (action === 'manual' ? [address] : []));
  const left = diagnostics.filter(({ code }) => code === 'rollback-incomplete');
  // What the descriptor does not describe is not recorded either.
  const created = changes.flatMap(({ action, address }) => (action === 'create' ? [address] : []));
  const again = [...replaced, ...created];
  const lists = [...objects].filter(([address]) => !byHand.includes(address));
  return new Map(
    lists.map(([address, object]) => {
      const said = left.filter((remark) => remark.address === address).map(({ message }) => message);
      const { untold, ...described } = object;
      return [address, essence(again.includes(address) ? described : object, said.join(' '))];
    }),
  );
}

/** The rules of a search, the sources of an integration, and the sets and references of own kinds have no order. */
const isUnordered = (name: string, items: readonly Json[]): boolean =>
  ['rules', 'sources'].includes(name) ||
  (/^f\d+$/.test(name) && items.every((item) => typeof item === 'string' || isReference(item)));

/** As in a plan, JSON is the same as its text, and a field is unset where it is left out or empty. */
function essence(fields: JsonObject, said: string): JsonObject {
  return mapMembers(fields, (value, name) => {
    const read = readable(value);
    const ordered =
      isArray(read) && isUnordered(name, read) ? read.map((item) => canonicalJson(item)).sort() : read;
    const kept = ofTenant.includes(name) ? null : withoutPlaces(ordered, pointer(name), said);
    // Hosts fill Slack and Teams messages up with false and empty texts: they mean the same as what is left out.
    if (/^(slack|teams)Template$/.test(name) && isObject(kept)) {
      const on = mapMembers(kept, (item) => (item === false || item === '' ? undefined : item));
      return Object.keys(on).length === 0 ? undefined : on;
    }
    return ['null', '""', '[]', '{}'].includes(JSON.stringify(kept ?? null)) ? undefined : kept;
  });
}

/** The tenant itself knows the name of what a reference has the id of, and gives ids to the rules of a search. */
function readable(value: Json): Json {
  const read = typeof value === 'string' ? parseJson(value) : value;
  if (isArray(read)) return read.map(readable);
  if (!isObject(read)) return value;
  const given = 'comparison_operator' in read ? 'id' : 'name';
  const isGiven = (name: string) => 'id' in read && 'type' in read && name === given;
  return mapMembers(read, (item, name) => (isGiven(name) ? undefined : item));
}

/** The value without the places that a message lists. */
function withoutPlaces(value: Json, at: string, said: string): Json | undefined {
  if ([' ', ',', ':'].some((end) => said.includes(` ${at}${end}`))) return undefined;
  const inner = (item: Json, name: string | number) => withoutPlaces(item, `${at}${pointer(name)}`, said);
  if (isArray(value)) return value.map((item, index) => inner(item, index) ?? null);
  if (!isObject(value)) return value;
  const rest = mapMembers(value, (item, name) => inner(item, name) ?? undefined);
  // A rollback does not invent an empty object where all that was in it is left out.
  return sameJson(rest, {}) && !sameJson(value, {}) ? undefined : rest;
}

/** Applies the manifests, and leaves the result of it. */
type Apply = (world: World, guards: readonly string[]) => Promise<unknown>;

const applyAll: Apply = (world, guards) => succeed(world, 'apply --yes --result result.json', ...guards);

async function leadsBack(world: World, declared: readonly object[], apply = applyAll): Promise<void> {
  const before = objectsOf(world);
  world.declare(declared);
  const isTold = ([kind]: (typeof places)[number]) =>
    kind !== 'Told' || 'Told' in world.sandbox.state.objects;
  const kinds = places.filter(isTold).flatMap(([kind]) => ['--allow-delete-all', kind]);
  const guards = ['--max-deletes', '99', ...kinds];
  await apply(world, guards);
  if (!existsSync(`${world.dir}/result.json`)) return;
  await succeed(world, 'rollback result.json --out back.json', ...guards);
  await succeed(world, 'apply back.json --max-deletes 99');
  const plan: Plan = JSON.parse(world.read('back.json'));
  const result: Result = JSON.parse(world.read('result.json'));
  const replaced = result.changes.flatMap((each) => (each.replaced ? [each.address] : []));
  expect(restorable(objectsOf(world), plan, replaced)).toEqual(restorable(before, plan, replaced));
}

/** A world whose next apply goes no further than the nth request, and leaves the result as it was then, like one that was killed. */
async function createKilledWorld(options: WorldOptions, nth: number) {
  const kill = new AbortController();
  let onWork = () => {};
  const now = () => {
    onWork();
    return Date.now();
  };
  const world = await createWorld({ ...options, sandbox: { ...options.sandbox, clock: { now } } });
  const apply: Apply = async ({ dir, env, sandbox, read, write }, guards) => {
    const file = 'result.json';
    let result: string | null = null;
    onWork = () => {
      if (sandbox.log.length < nth || kill.signal.aborted) return;
      if (existsSync(`${dir}/${file}`)) result = read(file);
      kill.abort();
    };
    const argv = ['apply', '--yes', '--result', file, ...guards];
    await runProgram(argv, { cwd: dir, env, signal: kill.signal });
    onWork = () => {};
    if (result !== null) write(file, result);
  };
  return { world, apply };
}

it("a rollback restores kinds of one's own", () =>
  fc.assert(
    fc.asyncProperty(describedCase, fc.boolean(), async (given, deletes) => {
      const names = given.declared.map(keyOf);
      const others = given.objects
        .map(keyOf)
        .filter((key) => !names.some((name) => sameJson(name, withReference(key))));
      const absent = deletes ? others.map((key) => ({ ...withReference(key), ensure: 'absent' })) : [];
      const declared = [...given.declared, ...absent].map((fields) => ({ kind: 'Told', ...fields }));
      await using world = await createWorld(describedOptions(given));
      await leadsBack(world, declared);
    }),
    { numRuns: runs(25) },
  ));

const keyOf = (fields: JsonObject) =>
  mapMembers(pick(fields, ['place', 'name', 'locale']), (part) => part ?? undefined);

it.each(worlds)('a rollback restores tenants of kind %#', (options) =>
  fc.assert(
    fc.asyncProperty(tenantContent, manifests, async (content, declared) => {
      await using world = await createWorld(options);
      fill(world.sandbox.state, content);
      await leadsBack(world, declared);
    }),
    { numRuns: runs(25) },
  ),
);

it.each(worlds)('so does one of an apply that was killed, in tenants of kind %#', async (options) => {
  const nth = fc.integer({ min: 8, max: 40 });
  await fc.assert(
    fc.asyncProperty(tenantContent, manifests, nth, async (content, declared, request) => {
      const killed = await createKilledWorld(options, request);
      await using world = killed.world;
      fill(world.sandbox.state, content);
      await leadsBack(world, declared, killed.apply);
    }),
    { numRuns: runs(25), endOnFailure: true },
  );
});
