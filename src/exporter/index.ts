import type { Diagnostic } from '../model/diagnostic.ts';
import type { LiveObject } from '../model/live.ts';
import { type DraftInput, draftAll, refusalDiagnostic } from './draft.ts';
import { createEnvExample, createFiles, type ExportedFile } from './files.ts';
import { secretNames, secretsOf } from './secret-names.ts';

export { type ExportedFile, secretsFile } from './files.ts';
export { type Merge, type MergeInput, mergeExport } from './merge/index.ts';

/** A live object that no manifest declared before, and its new manifest. */
export interface NewDeclaration {
  readonly object: LiveObject;
  /** Below the export's folder, with `/`. */
  readonly path: string;
}

export interface Export {
  /** Sorted by path. */
  readonly files: readonly ExportedFile[];
  readonly declared: readonly NewDeclaration[];
  /** Objects that no manifest can declare. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Manifests of live objects, their side files, and `.env.example` where there are secrets. A plan of these manifests
 * has no changes. The same objects give the same files, regardless of their order.
 */
export function exportObjects(input: DraftInput): Export {
  const { drafts, refusals } = draftAll(input);
  const places = secretsOf(drafts);
  const destination = { folder: '', nameSecret: secretNames(places), textOf: () => null };
  const { files, manifests } = createFiles(drafts, destination);
  const env = createEnvExample(places, destination);
  return {
    files: [...files, ...(env ? [env] : [])].sort((a, b) => (a.path < b.path ? -1 : 1)),
    declared: [...manifests].map(([{ object }, path]) => ({ object, path })),
    diagnostics: refusals.map(refusalDiagnostic),
  };
}
