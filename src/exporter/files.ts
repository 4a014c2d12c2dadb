import { posix } from 'node:path';
import type { Kind, LiveObject } from '../kinds/kind.ts';
import { type ManifestDocument, type Member, printManifest } from '../loader/print.ts';
import { type Address, formatAddress, parseAddress } from '../model/address.ts';
import { groupBy } from '../model/basics.ts';
import { digestStart } from '../model/digest.ts';
import { type Pointer, segmentsOf } from '../model/pointer.ts';
import { type Draft, type DraftInput, draftEach, printPlace, remarkOf } from './draft.ts';
import { append } from './edit/document.ts';
import { mapTags, sideFileOf } from './print-live.ts';

export interface ExportedFile {
  /** Below the export's folder, with `/`. */
  readonly path: string;
  readonly content: string;
}

export type Export = Readonly<ReturnType<typeof exportObjects>>;

/** Manifests and side files, without changes in a plan, and the same for the same objects in any order. */
export function exportObjects(input: DraftInput) {
  const { drafts, diagnostics } = draftEach(input);
  const { secrets, nameSecret } = nameSecrets(drafts);
  const { files, manifests } = createFiles(drafts, { folder: '', nameSecret, textOf: () => null });
  const documents = drafts.map((draft) => {
    const texts = new Map(draft.sideTexts.map(({ ending, text }) => [ending, text]));
    const fields = draft.fields.map(([name, value]): Member => {
      return [name, texts.get(sideFileOf(value) ?? '') ?? value];
    });
    return [draft.object.address, documentOf({ ...draft, fields }, '', nameSecret)] as const;
  });
  return {
    /** Manifests and side files, sorted by path. */
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    /** The paths of the manifests, below the export's folder, with `/`. */
    declared: [...manifests].map(([{ object }, path]) => ({ object, path })),
    /** The same manifests without side files, by their addresses. */
    documents: new Map(documents),
    secrets,
    /** Remarks about the objects and fields that no manifest can declare. */
    diagnostics,
  };
}

interface Destination {
  /** From the project's root; `''` or `.` for the root itself. */
  readonly folder: string;
  readonly nameSecret: NameSecret;
  /** The content of a file, by its path from the project's root, or `null`. */
  textOf(path: string): string | null;
}

/** Manifests and side files for drafts. The objects of a small kind share one file. */
export function createFiles(drafts: readonly Draft[], { folder, nameSecret, textOf }: Destination) {
  const sideEndings = drafts.flatMap(({ sideTexts }) => sideTexts.map(({ ending }) => ending));
  const endings = [...new Set(['yaml', ...sideEndings])];
  const owners = drafts.map(({ object }) => object).filter(({ kind }) => hasOwnFiles(kind));
  const bases = chooseBasePaths(owners, (base) =>
    endings.some((ending) => textOf(posix.join(folder, `${base}.${ending}`)) !== null),
  );
  const baseOf = ({ object }: Draft) =>
    posix.join(folder, bases.get(object.address) ?? folderOf(object.kind));
  const files = groupBy(drafts, ({ object }) => object.kind).flatMap(([kind, ofKind]): ExportedFile[] => {
    if (hasOwnFiles(kind))
      return ofKind.flatMap((draft) => {
        const base = baseOf(draft);
        const document = documentOf(draft, posix.basename(base), nameSecret);
        return [
          { path: `${base}.yaml`, content: printManifest([document]) },
          ...draft.sideTexts.map(({ ending, text }) => ({ path: `${base}.${ending}`, content: text })),
        ];
      });
    const path = posix.join(folder, `${folderOf(kind)}.yaml`);
    const added = printManifest(ofKind.map((draft) => documentOf(draft, '', nameSecret)));
    const existing = textOf(path) ?? '';
    return [{ path, content: existing.trim() === '' ? added : append(existing, `---\n${added}`) }];
  });
  return { files, manifests: new Map(drafts.map((draft) => [draft, `${baseOf(draft)}.yaml`])) };
}

function documentOf(
  { object, key, fields, lifecycle, tags, names, omissions }: Draft,
  base: string,
  nameSecret: NameSecret,
): ManifestDocument {
  const filledIn = fields.map(([field, value]): Member => {
    const filled = mapTags(value, (tag, open) => {
      if (tag === '!secret') return nameSecret({ address: object.address, at: open });
      return tag === '!file' ? `${base}.${open}` : open;
    });
    return [field, filled];
  });
  return {
    members: [
      ['kind', object.kind.name],
      ...key,
      ...filledIn,
      ...(lifecycle.length === 0 ? [] : [['lifecycle', { members: lifecycle }] as const]),
    ],
    // A tag itself says what it finds.
    comments: new Map([...names].filter(([at]) => !tags.has(at))),
    remarks: omissions.map(remarkOf),
  };
}

function hasOwnFiles(kind: Kind): boolean {
  const isStructured = Object.values(kind.fields).some(({ is }) => ['text', 'json', 'records'].includes(is));
  return isStructured || kind.can.pin;
}

const wordsOf = ({ name }: Pick<Kind, 'name'>): string => name.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase();

/** `notification-templates`, `sender-addresses`: the folder or file of a kind. */
function folderOf({ name }: Kind): string {
  const words = wordsOf({ name });
  if (words.endsWith('from')) return words;
  if (/[^aeiou]y$/.test(words)) return `${words.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(words) ? `${words}es` : `${words}s`;
}

interface Wish {
  readonly address: Address;
  readonly folder: string;
  readonly name: string;
}

/**
 * A path without ending for each object that has a file of its own: made of its key, valid on every system, and unique even if
 * case does not count. Objects that share the first part of several have a folder of their own, such as
 * `notification-templates/password_expiring/email.en`.
 */
function chooseBasePaths(objects: readonly LiveObject[], isTaken: (path: string) => boolean) {
  const groups = groupBy(
    objects.filter(({ key }) => key.length > 1),
    groupOf,
  ).map(
    ([address, [{ kind, key }]]): Wish => ({ address, folder: folderOf(kind), name: slug(key[0] ?? '') }),
  );
  const folders = choosePaths(groups, () => false);
  const wishes = objects.map((object): Wish => {
    const folder = folders.get(groupOf(object));
    const parts = folder === undefined ? object.key : object.key.slice(1);
    return {
      address: object.address,
      folder: folder ?? folderOf(object.kind),
      // The only object of its kind has no other name.
      name: parts.map(slug).join('.') || (parts.length === 0 ? wordsOf(object.kind) : ''),
    };
  });
  return choosePaths(wishes, isTaken);
}

function groupOf({ kind, key }: LiveObject): Address {
  return formatAddress(kind.name, key.slice(0, 1));
}

function choosePaths(wishes: readonly Wish[], isTaken: (path: string) => boolean) {
  const byPath = groupBy(wishes, ({ folder, name }) => `${folder}/${name}`);
  return new Map(
    byPath.flatMap(([path, wanting]) =>
      wanting.map((wish) => {
        const isPortable = wish.name !== '' && wish.name === portable(wish.name);
        const isFree = isPortable && wanting.length === 1 && !isTaken(path);
        return [wish.address, isFree ? path : makeDistinct(wish, isTaken)];
      }),
    ),
  );
}

/** Lower case, without any character that has a meaning for a system, a shell or a glob. */
function slug(part: string): string {
  return part
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

/** Longer names are cut, so that a whole path stays within the limit of Windows. */
const longestName = 80;
/** Names of devices on Windows, with or without an extension. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

function portable(name: string): string {
  const stem = name
    .slice(0, longestName)
    .replaceAll(/^[.]+|[.]+$/g, '')
    .replaceAll(/\.{2,}/g, '.');
  return devices.test(stem) ? `x-${stem}` : stem;
}

function makeDistinct({ address, folder, name }: Wish, isTaken: (path: string) => boolean): string {
  const stem = portable(name);
  for (let turn = 0; ; turn += 1) {
    const mark = digestStart(turn === 0 ? address : [address, turn]);
    const tried = `${folder}/${stem}${stem === '' ? '' : '-'}${mark}`;
    if (!isTaken(tried)) return tried;
  }
}

interface SecretPlace {
  readonly address: Address;
  readonly at: Pointer;
}

interface NamedSecret extends SecretPlace {
  readonly name: string;
}

type NameSecret = (place: SecretPlace) => string;

/** Some systems limit the length of variable names. */
const longestVariable = 120;

/**
 * A name for each secret of drafts, and for more places: the one that an existing manifest gives it, else one made of address and field, such as
 * `SIM_INTEGRATION_SERVICENOW_ATTRIBUTES_PASSWORD`. New names are unique and differ from those in `inUse`, which manifests
 * use already.
 */
export function nameSecrets(
  drafts: readonly Pick<Draft, 'object' | 'secrets'>[],
  more: readonly (SecretPlace & { readonly name?: string | null })[] = [],
  inUse: ReadonlySet<string> = new Set(),
): { readonly secrets: readonly NamedSecret[]; readonly nameSecret: NameSecret } {
  const ofDrafts = drafts.flatMap(({ object: { address }, secrets }) =>
    secrets.map((secret) => ({ ...secret, address })),
  );
  const places = [...ofDrafts, ...more];
  const taken = new Set([...inUse, ...places.flatMap(({ name }) => name ?? [])]);
  const wished = groupBy(places, secretNameOf);
  const secrets = wished.flatMap(([wish, ofName]) => {
    const isFree = ofName.length === 1 && !taken.has(wish);
    return ofName.map(({ address, at, name }) => {
      const ownName = isFree ? wish : `${wish}_${digestStart(placeId({ address, at })).toUpperCase()}`;
      return { name: name ?? ownName, address, at };
    });
  });
  const names = new Map(secrets.map((secret) => [placeId(secret), secret.name]));
  return { secrets, nameSecret: (place) => names.get(placeId(place)) ?? secretNameOf(place) };
}

function secretNameOf({ address, at }: SecretPlace): string {
  const { kind, key } = parseAddress(address) ?? { kind: '', key: [address] };
  const fields = segmentsOf(at).map((name) => name.replaceAll(/(?<=[a-z\d])[A-Z]/g, '_$&'));
  const words = [kind.replaceAll(/(?!^)[A-Z]/g, '_$&'), ...key, ...fields]
    .join('_')
    .normalize('NFKD')
    .toUpperCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, longestVariable)
    .replaceAll(/_+$/g, '');
  // `NAME_FILE` means the file that holds `NAME`.
  return words.endsWith('_FILE') ? `${words}_TEXT` : words;
}

function placeId({ address, at }: SecretPlace): string {
  return `${address}#${at}`;
}

export const envExampleFile = '.env.example';

const envExampleHeader =
  '# The secrets that the manifests name. Set them where tenantctl runs; keep the values out of git.\n';

/** The text of `.env.example` with each secret that it lacks, and where it is used; `null` if it lists all. */
export function addToEnvExample(existing: string | null, secrets: readonly NamedSecret[]): string | null {
  const listed = new Set(
    [...(existing ?? '').matchAll(/^[#\s]*(?:export\s+)?(\w+)\s*=/gm)].map(([, name]) => name),
  );
  const missing = secrets.filter(({ name }) => !listed.has(name));
  if (missing.length === 0) return existing;
  const entries = groupBy(missing, ({ name }) => name).map(([name, places]) => {
    const uses = places.map(({ address, at }) => `# ${address}, ${printPlace(at)}\n`);
    return `\n${uses.join('')}${name}=\n`;
  });
  const added = entries.join('');
  return existing === null || existing.trim() === '' ? envExampleHeader + added : append(existing, added);
}
