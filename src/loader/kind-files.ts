import { validators } from '../generated/validators.js';
import { catalogOf, type Kinds } from '../kinds/catalog.ts';
import { kindFrom } from '../kinds/described-kind.ts';
import { descriptorFrom, mistakesIn } from '../kinds/descriptor.ts';
import { builtInKinds } from '../kinds/index.ts';
import { isObserved, type Kind } from '../kinds/kind.ts';
import { isObject } from '../model/json.ts';
import { pointer } from '../model/pointer.ts';
import { didYouMean } from '../model/suggest.ts';
import { findNode, type YamlDocument } from './document.ts';
import type { Place } from './file.ts';
import { openSingle } from './parse.ts';
import type { Problems } from './problems.ts';
import { checkSchema } from './schema.ts';
import type { FileSource } from './source.ts';
import { openTagReader } from './tags.ts';
import { type ReadTag, readTree } from './tree.ts';

/** Where a project describes kinds of its own. */
const kindGlobs = ['kinds/*.kind.yaml', 'kinds/*.kind.yml'];

/** The kinds of a project, and the files that describe some of them. */
export interface ProjectKinds {
  readonly kinds: Kinds;
  readonly paths: readonly string[];
}

/**
 * The kinds of a project: those that every project has, and those that files in `kinds/` describe. Described kinds come
 * first, sorted by name, since built-in kinds may refer to them. Problems are reported.
 *
 * Throws a Failure with all problems where a file cannot be used: what its manifests say is not known then.
 */
export function readKinds(source: FileSource, problems: Problems): ProjectKinds {
  const paths = source.glob(kindGlobs);
  if (paths.length === 0) return { kinds: builtInKinds, paths };
  const described = paths.flatMap((path) => readKindFile(path, source, problems) ?? []);
  problems.throwIfAny();
  const own = described.map(({ kind }) => kind);
  const names = new Set(own.map(({ name }) => name));
  const kinds = catalogOf([...own, ...builtInKinds.all.filter(({ name }) => !names.has(name))]);
  for (const each of described) noteUnknownTargets(each, kinds, problems);
  return { kinds, paths };
}

/** A kind, and the document that describes it. */
interface Described {
  readonly kind: Kind;
  readonly document: YamlDocument;
}

/** `null`, and a problem, where the file describes no kind. */
function readKindFile(path: string, source: FileSource, problems: Problems): Described | null {
  const document = openSingle(source, path, problems, 'Describe a kind in it, or remove it.');
  if (!document) return null;
  const tree = readTree(document, tagRefuser(problems), problems);
  const find = (at: string) => findNode(document, at);
  const isValid = checkSchema(validators.kind, tree, { problems, find });
  if (!isValid || tree.tagged || !isObject(tree.value)) return null;
  const descriptor = descriptorFrom(tree.value);
  for (const { at, message } of mistakesIn(descriptor))
    problems.add('invalid-value', message, find(at).place);
  const kind = kindFrom(descriptor);
  checkName(kind.name, document, find('/kind').place, problems);
  return { kind, document };
}

/** A descriptor is the same in all environments. */
function tagRefuser(problems: Problems): ReadTag {
  const open = openTagReader(problems);
  return (tag, argument, place) => {
    problems.add('misplaced-tag', 'The description of a kind may not have tags', place);
    return open(tag, argument, place);
  };
}

/** Refuses a name that a built-in kind has, and a file of another name. */
function checkName(name: string, { file }: YamlDocument, place: Place, problems: Problems): void {
  const builtIn = builtInKinds.find(name);
  // Hosts differ in where they keep what is only read to be referred to.
  const isReplaceable = builtIn?.manifestSchema && isObserved(builtIn);
  if (builtIn && !isReplaceable) {
    const message = `\`${name}\` is a built-in kind, which a project cannot describe`;
    const hint = `Give the kind another name. \`tenantctl schema ${name}\` prints what the built-in one has.`;
    problems.add('built-in-kind', message, place, { hint });
    return;
  }
  const wanted = `kinds/${name}.kind.yaml`;
  if (file.path === wanted) return;
  const hint = `Rename the file to ${wanted}, or correct \`kind\`.`;
  problems.add('kind-file-name', `${file.path} describes the kind \`${name}\``, place, { hint });
}

/** With a typo in the name of a kind, its objects would never be found by name. */
function noteUnknownTargets({ kind, document }: Described, kinds: Kinds, problems: Problems): void {
  for (const [name, field] of Object.entries(kind.fields)) {
    const target = 'to' in field ? field.to : undefined;
    if (target === undefined || kinds.find(target)) continue;
    const names = kinds.all.map((each) => each.name);
    const hint =
      didYouMean(target, names) ?? `Describe it in kinds/${target}.kind.yaml, or leave \`to\` out.`;
    const { place } = findNode(document, pointer('fields', name, 'to'));
    problems.add('unknown-kind', `There is no kind \`${target}\``, place, { severity: 'warning', hint });
  }
}
