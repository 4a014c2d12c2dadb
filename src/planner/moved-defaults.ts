import { readableFields } from '../kinds/field.ts';
import type { LiveObject } from '../kinds/kind.ts';
import { contentDigest, type LiveIndex } from '../kinds/live-objects.ts';
import type { Diagnostic, Versions } from '../model/diagnostic.ts';
import { type Json, pick } from '../model/json.ts';
import type { Difference } from '../model/plan.ts';
import { segmentsOf } from '../model/pointer.ts';
import { overlayFields, redactDifference, sensitiveIn } from './change.ts';
import { declaredFields, differences } from './comparison.ts';
import type { Match } from './match.ts';

/**
 * Remarks on declared objects whose vendor's default is another than the one that they were customised from
 * (`lifecycle.basedOn`): they do not follow the vendor, so a person has to decide what to take over.
 *
 * @param standards the live defaults of the objects with `basedOn`
 */
export function findMovedDefaults(matches: readonly Match[], standards: LiveIndex): Diagnostic[] {
  return matches.flatMap((match) => {
    const { kind, resource } = match;
    const standard = standards.byKey(kind, resource.key);
    const { basedOn } = resource.lifecycle;
    if (basedOn === null || standard === null) return [];
    const now = contentDigest(kind, standard);
    return now === basedOn ? [] : [movedDefault(match, standard, now)];
  });
}

function movedDefault(match: Match, standard: LiveObject, now: string): Diagnostic {
  const { resource } = match;
  const versions = versionsOf(match, standard);
  const names = [...new Set(versions.map(({ name }) => name))].join(', ');
  const differs = names === '' ? 'no field that it shows' : names;
  return {
    code: 'default-moved',
    severity: 'warning',
    message: `${resource.address}: the vendor has changed the default that this manifest was customised from. The manifest differs from the new default in ${differs}.`,
    hint: `Take over what you want of the new default, then set \`lifecycle.basedOn\` to ${now}.`,
    source: resource.locate('/lifecycle/basedOn'),
    address: resource.address,
    ...(versions.length > 0 ? { versions } : {}),
  };
}

/** What differs between the declared object, over the live one, and the vendor's default. Secrets are left out. */
function versionsOf({ kind, resource, live }: Match, standard: LiveObject): Versions[] {
  const declared = declaredFields(kind, resource.fields, live);
  const ours = readableFields(kind, overlayFields(kind, declared, (live ?? standard).fields));
  const theirs = pick(standard.fields, Object.keys(kind.fields));
  const isSensitive = sensitiveIn(kind, live, declared);
  return differences(kind, theirs, ours)
    .map((entry) => redactDifference(entry, isSensitive))
    .filter(({ sensitive }) => !sensitive)
    .map(versionsIn);
}

function versionsIn({ path, before, after }: Difference): Versions {
  return { name: segmentsOf(path).join('.'), ours: textOrNull(before), theirs: textOrNull(after) };
}

function textOrNull(value: Json): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value, null, 2);
}
