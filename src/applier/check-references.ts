import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges, cycleText } from '../kinds/dependencies.ts';
import { fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { distinctKeys, identityOf, LiveIndex } from '../kinds/live-objects.ts';
import { type ReadRequest, someOf } from '../kinds/read-request.ts';
import { idsOnSide, mapIds } from '../kinds/references.ts';
import { type Address, type Key, parseAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Json } from '../model/json.ts';
import { isLookedUp, refOf, refsIn } from '../model/marker.ts';
import type { Change, Plan } from '../model/plan.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { quote } from '../model/words.ts';
import { changeKeys, type KindChange, requestsForChanges } from './find.ts';
import type { Journal } from './journal.ts';

interface WrongReference {
  readonly address: Address;
  /** What is wrong with its requests, in words. */
  readonly why: string;
}

/**
 * What is wrong with the references of a plan: an id is only filled in where a field refers to the kind, and only that of an
 * object which the same plan creates before.
 */
export function wrongReferences({ changes }: Plan, kinds: Kinds): WrongReference[] {
  const created = new Set(changes.filter(({ action }) => action === 'create').map(({ address }) => address));
  const wrong = changes.flatMap((change) => {
    const kind = kinds.find(change.kind);
    const reasons = kind ? [...findMisnamed(change, kind), ...wrongIn(change, kind, created)] : [];
    return reasons.map((why) => ({ address: change.address, why }));
  });
  const cycle = arrangeChanges(changes, kinds).cycle ?? [];
  const [address] = cycle;
  if (address === undefined) return wrong;
  return [...wrong, { address, why: `they refer to each other in a cycle: ${cycleText(cycle)}` }];
}

/** Names beside ids are for reviewers: each is a `!lookup`, or the address of an object of the field's kind. */
function findMisnamed({ diff }: Change, kind: Kind): string[] {
  return diff.flatMap((entry) => {
    const sides = [...idsOnSide(kind, entry, 'before'), ...idsOnSide(kind, entry, 'after')];
    const kinds = new Set(sides.flatMap(({ to }) => to));
    const isOfKind = (name: string) => kinds.has(parseAddress(name)?.kind ?? '');
    return Object.values(entry.named ?? {})
      .filter((name) => !isLookedUp(name) && !isOfKind(name))
      .map((name) => `${entry.path} cannot hold an id of ${quote(name)}`);
  });
}

/** The references that a change declares. Its requests hold no others: they are made again from what it declares. */
function wrongIn({ declared }: Change, kind: Kind, created: ReadonlySet<Address>): string[] {
  const fits = (id: Json, to: readonly string[]) => to.includes(parseAddress(refOf(id) ?? '')?.kind ?? '');
  return Object.entries(declared ?? {}).flatMap(([name, value]) => {
    const field = fieldNamed(kind, name);
    const rest = field ? mapIds(field, value, (id, to) => (fits(id, to) ? null : id)) : value;
    const misplaced = new Set(refsIn(rest));
    const unmade = [...new Set(refsIn(value))].filter((to) => !misplaced.has(to) && !created.has(to));
    return [
      ...[...misplaced].map((to) => `${pointer(name)} cannot hold the id of ${to}`),
      ...unmade.map((to) => `the plan does not create ${to}, whose id they send`),
    ];
  });
}

/** A name that a plan shows beside an id: a reviewer reads the name, and the request has the id. */
interface ShownName {
  readonly id: string;
  readonly name: Address;
  readonly kind: Kind;
  readonly key: Key;
  /** Where it is shown first. */
  readonly in: Address;
  readonly at: Pointer;
}

/**
 * The names that changes show beside ids, each once. Those of changes that an earlier run of the plan began were checked
 * then; since, the plan may have renamed or deleted what they name.
 */
export function shownNames(entries: readonly KindChange[], kinds: Kinds, journal: Journal): ShownName[] {
  const found = new Map<string, ShownName>();
  for (const { change } of entries) {
    if (journal.progress(change.address)) continue;
    for (const { path, named = {} } of change.diff) {
      for (const [id, name] of Object.entries(named)) {
        const parsed = parseAddress(name);
        const kind = parsed && kinds.find(parsed.kind);
        const label = `${name} ${id}`;
        if (!parsed || !kind || found.has(label)) continue;
        found.set(label, { id, name, kind, key: parsed.key, in: change.address, at: path });
      }
    }
  }
  return [...found.values()];
}

/** What has to be read to check changes and the names that they show. Two objects may share a name that is only shown. */
export function readRequestsWith(entries: readonly KindChange[], names: readonly ShownName[]): ReadRequest[] {
  const requests = requestsForChanges(entries);
  const known = idsOf(entries);
  const kinds = new Set([...requests.map(({ kind }) => kind), ...names.map(({ kind }) => kind)]);
  return [...kinds].map((kind) => {
    const request = requests.find((each) => each.kind === kind);
    const isRead = new Set(request?.keys.map((key) => identityOf(kind, key)));
    const others = names.filter((each) => each.kind === kind && !known.has(labelOf(kind, each.id)));
    const keys = others.map(({ key }) => key).filter((key) => !isRead.has(identityOf(kind, key)));
    const distinct = distinctKeys(kind, keys);
    const asked = request ?? someOf(kind, []);
    return distinct.length === 0
      ? asked
      : { ...asked, keys: [...asked.keys, ...distinct], allowsDuplicates: distinct };
  });
}

/** A refusal for each name that is not that of the object with the id: the plan was edited, or the tenant has changed. */
export function wrongNames(
  names: readonly ShownName[],
  entries: readonly KindChange[],
  objects: readonly LiveObject[],
): Diagnostic[] {
  const known = idsOf(entries);
  const index = new LiveIndex(objects);
  return names.flatMap(({ id, name, kind, key, in: address, at }): Diagnostic[] => {
    const live = index.findById(kind, id);
    const own = known.get(labelOf(kind, id)) ?? (live ? [live.identity] : []);
    if (own.includes(identityOf(kind, key))) return [];
    const other = index.findByKey(kind, key);
    const instead = other?.id ? `${name} has the id ${quote(other.id)}` : `there is no ${name}`;
    const truth = live ? `that is ${live.address}` : instead;
    const message = `The plan shows the id ${quote(id)} as ${name} in ${at} of ${address}, but in the tenant ${truth}.`;
    const hint = 'Make a new plan and review it.';
    return [{ code: 'plan-name-wrong', severity: 'error', message, hint, address }];
  });
}

/** The identities of the objects that the plan changes, by their ids: before a rename, and after it. */
function idsOf(entries: readonly KindChange[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    entries.flatMap(({ kind, change }) => {
      if (change.id === null) return [];
      const identities = changeKeys(kind, change).map((key) => identityOf(kind, key));
      return [[labelOf(kind, change.id), identities] as const];
    }),
  );
}

const labelOf = (kind: Kind, id: string): string => `${kind.name}/${id}`;
