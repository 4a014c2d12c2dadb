import { declarableFields, readableFields, sameValue } from '../kinds/field.ts';
import type { Field } from '../kinds/kind.ts';
import { identityOf, isKnownById, keyBefore } from '../kinds/live-objects.ts';
import { touches } from '../kinds/places.ts';
import { isMapOfSettings, redact, sensitivePlaces } from '../kinds/redact.ts';
import {
  type Change,
  type ChangeResult,
  countOutcomes,
  formats,
  type Plan,
  type Result,
} from '../model/documents.ts';
import type { Diagnostic } from '../model/failure.ts';
import {
  get,
  isObject,
  type Json,
  type JsonObject,
  mapMembers,
  objectFrom,
  sameJson,
} from '../model/json.ts';
import { isWithin, type Pointer, placesOf, pointer, setMember, topName, valueAt } from '../model/pointer.ts';
import { redacted } from '../model/sensitive.ts';
import type { Task } from './find.ts';
import { type Ending, ending } from './run.ts';
import { valuesShown } from './verify.ts';

export function changeResult(end: Ending): ChangeResult {
  const { task, outcome, requests, error, warnings, unmet, beside } = end;
  const { kind, change } = task;
  const { address, action } = change;
  const { before, after, withheld } = recordEffect(end);
  const renamedFrom = keyBefore(kind, change);
  const isOther = end.live !== null && end.live.identity !== identityOf(kind, change.key);
  const made = isOther ? end.live.id : null;
  const id = action === 'create' ? made : change.id;
  return {
    address,
    ...(renamedFrom ? { renamedFrom } : {}),
    ...(id !== null && (action !== 'update' || renamedFrom || isKnownById(change)) ? { id } : {}),
    action,
    ...(change.risk.includes('replace') ? { replaced: true } : {}),
    outcome,
    before,
    after,
    ...(withheld.length > 0 ? { withheld } : {}),
    requests,
    ...(unmet.length > 0 ? { unmet } : {}),
    ...(beside.length > 0 ? { beside } : {}),
    error,
    warnings: [
      ...warnings,
      ...beside.map(
        (at) =>
          `${at} changed as well, although this plan does not touch it: the tenant set it, or somebody changed it meanwhile.`,
      ),
    ],
  };
}

export function begunResult(task: Task): ChangeResult {
  const error = 'This was written while the run was still going, so the outcome of this change is not known.';
  return changeResult(ending(task, 'unknown', [], { error }));
}

export function notAttempted(change: Change, error: string | null = null): ChangeResult {
  const { address, action } = change;
  const warnings = action === 'manual' ? change.warnings : [];
  const nothing = { before: null, after: null, requests: [] };
  return { address, action, outcome: 'notAttempted', ...nothing, error, warnings };
}

export function planResult(
  plan: Plan,
  run: Pick<Result, 'startedAt' | 'endedAt' | 'outcome' | 'changes'>,
  reasons: readonly Diagnostic[],
): Result {
  const { desired, ensuredHere = [] } = plan;
  const notMade = run.changes.filter(
    ({ action, outcome, after, unmet = [] }) =>
      outcome !== 'done' || unmet.length > 0 || (action !== 'delete' && after === null),
  );
  const open = new Set([...notMade.map(({ address }) => address), ...ensuredHere]);
  // What the tenant matches: objects without a difference in the plan, and those that the run verifiably changed.
  const proven = Object.fromEntries(Object.entries(desired).filter(([address]) => !open.has(address)));
  return {
    formatVersion: formats.result,
    planDigest: plan.digest,
    environment: plan.environment,
    tenant: plan.tenant,
    ...run,
    summary: countOutcomes(run.changes),
    ...(run.outcome === 'refused' ? {} : { proven }),
    ...(reasons.length > 0 ? { diagnostics: reasons } : {}),
  };
}

/**
 * For an update the values that differ (single members of JSON), with `null` for missing ones; for a create or delete the whole
 * object. A manifest with `before` would undo it. `after` is `null` also if no read showed the outcome. `withheld`: the places
 * left out, since they are secret, hidden or look like a credential.
 */
function recordEffect({ task, outcome, live, requests }: Ending) {
  const { kind, change } = task;
  const old = fieldsBefore(task);
  const isPlanned = old !== null && change.action === 'update' && !change.risk.includes('replace');
  // A read that does not show an accepted request lags. A refusal of the next request does not undo it.
  const isAccepted = requests.some(({ status }) => status !== null && status < 300);
  const isSame = live?.fingerprint() === task.live?.fingerprint();
  const isLate = isPlanned && outcome === 'failed' && isAccepted && isSame;
  const seen = live && outcome !== 'unknown' && !isLate ? declarableFields(kind, live.fields) : null;
  // Without a known outcome, a rollback undoes everything that the update may have done.
  const planned = isPlanned
    ? change.diff.reduce((all, { path, after: is }) => setMember(all, path, is), old)
    : null;
  const next = seen ?? planned;
  const { isConcern, isWithheld, concealed } = disclosureOf({ task, live }, old, next);
  // A failed delete may still happen, and the object may have to be created again: all of it is needed.
  const isPart =
    change.action === 'update' && old !== null && next !== null && !change.risk.includes('replace');
  const withheld = new Set<Pointer>();
  const record = (field: Field, at: Pointer, sides: Values): Values | null => {
    const names = field.is === 'json' ? namesIn(sides) : [];
    if (names.length > 0) {
      const members = names.flatMap((name): [string, Values][] => {
        const [was = null, is = null] = sides.map((side) => (isObject(side) ? get(side, name) : undefined));
        const pair = record(field, at + pointer(name), [was, is]);
        return pair ? [[name, pair]] : [];
      });
      const [was, is] = pairFrom(members);
      // What is gone has no members that somebody could have removed since. A rollback still needs those that came.
      return members.length > 0 ? [was, sides[1] === null ? null : is] : null;
    }
    if (isPart && (sameJson(...sides) || !isConcern(at))) return null;
    if (!isWithheld(at, sides)) return sides;
    withheld.add(at);
    return null;
  };
  const fields = Object.entries(kind.fields).flatMap(([name, field]): [string, Values][] => {
    const [was, is] = [get(old ?? {}, name), get(next ?? {}, name)];
    if ((was === undefined && is === undefined) || (isPart && sameValue(field, was, is))) return [];
    const pair = record(field, pointer(name), [was ?? null, is ?? null]);
    return pair ? [[name, pair]] : [];
  });
  const [before, after] = pairFrom(fields);
  const unknown = isLost(task) ? change.diff.map(({ path }) => path) : withheldBefore(task);
  for (const at of [...concealed, ...unknown])
    if (![...withheld].some((place) => isWithin(at, place))) withheld.add(at);
  return { before: old && before, after: seen && after, withheld: [...withheld] };
}

type Values = readonly [Json, Json];

/** The members of two objects, or of one if nothing is on the other side; none for other values. */
function namesIn(sides: Values): string[] {
  const isOpen = sides.every((side) => side === null || isObject(side));
  return isOpen ? [...new Set(sides.flatMap((side) => Object.keys(side ?? {})))] : [];
}

const pairFrom = (members: readonly (readonly [string, Values])[]): [JsonObject, JsonObject] => [
  objectFrom(members.map(([name, [was]]) => [name, was])),
  objectFrom(members.map(([name, [, is]]) => [name, is])),
];

/** What a result may show of an object: no more than the plan. */
function disclosureOf(
  { task, live }: Pick<Ending, 'task' | 'live'>,
  before: JsonObject | null,
  after: JsonObject | null,
) {
  const { kind, change, live: first } = task;
  const { diff, secrets = [], declared } = change;
  const sensitive = diff.flatMap((each) => (each.sensitive ? [each.path] : []));
  const parts = diff.flatMap(({ path, before: was, after: is }) =>
    [was, is].flatMap((side) => placesOf(side, (part) => part === redacted).map((at) => path + at)),
  );
  // Some tenants show a field only if it is set. After a change that clears it, a missing field is unset.
  const cleared = diff.flatMap(({ path, after: is }) =>
    is === null && (valueAt(live?.fields ?? {}, path) ?? null) === null ? [path] : [],
  );
  const hidden = [...(first?.hidden ?? []), ...(live?.hidden ?? []).filter((at) => !cleared.includes(at))];
  const marked = [...sensitive, ...parts, ...secrets, ...hidden, ...withheldBefore(task)];
  // A field in which something differs is declared, even if the difference itself is secret.
  const named = objectFrom(diff.map(({ path }) => [topName(path), {}]));
  const looksSensitive = sensitivePlaces(kind, {
    marked,
    declared: [readableFields(kind, declared ?? {}), valuesShown(change), named],
    values: [before, after].filter((fields) => fields !== null),
  });
  const asked = [...secrets, ...diff.map(({ path }) => path)];
  /** An update does not concern other settings of the same map. */
  const isConcern = (at: Pointer) =>
    !(before && after && isMapOfSettings(get(kind.fields, topName(at)))) || touches(asked, at);
  const written = new Set(asked.map(topName));
  /** A request of the whole object may have lost what the tenant hides; another one writes only its own fields. */
  const isWhole = change.action !== 'update' || change.requests.some(({ method }) => method !== 'PATCH');
  return {
    concealed: [
      ...sensitive,
      ...hidden.filter((at) => isConcern(at) && (isWhole || written.has(topName(at)))),
    ],
    isConcern,
    /** Without one of its items, a list would be another list. */
    isWithheld: (at: Pointer, sides: Values) =>
      touches(marked, at) ||
      sides.some((value) => !sameJson(redact(value, at, looksSensitive) ?? null, value)),
  };
}

/** `null` for a create. Values that earlier runs may have changed are as the first of them recorded them. */
function fieldsBefore({ kind, change, live, earlier = [] }: Task): JsonObject | null {
  if (change.action === 'create') return null;
  let fields = declarableFields(kind, live?.fields ?? {});
  for (const { before } of earlier) {
    const seen = fields;
    const recorded = mapMembers(before ?? {}, (was, name) =>
      get(kind.fields, name)?.is === 'json' ? withMembers(get(seen, name) ?? null, was) : was,
    );
    fields = { ...seen, ...recorded };
  }
  return fields;
}

const withheldBefore = ({ earlier = [] }: Task): Pointer[] =>
  earlier.flatMap(({ withheld = [] }) => withheld);

function withMembers(now: Json, was: Json): Json {
  if (!isObject(now) || !isObject(was)) return was;
  return { ...now, ...mapMembers(was, (value, name) => withMembers(get(now, name) ?? null, value)) };
}

/** Whether an earlier run changed the object without a record of its state before. */
function isLost({ change, live, resumed, earlier }: Task): boolean {
  return (
    change.action !== 'create' && resumed && !earlier && (live?.fingerprint() ?? null) !== change.fingerprint
  );
}
