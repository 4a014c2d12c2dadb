import type { LiveObject } from '../kinds/kind.ts';
import type { ManifestDocument } from '../loader/print.ts';
import type { Address } from '../model/address.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type DraftInput, draftEach } from './draft.ts';
import { createFiles, type ExportedFile, wholeDocument } from './files.ts';
import { omissionDiagnostics, refusalDiagnostics } from './remarks.ts';
import { type NamedSecret, nameAll, secretNames, secretsOf } from './secret-names.ts';

export type { ExportedFile } from './files.ts';
export { type Merge, type MergeInput, mergeExport } from './merge/index.ts';
export { addToEnvExample, envExampleFile, type NamedSecret } from './secret-names.ts';

export interface NewDeclaration {
  readonly object: LiveObject;
  /** Below the export's folder, with `/`. */
  readonly path: string;
}

export interface Export {
  /** Manifests and side files, sorted by path. */
  readonly files: readonly ExportedFile[];
  readonly declared: readonly NewDeclaration[];
  /** The same manifests without side files, by their addresses. */
  readonly documents: ReadonlyMap<Address, ManifestDocument>;
  /** The secrets that the manifests name. */
  readonly secrets: readonly NamedSecret[];
  /** Remarks about the objects and fields that no manifest can declare. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Manifests and side files, without changes in a plan, and the same for the same objects in any order. */
export function exportObjects(input: DraftInput): Export {
  const { drafts, refusals } = draftEach(input);
  const places = secretsOf(drafts);
  const nameSecret = secretNames(places);
  const { files, manifests } = createFiles(drafts, { folder: '', nameSecret, textOf: () => null });
  return {
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    declared: [...manifests].map(([{ object }, path]) => ({ object, path })),
    documents: new Map(drafts.map((draft) => [draft.object.address, wholeDocument(draft, nameSecret)])),
    secrets: nameAll(places, nameSecret),
    diagnostics: [...refusalDiagnostics(refusals), ...omissionDiagnostics(drafts)],
  };
}
