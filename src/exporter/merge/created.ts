import { kinds } from '../../kinds/index.ts';
import { printManifest } from '../../loader/print.ts';
import type { Draft } from '../draft.ts';
import { documentOf, type ExportedFile, filesOf, manifestPath } from '../fresh.ts';
import { basePaths, folderOf, hasOwnFiles } from '../paths.ts';
import { envExample, type SecretPlace } from '../secret-names.ts';

export interface CreateInput {
  readonly drafts: readonly Draft[];
  /** Where new files go, from the project's root on. */
  readonly folder: string;
  readonly secretName: (place: SecretPlace) => string;
  /** The text of a file as it is after the merge; `null` where there is none. */
  textOf(path: string): string | null;
}

interface Created {
  readonly files: readonly ExportedFile[];
  /** The manifests among the files, each once. */
  readonly manifests: readonly string[];
}

/** Files for objects that nobody declares yet. Those of flat kinds are added to their file where there is one. */
export function filesForNew({ drafts, folder, secretName, textOf }: CreateInput): Created {
  const inFolder = (path: string) => (folder === '' || folder === '.' ? path : `${folder}/${path}`);
  const endings = ['yaml', ...sideEndings(drafts)];
  const isTaken = (base: string) => endings.some((ending) => textOf(inFolder(`${base}.${ending}`)) !== null);
  const paths = basePaths(
    drafts.filter(({ kind }) => hasOwnFiles(kind)),
    isTaken,
  );
  const manifests = new Set(drafts.map((draft) => inFolder(manifestPath(draft, paths))));
  const files = kinds.flatMap((kind): ExportedFile[] => {
    const ofKind = drafts.filter((draft) => draft.kind === kind);
    if (ofKind.length === 0) return [];
    if (hasOwnFiles(kind)) {
      return ofKind
        .flatMap((draft) => filesOf(draft, paths.get(draft.object.address) ?? '', secretName))
        .map(({ path, content }) => ({ path: inFolder(path), content }));
    }
    const path = inFolder(`${folderOf(kind)}.yaml`);
    const added = printManifest(ofKind.map((draft) => documentOf(draft, '', secretName)));
    return [{ path, content: append(textOf(path), `---\n${added}`, added) }];
  });
  return { files, manifests: [...manifests] };
}

/** `.env.example` with the new names; `null` where there are none. */
export function envFileFor(
  places: readonly SecretPlace[],
  { folder, secretName, textOf }: Omit<CreateInput, 'drafts'>,
): ExportedFile | null {
  if (places.length === 0) return null;
  const path = folder === '' || folder === '.' ? '.env.example' : `${folder}/.env.example`;
  const whole = envExample(places, secretName);
  const entries = whole.slice(whole.indexOf('\n\n') + 1);
  return { path, content: append(textOf(path), entries, whole) };
}

function sideEndings(drafts: readonly Draft[]): string[] {
  return drafts.flatMap(({ sideTexts }) => sideTexts.map(({ field, extension }) => `${field}.${extension}`));
}

function append(existing: string | null, added: string, whole: string): string {
  if (existing === null || existing.trim() === '') return whole;
  const eol = existing.includes('\r\n') ? '\r\n' : '\n';
  const gap = existing.endsWith('\n') ? '' : eol;
  return existing + gap + added.replaceAll('\n', eol);
}
