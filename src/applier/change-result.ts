import { isDeclaredByMember, isUnordered, readableFields } from '../kinds/field.ts';
import { readJsonText } from '../kinds/jsontext.ts';
import { type Field, fieldNamed, type Kind, type LiveObject } from '../kinds/kind.ts';
import { isKnownById, keyBefore } from '../kinds/live-objects.ts';
import { type IsSensitive, isMapOfSettings, redact, sensitivePlaces } from '../kinds/redact.ts';
import { groupBy } from '../model/basics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isArray, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import type { Change, Difference, Plan } from '../model/plan.ts';
import {
  isWithin,
  type Pointer,
  placeAbove,
  placesOf,
  pointer,
  segmentsOf,
  valueAt,
  withValueAt,
} from '../model/pointer.ts';
import { type ChangeResult, countOutcomes, type Result, resultFormat } from '../model/result.ts';
import { redacted } from '../model/sensitive.ts';
import type { Task } from './preflight.ts';
import { revertAll } from './revert.ts';
import { type Ending, ending } from './run-context.ts';

/** The result of a change that has ended. */
export function changeResult(end: Ending): ChangeResult {
  const { task, outcome, requests, error, warnings, unmet, beside } = end;
  const { kind, change } = task;
  const { address, action, id } = change;
  const { before, after } = recordSides(end);
  const left = [...new Set([...(before?.withheld ?? []), ...(after?.withheld ?? [])])];
  const withheld = before && after ? left.filter((at) => mayHaveWritten(kind, change, at)) : left;
  const renamedFrom = keyBefore(kind, change);
  return {
    address,
    ...(renamedFrom ? { renamedFrom } : {}),
    ...(id !== null && (action === 'delete' || isKnownById(change)) ? { id } : {}),
    action,
    outcome,
    before: before?.fields ?? null,
    after: after?.fields ?? null,
    ...(withheld.length > 0 ? { withheld } : {}),
    requests,
    ...(unmet.length > 0 ? { unmet } : {}),
    ...(beside.length > 0 ? { beside } : {}),
    error,
    warnings: [...warnings, ...beside.map(warnOfBeside)],
  };
}

const warnOfBeside = (at: Pointer): string =>
  `${at} is different too, which no change asks for: the tenant set it, or somebody did meanwhile.`;

/** The fields of the object before a change, and as they were last seen; `null` where there is no object. */
function recordSides({ task, outcome, live }: Ending) {
  const { kind, change, live: first } = task;
  const isAsPlanned = first?.fingerprint() === change.fingerprint;
  const known = first && isAsPlanned ? recordFields(kind, change, first) : fieldsBefore(kind, change, first);
  const after = live ? recordFields(kind, change, live) : null;
  // A rollback that does not know what came of the change takes back all that it may have done.
  const isSeen = after !== null && outcome !== 'unknown';
  return { before: known && !isSeen ? withAdded(kind, change, known) : known, after };
}

/** The result of a change that is about to be made: unknown until it has ended. */
export function begunResult(task: Task): ChangeResult {
  const error = 'The run had not ended when this was written, so the outcome of this change is not known.';
  return { ...changeResult(ending(task, 'unknown', [], { error })), after: null };
}

/** The result of a change that was not started: a manual one, or one of a run that stopped before it. */
export function notAttempted(change: Change, error: string | null = null): ChangeResult {
  const { address, action } = change;
  const warnings = action === 'manual' ? change.warnings : [];
  const nothing = { before: null, after: null, requests: [] };
  return { address, action, outcome: 'notAttempted', ...nothing, error, warnings };
}

/** The result of a whole run, with its summary, and the reasons of a refusal. */
export function planResult(
  plan: Plan,
  run: Pick<Result, 'startedAt' | 'endedAt' | 'outcome' | 'changes'>,
  reasons: readonly Diagnostic[],
): Result {
  return {
    formatVersion: resultFormat,
    planDigest: plan.digest,
    environment: plan.environment,
    tenant: plan.tenant,
    ...run,
    summary: countOutcomes(run.changes),
    ...(run.outcome === 'refused' ? {} : { proven: collectProof(plan, run.changes) }),
    ...(reasons.length > 0 ? { diagnostics: reasons } : {}),
  };
}

/** What the tenant equals after a run: what the plan found equal, and what the run was seen to make equal. */
function collectProof(
  { desired, ensuredHere = [] }: Plan,
  changes: readonly ChangeResult[],
): NonNullable<Result['proven']> {
  const isMade = ({ action, outcome, after, unmet = [] }: ChangeResult) =>
    outcome === 'done' && unmet.length === 0 && (action === 'delete' || after !== null);
  const notMade = changes.filter((change) => !isMade(change)).map(({ address }) => address);
  const open = new Set([...notMade, ...ensuredHere]);
  return Object.fromEntries(Object.entries(desired).filter(([address]) => !open.has(address)));
}

/** An object's fields in a result file, and the places that are left out. */
interface RecordedFields {
  readonly fields: JsonObject;
  readonly withheld: readonly Pointer[];
}

/**
 * An object's fields in a result file: JSON in text as JSON, without what is sensitive in the plan, hidden by the tenant,
 * or looks like a credential. Of a map of settings, only what the change is about.
 */
function recordFields(kind: Kind, change: Change, live: LiveObject): RecordedFields {
  const hidden = live.hidden.filter((at) => !wasCleared(change, live, at));
  return record(kind, live.fields, { ...disclose(change), hidden });
}

/** Some tenants show a field only where it is set. After a change that clears it, what they do not show is that it is unset. */
function wasCleared({ diff }: Change, { fields }: LiveObject, at: Pointer): boolean {
  const isUnset = (valueAt(fields, at) ?? null) === null;
  return isUnset && diff.some(({ path, after, sensitive }) => path === at && after === null && !sensitive);
}

/**
 * The fields before a change, with null for the members that it adds: a manifest would take them away again like this. Whether
 * there was a secret nobody knows where the tenant hides it.
 */
function withAdded(kind: Kind, { diff }: Change, before: RecordedFields): RecordedFields {
  const isAddedMember = ({ op, path }: Difference) => {
    const [name = '', ...below] = segmentsOf(path);
    return op === 'add' && below.length > 0 && isDeclaredByMember(fieldNamed(kind, name));
  };
  const added = diff.filter(({ sensitive }) => !sensitive).filter(isAddedMember);
  return {
    fields: added.reduce((fields, { path }) => withValueAt(fields, path, null), before.fields),
    withheld: [...before.withheld, ...concealedPaths(diff)],
  };
}

/** The places of which a plan shows only that something differs. */
const concealedPaths = (diff: Change['diff']): Pointer[] =>
  diff.flatMap(({ sensitive, path }) => (sensitive ? [path] : []));

/**
 * The fields of an object before a change that an earlier run made: its fields now, with the plan's differences
 * reverted. `null` for a create.
 */
function fieldsBefore(kind: Kind, change: Change, live: LiveObject | null): RecordedFields | null {
  if (change.action === 'create') return null;
  const known = change.diff.filter(({ sensitive }) => !sensitive);
  const { fields, withheld } = live ? recordFields(kind, change, live) : { fields: {}, withheld: [] };
  const current = new Map(Object.entries(fields));
  // A plan names the last item first, both of those that are added to a list and of those that are removed.
  const isAdded = ({ op, before }: Difference) => before === null && op === 'add';
  const [added, others] = [known.filter(isAdded), known.filter((difference) => !isAdded(difference))];
  const ordered = [...added, ...others.toReversed()];
  for (const [name, differences] of groupBy(ordered, ({ path }) => segmentsOf(path)[0] ?? '')) {
    const field = fieldNamed(kind, name);
    if (field) current.set(name, revertAll(field, current.get(name) ?? null, differences));
  }
  const again = record(kind, objectFrom(current), { ...disclose(change), marked: [], hidden: [] });
  return {
    ...again,
    withheld: [...new Set([...concealedPaths(change.diff), ...withheld, ...again.withheld])],
  };
}

/** What a plan says about an object: the values that its change shows, and the places that it conceals. */
interface Disclosed {
  readonly shown: JsonObject;
  readonly marked: readonly Pointer[];
}

function disclose({ diff, secrets = [] }: Change): Disclosed {
  const hidden = concealedPaths(diff);
  const known = diff.filter(({ sensitive }) => !sensitive);
  const parts = known.flatMap(({ path, before, after }) =>
    [before, after].flatMap((side) => placesOf(side, isRedacted).map((at) => path + at)),
  );
  const shown = treeOf([
    // A field in which something differs is declared, even if the difference itself is secret.
    ...hidden.map((at) => [segmentsOf(at).slice(0, 1), {}] as const),
    ...known.map(({ path, before, after }) => [segmentsOf(path), after ?? before] as const),
  ]);
  return { shown, marked: [...hidden, ...parts, ...secrets] };
}

/** An object with values at places in it; those without a value are left out. */
function treeOf(values: readonly (readonly [at: readonly string[], value: Json])[]): JsonObject {
  const present = values.filter(([, value]) => value !== null);
  return objectFrom(
    groupBy(present, ([[name = '']]) => name).map(([name, group]) => {
      const below = group.filter(([at]) => at.length > 1).map(([[, ...at], value]) => [at, value] as const);
      return [name, below.length > 0 ? treeOf(below) : (group.at(-1)?.[1] ?? {})];
    }),
  );
}

/** Whether a plan does not show a part of a value. */
const isRedacted = (part: Json): boolean => part === redacted;

/**
 * Whether an update may have written the value at a place that the result leaves out: then a rollback has to say that it
 * cannot restore it. Other settings of the same map are not its concern.
 */
function mayHaveWritten(kind: Kind, { diff, secrets = [] }: Change, at: Pointer): boolean {
  if (!isMapOfSettings(fieldNamed(kind, segmentsOf(at)[0] ?? ''))) return true;
  const written = [...secrets, ...diff.map(({ path }) => path)];
  return written.some((place) => isWithin(at, place) || isWithin(place, at));
}

function record(
  kind: Kind,
  fields: JsonObject,
  { shown, marked: inPlan, hidden }: Disclosed & { readonly hidden: readonly Pointer[] },
): RecordedFields {
  const marked = [...inPlan, ...hidden];
  const all = readableFields(kind, fields);
  const looksSensitive = sensitivePlaces(kind, { marked, declared: [shown], values: [all] });
  const isSensitive: IsSensitive = (at, value) => marked.includes(at) || looksSensitive(at, value);
  const withheld: Pointer[] = [];
  const withhold = (at: Pointer) => {
    // Without one of its items, a list would be another list.
    withheld.push(placeAbove(all, at, isArray) ?? at);
    return undefined;
  };
  const entries = Object.entries(kind.fields).flatMap(([name, field]): [string, Json][] => {
    const value = own(fields, name);
    const at = pointer(name);
    if (value === undefined) return [];
    const readable = field.is === 'json' ? readJsonText(value) : value;
    const isLeftOut = value !== null && isMapOfSettings(field) && own(shown, name) === undefined;
    const recorded =
      isLeftOut || isWithheldAsWhole(field, at, marked)
        ? withhold(at)
        : redact(readable, at, isSensitive, withhold);
    return recorded === undefined ? [] : [[name, recorded]];
  });
  return { fields: objectFrom(entries), withheld: [...new Set(withheld)] };
}

function isWithheldAsWhole(field: Field, at: Pointer, marked: readonly Pointer[]): boolean {
  // The indexes in a difference of a list are not those of the live list, so the whole list is left out.
  return isUnordered(field) && marked.some((path) => isWithin(path, at));
}
