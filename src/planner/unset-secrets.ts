import { isIgnored } from '../kinds/places.ts';
import type { Secrets } from '../kinds/project.ts';
import { secretPlaces } from '../kinds/redact.ts';
import { type Diagnostic, noteOverlay } from '../model/diagnostic.ts';
import { secretName } from '../model/marker.ts';
import { type Plan, secretsSentBy } from '../model/plan.ts';
import { type Pointer, valueAt } from '../model/pointer.ts';
import type { Matched } from './index.ts';
import type { Match } from './match.ts';

/**
 * An error for each secret that a plan compares or writes and that is not set, at its place in the manifest. Other secrets
 * need not be set: those of objects out of scope, and those that the tenant hides and no request contains.
 */
export function findUnsetSecrets(
  { present, missing }: Matched,
  { changes }: Pick<Plan, 'changes'>,
  secrets: Pick<Secrets, 'problem'>,
): Diagnostic[] {
  const written = new Map(changes.map((change) => [change.address, secretsSentBy(change)]));
  const open = missing.map((match) => ({ match, notComparable: [] }));
  return [...present, ...open].flatMap(({ match, notComparable }) => {
    const { resource } = match;
    return secretPlaces(resource.fields).flatMap((at): Diagnostic[] => {
      const name = secretName(valueAt(resource.fields, at));
      if (name === null) return [];
      const isWritten = written.get(resource.address)?.includes(name) === true;
      const problem = isWritten || isCompared(match, at, notComparable) ? secrets.problem(name) : null;
      if (!problem) return [];
      const message = noteOverlay(problem.message, resource.overlayAt(at) !== null);
      const { address } = resource;
      return [{ ...problem, message, severity: 'error', address, ...resource.point(at) }];
    });
  });
}

function isCompared({ resource, live }: Match, at: Pointer, notComparable: readonly Pointer[]): boolean {
  return live !== null && !isIgnored(resource.lifecycle.ignore, at) && !notComparable.includes(at);
}
