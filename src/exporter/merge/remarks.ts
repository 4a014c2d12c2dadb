import type { Diagnostic } from '../../model/diagnostic.ts';
import { type Pointer, pointer, segmentsOf } from '../../model/pointer.ts';
import type { Resource } from '../../model/resource.ts';
import { shownPlace } from '../omission.ts';
import type { Note, NoteReason } from './found.ts';

/** What there is to say about one merged manifest: what was kept though it differs, and what was lost. */
export function noteDiagnostics(resource: Resource, notes: readonly Note[]): Diagnostic[] {
  return notes.map(({ at, reason }) => ({
    ...texts[reason](shownPlace(at)),
    source: resource.locate(existing(resource, at)),
    address: resource.address,
  }));
}

export function goneDiagnostic({ address, source }: Resource, isDeleted: boolean): Diagnostic {
  return {
    code: 'object-gone',
    severity: 'warning',
    message: `The tenant has no ${address} any more${isDeleted ? '; its document was removed' : ''}.`,
    ...(isDeleted ? {} : { hint: 'Remove the document, or let `export --merge --delete` do it.' }),
    source,
    address,
  };
}

export function absentDiagnostic({ address, source }: Resource): Diagnostic {
  return {
    code: 'object-still-there',
    severity: 'info',
    message: `${address} is declared absent, but the tenant has it; the manifest stays as it is.`,
    source,
    address,
  };
}

export function refusedDiagnostic({ address, source }: Resource): Diagnostic {
  return {
    code: 'cannot-edit',
    severity: 'error',
    message: `The manifest of ${address} could not be changed without losing something; it stays as it is.`,
    hint: 'Make the changes by hand: `tenantctl plan` shows them.',
    source,
    address,
  };
}

const texts: Readonly<
  Record<NoteReason, (place: string) => Pick<Diagnostic, 'code' | 'severity' | 'message'>>
> = {
  overlay: (place) => ({
    code: 'set-by-overlay',
    severity: 'warning',
    message: `${place} differs from the tenant, but an overlay sets it; nothing was written.`,
  }),
  secret: (place) => ({
    code: 'secret-kept',
    severity: 'warning',
    message: `${place} holds a secret and may differ from the tenant; it stays as it is.`,
  }),
  tag: (place) => ({
    code: 'tag-replaced',
    severity: 'info',
    message: `${place} no longer has the value that its tag gives; it became a plain value.`,
  }),
  sideFile: (place) => ({
    code: 'side-file-left',
    severity: 'info',
    message: `${place} got its text in the manifest, since others need its side file as it is.`,
  }),
  unwritable: (place) => ({
    code: 'not-declarable',
    severity: 'warning',
    message: `${place} differs from the tenant, but no manifest can say what the tenant has.`,
  }),
};

/** The nearest place that the manifest has: the tenant's own lists may be longer. */
function existing({ fields }: Resource, at: Pointer): Pointer {
  const [field = ''] = segmentsOf(at);
  return Object.hasOwn(fields, field) ? at : pointer();
}
