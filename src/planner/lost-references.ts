import type { Kinds } from '../kinds/catalog.ts';
import { arrangeChanges, cycleText } from '../kinds/dependencies.ts';
import { identityOf, keyBefore } from '../kinds/live-objects.ts';
import type { Resource } from '../kinds/resource.ts';
import { type Address, formatAddress } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { Change, Plan } from '../model/plan.ts';
import { type Missing, problemsAt, referencesIn, type UsedReference } from './references.ts';

/**
 * Throws a Failure with the references to what a plan deletes, gives another name or leaves to be made by hand, and with
 * those in a cycle of objects that it creates.
 *
 * @param references those in scope
 * @param resources all of the project: what is outside the scope stays, and so does what it refers to
 */
export function refuseLostReferences(
  references: readonly UsedReference[],
  resources: readonly Resource[],
  { changes }: Pick<Plan, 'changes'>,
  kinds: Kinds,
): void {
  const identify = ({ kind, key }: Change) => identityOf(kinds.get(kind), key);
  const indexByIdentity = (wanted: readonly Change[]) =>
    new Map(wanted.map((each) => [identify(each), each]));
  const unmade = indexByIdentity(changes.filter(({ action, id }) => action === 'manual' && id === null));
  const deleted = indexByIdentity(changes.filter(({ action }) => action === 'delete'));
  const renamed = new Map(changes.flatMap((change) => renameIn(change, kinds)));
  const everywhere = deleted.size + renamed.size > 0 ? referencesIn(resources, kinds) : [];
  const all = [
    ...problemsWith(references, unmade, whyUnmade),
    ...problemsWith(everywhere, deleted, whyDeleted),
    ...problemsWith(everywhere, renamed, whyRenamed),
    ...findCycles(references, changes, kinds),
  ];
  if (all.length > 0) throw new Failure(all);
}

function problemsWith(
  references: readonly UsedReference[],
  changes: ReadonlyMap<string, Change>,
  why: (change: Change) => Missing,
): Diagnostic[] {
  return references.flatMap((reference) => {
    const change = changes.get(identityOf(reference.kind, reference.key));
    return change ? problemsAt(reference, why(change)) : [];
  });
}

/** The change by the identity that the object loses; nothing where it keeps its name. */
function renameIn(change: Change, kinds: Kinds): [string, Change][] {
  const kind = kinds.get(change.kind);
  const before = keyBefore(kind, change);
  return before ? [[identityOf(kind, before), change]] : [];
}

function whyRenamed({ address }: Change): Missing {
  const message = `This plan gives the object another name: ${address}.`;
  return { code: 'ref-renamed', message, hint: `Write \`!ref ${address}\`.` };
}

function whyDeleted({ address }: Change): Missing {
  const message = `This plan deletes ${address}, to which a manifest refers.`;
  return { code: 'ref-deleted', message, hint: 'Declare the object, or remove the reference.' };
}

function whyUnmade({ address, warnings }: Change): Missing {
  const message = `${address} must be created by hand before anything can refer to it.`;
  return { code: 'unknown-ref', message, hint: warnings[0] ?? null };
}

/** Throws a Failure for a plan that no manifest explains, and that creates objects in a cycle. */
export function refuseCycles({ changes }: Pick<Plan, 'changes'>, kinds: Kinds): void {
  const problems = findCycles([], changes, kinds);
  if (problems.length > 0) throw new Failure(problems);
}

function findCycles(
  references: readonly UsedReference[],
  changes: readonly Change[],
  kinds: Kinds,
): Diagnostic[] {
  const { cycle } = arrangeChanges(changes, kinds);
  return cycle ? cycleProblems(references, cycle) : [];
}

function cycleProblems(references: readonly UsedReference[], cycle: readonly Address[]): Diagnostic[] {
  const message = `Each of these objects refers to the next, so none can be created first: ${cycleText(cycle)}.`;
  const hint = 'Leave one of the references out, apply, and add it again.';
  const isInside = ({ resource }: UsedReference['uses'][number]) => cycle.includes(resource.address);
  const [first] = references.flatMap((reference) => {
    const [use] = cycle.includes(formatAddress(reference.kind.name, reference.key))
      ? reference.uses.filter(isInside)
      : [];
    return use ? [{ ...reference, uses: [use] }] : [];
  });
  return first
    ? problemsAt(first, { code: 'ref-cycle', message, hint })
    : [{ code: 'ref-cycle', severity: 'error', message, hint }];
}
