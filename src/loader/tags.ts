import { formatAddress, parseAddress } from '../model/address.ts';
import { Failure, fail, hasCode } from '../model/failure.ts';
import { get, isArray, isObject, type Json, type JsonObject, mapJson } from '../model/json.ts';
import { lookupMarker, lookupOf } from '../model/marker.ts';
import { didYouMean } from '../model/words.ts';
import type { readInputs } from './inputs.ts';
import { tagNames } from './parse.ts';
import { sideFilePath } from './paths.ts';
import { type Place, type Problems, type SourceFile, unresolved } from './problems.ts';
import { type FileSource, largestFile, sizeLimit } from './source.ts';
import { type ReadTag, writtenTag } from './tree.ts';

interface TagContext {
  readonly inputs: ReturnType<typeof readInputs>;
  readonly uses: {
    readonly secrets: Set<string>;
    /** Names of variables that are read as ordinary text. */
    readonly texts: { readonly name: string; readonly place: Place }[];
  };
  /** `null` if the environment could not be read, which has been reported. */
  readonly variables: JsonObject | null;
  readonly environment: string;
  readonly source: FileSource;
  readonly problems: Problems;
  /** What all tags may stand for together, in MB. */
  readonly sizeLimit: number;
}

/** Returns the value that a tag gives. Throws a Failure, which is reported at the tag. */
function readValue(tag: string, argument: Json, context: TagContext, place: Place): Json {
  if (tag === '!file') return readSideFile(argument, context.source, place);
  if (tag === '!format') return readFormat(argument, context, place);
  if (tag === '!lookup') return readLookup(argument);
  if (tag === '!ref') return readReference(argument);
  if (typeof argument !== 'string' || !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(argument)) {
    const message = 'This tag takes one name: a letter or `_`, then letters, digits, `.`, `_` and `-`.';
    throw fail('invalid-tag', message, { hint: 'For example: `!var NAME`.' });
  }
  if (tag === '!var') return readVariable(argument, context, place);
  if (tag === '!env') return readEnv(argument, context, place);
  // Whether it is set only matters when it is compared or sent. A credential of an environment may also be named by `!env`.
  if (tag === '!secret') context.uses.secrets.add(argument);
  return { $secret: argument };
}

export function tagReader(context: TagContext): ReadTag {
  const limit = sizeLimit(context.sizeLimit);
  return (tag, argument, place) => {
    if (limit.left < 0) return unresolved;
    return context.problems.attempt(place, unresolved, () => {
      const value = readValue(tag, argument, context, place);
      limit.count(typeof value === 'string' ? value.length : JSON.stringify(value).length, 'this tag');
      return value;
    });
  };
}

/**
 * Reads tags as notes, which {@link resolveNotes} resolves for an environment. Unknown tags are reported. The side files and
 * references of manifests are the same in all environments, and are read at once if there is a `source`.
 */
export function tagNoter(problems: Problems, source?: FileSource): ReadTag {
  return (tag, argument, place) => {
    if (source && tag === '!file')
      return problems.attempt(place, unresolved, () => readSideFile(argument, source, place));
    if (source && tag === '!ref') return problems.attempt(place, unresolved, () => readReference(argument));
    if (tagNames.some((name) => name === tag)) return { $tag: [tag, argument, place.offset] };
    const written = writtenTag(tag);
    const hint =
      didYouMean(written, tagNames) ?? `The tags are ${tagNames.join(' ')}. If it is text, put it in quotes.`;
    problems.add('unknown-tag', `There is no tag \`${written}\`.`, place, { hint });
    return unresolved;
  };
}

function readVariable(name: string, { variables, environment, problems }: TagContext, place: Place): Json {
  if (variables === null) return unresolved;
  const value = get(variables, name);
  if (value !== undefined) return value;
  const hint =
    problems.suggest(place, name, () => Object.keys(variables)) ??
    'Add it to `variables` of the environment.';
  throw fail('variable-unset', `The environment ${environment} has no variable \`${name}\`.`, { hint });
}

function readEnv(name: string, { inputs: { values, withheld }, uses }: TagContext, place: Place): Json {
  if (withheld.has(name))
    throw fail('env-secret', `${name} is a credential, so its value from \`!env\` is left out.`);
  uses.texts.push({ name, place });
  const value = get(values, name);
  if (value !== undefined) return value;
  const near = didYouMean(name, Object.keys(values));
  const hint =
    near ?? `Set ${name} where the program runs, or write \`!var NAME\` for a variable of the environment.`;
  throw fail('env-unset', `The environment variable ${name} is not set.`, { hint });
}

function readSideFile(argument: Json, source: FileSource, { file }: Place): Json {
  if (typeof argument !== 'string' || argument === '') {
    throw fail('invalid-tag', '`!file` takes the path of a file.', {
      hint: 'For example: `!file texts/a.html`.',
    });
  }
  try {
    return source.text(sideFilePath(argument, file.path));
  } catch (error) {
    if (!hasCode(error, 'file-not-found')) throw error;
    const hint = argument.includes('\\')
      ? 'Write `/` between the folders of a path, on Windows too.'
      : 'The path after `!file` is relative to the folder of the manifest.';
    throw new Failure(error.diagnostics.map((each) => ({ ...each, hint })));
  }
}

function readFormat(argument: Json, context: TagContext, place: Place): Json {
  if (typeof argument !== 'string') {
    throw fail('invalid-tag', '`!format` takes a text.', {
      hint: 'For example: `!format "https://%{host}/"`.',
    });
  }
  let isUnresolved = false;
  let length = 0;
  const text = argument.replace(/%%\{|%\{([^{}]*)\}|%\{/g, (written, name: string | undefined) => {
    if (written === '%%{') return '%{';
    const part = context.problems.attempt(place, unresolved, () => formatPart(name, context, place));
    isUnresolved ||= part === unresolved;
    length += part.length;
    // One variable may be used a thousand times.
    if (length > largestFile)
      throw fail(
        'invalid-format',
        `With its variables, this text is longer than ${largestFile / 2 ** 20} MB.`,
      );
    return part;
  });
  return isUnresolved ? unresolved : text;
}

/** The text of `%{name}`; without a name, the brace is not closed. */
function formatPart(name: string | undefined, context: TagContext, place: Place): string {
  if (name === undefined) {
    throw fail('invalid-tag', 'A `%{` in this text is not closed.', {
      hint: 'Write `%%{` for a literal `%{`.',
    });
  }
  const value = readVariable(name.trim(), context, place);
  if (value !== null && typeof value !== 'object') return String(value);
  const message = `The variable \`${name.trim()}\` must be text, a number, true or false, and no secret.`;
  throw fail('invalid-format', message);
}

/** The name of a collection becomes a segment of a request path, so only letters and underscores are allowed. */
const collection = /^[a-z][a-z_]*$/;

function readLookup(argument: Json): Json {
  const { from, where, take, ...others } = isObject(argument) ? argument : {};
  if (from === unresolved || take === unresolved) return unresolved;
  const isLookup =
    Object.keys(others).length === 0 &&
    typeof from === 'string' &&
    collection.test(from) &&
    isObject(where) &&
    Object.keys(where).length > 0 &&
    // A request cannot hold half of a character.
    Object.values(where).every(
      (value) => value !== null && typeof value !== 'object' && String(value).isWellFormed(),
    ) &&
    take !== '';
  const parsed = isLookup ? lookupOf({ $lookup: argument }) : null;
  if (parsed) return lookupMarker(parsed);
  throw fail(
    'invalid-lookup',
    '`!lookup` takes `from`, the plain name of a collection, `where`, one or more fields with their values, and `take`, a field.',
    { hint: 'For example: `!lookup { from: ne_attributes, where: { uid: department }, take: id }`.' },
  );
}

/** True when there is such a kind, and such a key, is only known with the kinds of the project: see manifest.ts. */
function readReference(argument: Json): Json {
  const parsed = typeof argument === 'string' && argument.isWellFormed() ? parseAddress(argument) : null;
  if (parsed && parsed.key.length > 0) return { $ref: formatAddress(parsed.kind, parsed.key) };
  throw fail('invalid-ref', '`!ref` takes a kind and a key with a slash between them.', {
    hint: 'For example: `!ref Source/HR`. Inside a part of the key write `%2F` for a slash, and `%25` for a percent sign.',
  });
}

export function resolveNotes(value: Json, file: SourceFile, readTag: ReadTag): Json {
  return mapJson(value, (item) => {
    const note = noteIn(item);
    return note ? readTag(note.tag, note.argument, { file, offset: note.offset }) : item;
  });
}

/**
 * The note that a value is, `{ $tag: [tag, argument, offset] }`: what the tag stands for depends on the environment. `null` for any
 * other value. A file cannot have the key of a note.
 */
export function noteIn(value: Json | undefined) {
  const content = isObject(value) ? get(value, '$tag') : undefined;
  const [tag, argument = null, offset] = isArray(content) ? content : [];
  return typeof tag === 'string' && typeof offset === 'number' ? { tag, argument, offset } : null;
}
