import { posix } from 'node:path';
import { isObject, type Json, type JsonObject, own } from '../model/json.ts';
import { lookupMarker, lookupOf, secretMarker, secretName } from '../model/marker.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Place } from './file.ts';
import type { Problems } from './problems.ts';
import { type KnownSecrets, variableOf } from './secrets.ts';
import type { FileSource } from './source.ts';
import { type ReadTag, unresolved } from './tree.ts';

/** What tags are resolved against. */
export interface TagContext {
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
  /** `null` where the environment could not be read: its variables are unknown, which has been told. */
  readonly variables: JsonObject | null;
  readonly source: FileSource;
  readonly problems: Problems;
}

type Reader = (argument: Json, context: TagContext, place: Place) => Json;
type NameReader = (name: string, context: TagContext, place: Place) => Json;

/** The tags of a manifest (design, section 2); each gives the value, or `unresolved` and a problem. */
const readers: Readonly<Record<string, Reader>> = {
  '!var': takesName(readVariable),
  '!env': takesName(readEnv),
  '!secret': takesName(readSecret),
  '!file': readSideFile,
  '!format': readFormat,
  '!lookup': readLookup,
};

/** All tags a manifest may use. */
export const tagNames: readonly string[] = Object.keys(readers);

/** A reader of tags that resolves them. */
export function tagReader(context: TagContext): ReadTag {
  return (tag, argument, place) => {
    if (argument === unresolved) return unresolved;
    const reader = Object.hasOwn(readers, tag) ? readers[tag] : undefined;
    return reader ? reader(argument, context, place) : unknownTag(tag, context.problems, place);
  };
}

/** A reader of tags that checks their names and leaves every value open. */
export function openTagReader(problems: Problems): ReadTag {
  return (tag, _argument, place) =>
    Object.hasOwn(readers, tag) ? unresolved : unknownTag(tag, problems, place);
}

function unknownTag(tag: string, problems: Problems, place: Place): Json {
  const written = tag.startsWith('tag:yaml.org,2002:') ? `!!${tag.slice('tag:yaml.org,2002:'.length)}` : tag;
  const hint = didYouMean(written, tagNames) ?? `The tags are ${tagNames.join(' ')}.`;
  problems.add('unknown-tag', `There is no tag \`${written}\``, place, { hint });
  return unresolved;
}

function refuse(
  { problems }: TagContext,
  place: Place,
  code: string,
  message: string,
  hint: string | null = null,
): Json {
  problems.add(code, message, place, hint === null ? {} : { hint });
  return unresolved;
}

function takesName(read: NameReader): Reader {
  return (argument, context, place) => {
    if (typeof argument === 'string' && /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(argument)) {
      return read(argument, context, place);
    }
    return refuse(context, place, 'invalid-tag', 'This tag takes one name', 'For example: `!var NAME`.');
  };
}

function readVariable(name: string, context: TagContext, place: Place): Json {
  if (context.variables === null) return unresolved;
  const value = own(context.variables, name);
  if (value !== undefined) return value;
  const hint =
    didYouMean(name, Object.keys(context.variables)) ?? 'Add it to `variables` of the environment.';
  return refuse(context, place, 'variable-unset', `The environment has no variable \`${name}\``, hint);
}

function readEnv(name: string, context: TagContext, place: Place): Json {
  const value = variableOf(context.env, name);
  if (value !== null) return value;
  const hint = didYouMean(name, Object.keys(context.env)) ?? `Set ${name}.`;
  return refuse(context, place, 'env-unset', `The environment variable ${name} is not set`, hint);
}

function readSecret(name: string, context: TagContext, place: Place): Json {
  try {
    if (context.secrets.isSet(name)) return secretMarker(name);
  } catch (error) {
    context.problems.addFailure(error, place);
    return unresolved;
  }
  const hint = `Set the environment variable ${name}, or ${name}_FILE to the path of a file that holds it.`;
  return refuse(context, place, 'secret-unset', `The secret ${name} is not set`, hint);
}

function readSideFile(argument: Json, context: TagContext, place: Place): Json {
  if (typeof argument !== 'string' || argument === '') {
    return refuse(
      context,
      place,
      'invalid-tag',
      '`!file` takes the path of a file',
      'For example: `!file texts/a.html`.',
    );
  }
  try {
    const path = sideFilePath(argument, place.file.path);
    return context.source.text(path);
  } catch (error) {
    context.problems.addFailure(error, place);
    return unresolved;
  }
}

/** The side file that a tag in the file `from` names. */
export function sideFilePath(argument: string, from: string): string {
  return posix.isAbsolute(argument) ? argument : posix.join(posix.dirname(from), argument);
}

function readFormat(argument: Json, context: TagContext, place: Place): Json {
  if (typeof argument !== 'string') {
    return refuse(
      context,
      place,
      'invalid-tag',
      '`!format` takes a text',
      'For example: `!format "https://%{host}/"`.',
    );
  }
  let open = false;
  const text = argument.replace(/%%\{|%\{([^{}]*)\}|%\{/g, (written, name: string | undefined) => {
    if (written === '%%{') return '%{';
    const part = name === undefined ? unclosed(context, place) : formatPart(name.trim(), context, place);
    open ||= part === unresolved;
    return part;
  });
  return open ? unresolved : text;
}

function unclosed(context: TagContext, place: Place): string {
  refuse(context, place, 'invalid-tag', 'A `%{` in this text is not closed', 'Write `%%{` for `%{` itself.');
  return unresolved;
}

function formatPart(name: string, context: TagContext, place: Place): string {
  const value = readVariable(name, context, place);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  const isSecret = secretName(value) !== null;
  const code = isSecret ? 'secret-in-format' : 'invalid-format';
  const reason = isSecret ? 'a secret, which cannot be part of a text' : 'no text, number, true or false';
  refuse(context, place, code, `The variable \`${name}\` is ${reason}`);
  return unresolved;
}

/** A collection's name is a segment of a request path, so it has only letters and underscores. */
const collection = /^[a-z][a-z_]*$/;

function readLookup(argument: Json, context: TagContext, place: Place): Json {
  const problem = isObject(argument) ? lookupProblem(argument) : 'it takes a mapping';
  if (problem !== null) {
    const hint = 'For example: `!lookup { from: ne_attributes, where: { uid: department }, take: id }`.';
    return refuse(
      context,
      place,
      'invalid-lookup',
      `This \`!lookup\` cannot be carried out: ${problem}`,
      hint,
    );
  }
  const parsed = lookupOf({ $lookup: argument });
  return parsed ? lookupMarker(parsed) : unresolved;
}

function lookupProblem(argument: JsonObject): string | null {
  const unknown = Object.keys(argument).find((key) => !['from', 'where', 'take'].includes(key));
  if (unknown !== undefined) return `\`${unknown}\` is none of \`from\`, \`where\`, \`take\``;
  const { from, where, take } = argument;
  if (from === unresolved || take === unresolved) return null;
  if (typeof from !== 'string' || !collection.test(from))
    return '`from` must be the plain name of a collection';
  if (typeof take !== 'string' || take === '') return '`take` must name a field';
  if (!isObject(where) || Object.keys(where).length === 0)
    return '`where` must name at least one field and its value';
  const deep = Object.entries(where).find(([, value]) => value === null || typeof value === 'object');
  return deep ? `the value of \`${deep[0]}\` must be text, a number, true or false` : null;
}
