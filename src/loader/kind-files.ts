import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { validators } from '../generated/validators.js';
import { kindFrom } from '../kinds/described-kind.ts';
import { descriptorFrom, mistakesIn, proofOf, targetsIn } from '../kinds/descriptor.ts';
import { builtInKinds } from '../kinds/index.ts';
import { isObserved, type Kind, type Parent } from '../kinds/kind.ts';
import { catalogOf, type Kinds } from '../kinds/project.ts';
import { Failure, hasErrors } from '../model/failure.ts';
import { isObject } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { contractSettings } from '../model/tenant.ts';
import { didYouMean } from '../model/words.ts';
import { openSingle } from './parse.ts';
import { type Place, type Problem, Problems, unresolved } from './problems.ts';
import { checkSchema } from './schema.ts';
import type { FileSource } from './source.ts';
import { findNode, readTree, type YamlDocument } from './tree.ts';

const kindGlobs = ['kinds/*.kind.yaml', 'kinds/*.kind.yml'];

/** The folder beside a project file with the descriptors of its own kinds, or `null`. */
export function kindsFolderIn(root: string): string | null {
  const folder = join(root, 'kinds');
  return existsSync(folder) ? folder : null;
}

/** The kinds of a project. Throws a Failure if a file cannot be used: its manifests would have no meaning. */
export function readKinds(source: FileSource, problems: Problems) {
  const paths = source.glob(kindGlobs);
  if (paths.length === 0) return { kinds: builtInKinds, texts: new Map<string, string>() };
  // Other problems do not hide those in manifests.
  const found = new Problems(problems.tolerated);
  const described = paths.flatMap((path) => readKindFile(path, source, found) ?? []);
  const own = hasErrors(found.diagnostics) ? [] : kindsOf(described, found);
  problems.addAll(found);
  if (hasErrors(found.diagnostics)) throw new Failure(problems.diagnostics);
  const names = new Set(own.map(({ name }) => name));
  const kinds = catalogOf([...own, ...builtInKinds.all.filter(({ name }) => !names.has(name))]);
  const holderOf = holdersIn(kinds);
  for (const each of described) {
    const kind = kinds.get(each.descriptor.kind);
    const holder = holderOf(kind);
    const path = kind.resource.path(contractSettings);
    if (holder) problems.report(collectionTaken(path, holder), findNode(each.document, '/path').place);
    // With a typo in the name of a kind, its objects would never be found by name.
    for (const [at, target] of each.targets.filter(([, target]) => !kinds.find(target))) {
      const near = didYouMean(
        target,
        kinds.all.map(({ name }) => name),
      );
      const hint = near ?? `Describe it in kinds/${target}.kind.yaml, or leave \`to\` out.`;
      const { place } = findNode(each.document, at);
      problems.add('unknown-kind', `There is no kind \`${target}\`.`, place, { severity: 'warning', hint });
    }
  }
  return { kinds, texts: new Map(described.map(({ document: { file } }) => [file.path, file.text])) };
}

/** The kinds of descriptors, each made after the one that its objects are below. */
function kindsOf(described: readonly KindFile[], problems: Problems): Kind[] {
  const byName = new Map(described.map((each) => [each.descriptor.kind, each]));
  // `null` while a kind is being made: if it is asked for then, it is below itself.
  const made = new Map<string, Kind | null>();
  const names = [...byName.keys(), ...builtInKinds.all.map(({ name }) => name)];
  const make = (each: KindFile): Kind | null => {
    const { descriptor, proof } = each;
    const known = made.get(descriptor.kind);
    if (known !== undefined) return known;
    made.set(descriptor.kind, null);
    const name = descriptor.parent?.kind ?? '';
    const above = byName.get(name);
    const found = above ? make(above) : (builtInKinds.find(name) ?? null);
    const kind = kindFrom(descriptor, { proof, ...parentOf(each, found, { names, problems }) });
    made.set(kind.name, kind);
    return kind;
  };
  return described.flatMap((each) => make(each) ?? []);
}

function parentOf(
  { descriptor: { parent }, document }: KindFile,
  kind: Kind | null,
  { names, problems }: { readonly names: readonly string[]; readonly problems: Problems },
): { readonly parent?: Parent } {
  if (!parent) return {};
  if (kind && 'list' in kind.read) return { parent: { part: parent.part, kind } };
  const isKnown = names.includes(parent.kind);
  const message = isKnown
    ? `Objects cannot be below those of the kind \`${parent.kind}\`.`
    : `There is no kind \`${parent.kind}\`.`;
  const hint = isKnown
    ? 'Name another kind, whose objects the tenant lists, and which is not below this one.'
    : (didYouMean(parent.kind, names) ?? `Describe it in kinds/${parent.kind}.kind.yaml.`);
  problems.add('invalid-value', message, findNode(document, pointer('parent', parent.part)).place, { hint });
  return {};
}

/**
 * Finds the kind that owns the collection of another: a built-in kind that writes to it, or any that does if `kind` writes too.
 * Protection and hidden settings depend on an object's kind, which another name must not circumvent. A single object may
 * be an item of a collection.
 *
 * @param pathsHere the paths of a kind besides those of the API documents, and of hosts that serve each resource under its own
 */
export function holdersIn(
  kinds: Kinds,
  pathsHere: (kind: Kind) => readonly string[] = () => [],
): (kind: Kind) => Kind | undefined {
  const placesOf = (kind: Kind) => {
    const { ownPath, path } = kind.resource;
    return [path(contractSettings), ...(ownPath === null ? [] : [ownPath]), ...pathsHere(kind)].map(
      collectionIn,
    );
  };
  const placesIn = new Map(kinds.all.map((kind) => [kind, placesOf(kind)]));
  return (kind) => {
    const places = placesIn.get(kind) ?? placesOf(kind);
    const around = kind.read.how === 'single' ? places.map(posix.dirname) : [];
    return kinds.all.find((other) => {
      if (other.name === kind.name || isObserved(other)) return false;
      if (isObserved(kind) && builtInKinds.find(other.name) !== other) return false;
      const reached = other.read.how === 'single' ? places : [...places, ...around];
      return placesIn.get(other)?.some((place) => reached.some((each) => canBeSame(each, place)));
    });
  };
}

/** Servers have the same objects under all versions of the API and in all formats, and behind `/api`. Some ignore case. */
export function collectionIn(path: string): string {
  return path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && !general.test(segment))
    .map((segment) => segment.replace(/(?<=.)\..*$/, '').replace(/^\{.*/, '{}'))
    .join('/');
}

/** Whether two paths are the same for some id in place of their braces. */
function canBeSame(path: string, otherPath: string): boolean {
  const [one, other] = [path.split('/'), otherPath.split('/')];
  if (one.length !== other.length) return false;
  return one.every((segment, at) => segment === other[at] || [segment, other[at]].includes('{}'));
}

const general = /^(api|rest|v\d[\w.~-]*|latest|current|stable|alpha|beta|preview)$/;

export function collectionTaken(path: string, { name }: Kind): Problem {
  return {
    code: 'collection-taken',
    message: `${path} has objects of the kind \`${name}\`, and no other kind can have them.`,
    hint: `Declare such objects as ${name}, or correct the path.`,
  };
}

type KindFile = NonNullable<ReturnType<typeof readKindFile>>;

function readKindFile(path: string, source: FileSource, problems: Problems) {
  const document = openSingle(source, path, problems, 'Describe a kind in it, or remove it.');
  if (!document) return null;
  const before = problems.count;
  const hint = 'It is the same in all environments: write the value itself.';
  const tree = readTree(
    document,
    (_tag, _argument, place) => {
      problems.add('misplaced-tag', 'A descriptor must not have tags.', place, { hint });
      return unresolved;
    },
    problems,
  );
  const find = (at: string) => findNode(document, at);
  checkSchema(validators.kind, tree, find, (problem, place) => problems.report(problem, place));
  const { value } = tree;
  if (problems.count > before || !isObject(value) || !validators.kind(value)) return null;
  const descriptor = descriptorFrom(value);
  for (const { at, message } of mistakesIn(descriptor, value))
    problems.add('invalid-value', message, find(at).place);
  checkName(descriptor.kind, document, find('/kind').place, problems);
  return { descriptor, proof: proofOf(descriptor.kind, value), document, targets: targetsIn(value) };
}

function checkName(name: string, { file }: YamlDocument, place: Place, problems: Problems): void {
  const builtIn = builtInKinds.find(name);
  // Hosts have different paths for read-only kinds.
  const isReplaceable = builtIn?.described && isObserved(builtIn);
  if (builtIn && !isReplaceable) {
    const message = `\`${name}\` is a built-in kind, which a project cannot describe.`;
    const hint = `Give the kind another name. \`tenantctl schema ${name}\` prints the fields of the built-in one.`;
    problems.add('built-in-kind', message, place, { hint });
    return;
  }
  const wanted = `kinds/${name}.kind.yaml`;
  if (file.path === wanted) return;
  const hint = `Rename the file to ${wanted}, or correct \`kind\`.`;
  const message = `This file describes the kind \`${name}\`, but is named ${file.path}.`;
  problems.add('kind-file-name', message, place, { hint });
}
