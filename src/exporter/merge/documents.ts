import { kindNamed } from '../../kinds/index.ts';
import type { Printable } from '../../loader/print.ts';
import type { LiveObject } from '../../model/live.ts';
import { segmentsOf as stepsOf } from '../../model/pointer.ts';
import type { Resource } from '../../model/resource.ts';
import { draftOf } from '../draft.ts';
import { parseOne, treeOf } from '../edit/parsed-document.ts';
import { type Segment, segmentsOf } from '../edit/segments.ts';
import { mergeFields } from './fields.ts';
import type { Found, MergeContext } from './found.ts';

const byteOrderMark = '\uFEFF';

/** A manifest file, cut into its documents. */
export interface ManifestFile {
  readonly path: string;
  /** What stands before everything: a byte order mark, or nothing. */
  readonly prefix: string;
  readonly segments: readonly Segment[];
  /** The offset at which each line begins. */
  readonly lines: readonly number[];
}

/** A declared object with its document. */
export interface Declared {
  readonly resource: Resource;
  readonly live: LiveObject | null;
  readonly segment: Segment;
  /** What the document says, tags as written. */
  readonly written: Printable;
}

export function openManifest(path: string, text: string): ManifestFile {
  const prefix = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const rest = text.slice(prefix.length);
  const lines = [0, ...[...rest.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return { path, prefix, segments: segmentsOf(rest), lines };
}

/** The document that declares a resource; `null` where the file is not the one that was loaded. */
export function documentOfResource(
  { segments, lines }: ManifestFile,
  resource: Resource,
  live: LiveObject | null,
): Declared | null {
  const { line, column } = resource.source;
  const offset = (lines[line - 1] ?? 0) + column - 1;
  const segment = segments.findLast((each) => each.offset <= offset);
  const parsed = segment ? parseOne(segment.text) : null;
  if (!segment || !parsed) return null;
  return { resource, live, segment, written: treeOf(parsed) };
}

/** What has to change in the document of an object so that it says what is live. */
export function mergeDocument(
  { resource, written }: Declared,
  live: LiveObject,
  context: MergeContext,
): Found {
  const draft = draftOf(live, context);
  const refused =
    'refused' in draft
      ? Object.keys(live.fields)
      : draft.omissions.filter(({ reason }) => reason === 'notValid').map(({ at }) => stepsOf(at)[0] ?? '');
  const pairing = { kind: kindNamed(live.kind), resource, live, written, context };
  return mergeFields(pairing, new Set(refused));
}
