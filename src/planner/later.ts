import type { Kinds } from '../kinds/catalog.ts';
import { identityOf } from '../kinds/live-objects.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { isSameTenant } from '../model/network.ts';
import type { Result } from '../model/result.ts';
import { type Undo, undosOf } from './undo.ts';

/** A result of a later apply of the project, or why its file says nothing. */
export type LaterResult =
  | { readonly file: string; readonly result: Result }
  | { readonly file: string; readonly unreadable: string };

/** Warnings about objects of a rollback that later applies to the same tenant changed too. */
export function laterRemarks(
  undos: readonly Undo[],
  later: readonly LaterResult[],
  { environment, tenant }: Result,
  kinds: Kinds,
): Diagnostic[] {
  const wanted = new Map(undos.flatMap((undo) => namesOf(undo).map((name) => [name, undo.record.address])));
  return later.flatMap((found): Diagnostic[] => {
    if ('unreadable' in found) return [unreadable(found.file, found.unreadable)];
    const { file, result } = found;
    if (result.environment !== environment || !isSameTenant(result.tenant, tenant)) return [];
    try {
      const touched = undosOf(result, kinds).flatMap((undo) =>
        namesOf(undo).flatMap((name) => wanted.get(name) ?? []),
      );
      return [...new Set(touched)].map((address) => changedAgain(address, file, result.startedAt));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [unreadable(file, error.message)];
    }
  });
}

/** An object's names before and after its change. */
function namesOf({ kind, key, former }: Undo): string[] {
  return [...new Set([identityOf(kind, key), identityOf(kind, former)])];
}

function changedAgain(address: string, file: string, startedAt: string): Diagnostic {
  return {
    code: 'rollback-later',
    severity: 'warning',
    message: `${address} was changed again by the apply of ${startedAt} (${file}).`,
    hint: 'Look at its differences: the rollback may undo that too. To keep the order, roll the later apply back first.',
    address,
  };
}

function unreadable(file: string, why: string): Diagnostic {
  return {
    code: 'rollback-later',
    severity: 'warning',
    message: `It is not known what the later apply of ${file} changed. ${why}`,
  };
}
