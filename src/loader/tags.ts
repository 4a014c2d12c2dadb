import { isObject, type Json, type JsonObject, own } from '../model/json.ts';
import { lookupMarker, lookupOf, secretMarker, secretName } from '../model/marker.ts';
import { didYouMean } from '../model/suggest.ts';
import type { Place } from './file.ts';
import type { Problem, Problems } from './problems.ts';
import { type KnownSecrets, variableOf } from './secrets.ts';
import { type FileSource, sideFilePath } from './source.ts';
import { type ReadTag, unresolved } from './tree.ts';

/** What tags are resolved with. */
export interface TagContext {
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: KnownSecrets;
  /** `null` where the environment could not be read, which has been reported. */
  readonly variables: JsonObject | null;
  readonly source: FileSource;
  readonly problems: Problems;
}

type Reader = (argument: Json, context: TagContext, place: Place) => Json;
type NameReader = (name: string, context: TagContext, place: Place) => Json;

/** The readers of tags. Each returns the value, or reports a problem and returns `unresolved`. */
const readers: Readonly<Record<string, Reader>> = {
  '!var': withName(readVariable),
  '!env': withName(readEnv),
  '!secret': withName(readSecret),
  '!file': readSideFile,
  '!format': readFormat,
  '!lookup': readLookup,
};

/** All tags that a manifest may use. */
export const tagNames: readonly string[] = Object.keys(readers);

/** Reads tags by resolving them. Problems are reported. */
export function tagReader(context: TagContext): ReadTag {
  return (tag, argument, place) => {
    if (argument === unresolved) return unresolved;
    const reader = Object.hasOwn(readers, tag) ? readers[tag] : undefined;
    return reader ? reader(argument, context, place) : refuseUnknownTag(tag, context.problems, place);
  };
}

/** Reads tags without resolving them: checks their names and returns `unresolved`. */
export function openTagReader(problems: Problems): ReadTag {
  return (tag, _argument, place) =>
    Object.hasOwn(readers, tag) ? unresolved : refuseUnknownTag(tag, problems, place);
}

function refuseUnknownTag(tag: string, problems: Problems, place: Place): Json {
  const written = tag.startsWith('tag:yaml.org,2002:') ? `!!${tag.slice('tag:yaml.org,2002:'.length)}` : tag;
  const hint = didYouMean(written, tagNames) ?? `The tags are ${tagNames.join(' ')}.`;
  problems.add('unknown-tag', `There is no tag \`${written}\``, place, { hint });
  return unresolved;
}

function refuse({ problems }: TagContext, place: Place, { code, message, hint }: Problem): Json {
  problems.add(code, message, place, { hint });
  return unresolved;
}

function withName(read: NameReader): Reader {
  return (argument, context, place) => {
    if (typeof argument === 'string' && /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(argument)) {
      return read(argument, context, place);
    }
    return refuse(context, place, {
      code: 'invalid-tag',
      message: 'This tag takes one name',
      hint: 'For example: `!var NAME`.',
    });
  };
}

function readVariable(name: string, context: TagContext, place: Place): Json {
  if (context.variables === null) return unresolved;
  const value = own(context.variables, name);
  if (value !== undefined) return value;
  const hint =
    didYouMean(name, Object.keys(context.variables)) ?? 'Add it to `variables` of the environment.';
  return refuse(context, place, {
    code: 'variable-unset',
    message: `The environment has no variable \`${name}\``,
    hint,
  });
}

function readEnv(name: string, context: TagContext, place: Place): Json {
  const value = variableOf(context.env, name);
  if (value !== null) return value;
  const hint = didYouMean(name, Object.keys(context.env)) ?? `Set ${name}.`;
  return refuse(context, place, {
    code: 'env-unset',
    message: `The environment variable ${name} is not set`,
    hint,
  });
}

function readSecret(name: string, context: TagContext, place: Place): Json {
  try {
    if (context.secrets.isSet(name)) return secretMarker(name);
  } catch (error) {
    context.problems.addFailure(error, place);
    return unresolved;
  }
  const hint = `Set the environment variable ${name}, or ${name}_FILE to the path of a file that holds it.`;
  return refuse(context, place, { code: 'secret-unset', message: `The secret ${name} is not set`, hint });
}

function readSideFile(argument: Json, context: TagContext, place: Place): Json {
  if (typeof argument !== 'string' || argument === '') {
    return refuse(context, place, {
      code: 'invalid-tag',
      message: '`!file` takes the path of a file',
      hint: 'For example: `!file texts/a.html`.',
    });
  }
  try {
    return context.source.text(sideFilePath(argument, place.file.path));
  } catch (error) {
    context.problems.addFailure(error, place);
    return unresolved;
  }
}

function readFormat(argument: Json, context: TagContext, place: Place): Json {
  if (typeof argument !== 'string') {
    return refuse(context, place, {
      code: 'invalid-tag',
      message: '`!format` takes a text',
      hint: 'For example: `!format "https://%{host}/"`.',
    });
  }
  let isUnresolved = false;
  const text = argument.replace(/%%\{|%\{([^{}]*)\}|%\{/g, (written, name: string | undefined) => {
    if (written === '%%{') return '%{';
    const part =
      name === undefined ? refuseUnclosed(context, place) : formatPart(name.trim(), context, place);
    isUnresolved ||= part === unresolved;
    return part;
  });
  return isUnresolved ? unresolved : text;
}

function refuseUnclosed(context: TagContext, place: Place): string {
  refuse(context, place, {
    code: 'invalid-tag',
    message: 'A `%{` in this text is not closed',
    hint: 'Write `%%{` for a literal `%{`.',
  });
  return unresolved;
}

function formatPart(name: string, context: TagContext, place: Place): string {
  const value = readVariable(name, context, place);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  const isSecret = secretName(value) !== null;
  const code = isSecret ? 'secret-in-format' : 'invalid-format';
  const reason = isSecret
    ? 'is a secret, which cannot be part of a text'
    : 'must be text, a number, true or false';
  refuse(context, place, { code, message: `The variable \`${name}\` ${reason}` });
  return unresolved;
}

/** The name of a collection becomes a segment of a request path, so only letters and underscores are allowed. */
const collection = /^[a-z][a-z_]*$/;

function readLookup(argument: Json, context: TagContext, place: Place): Json {
  const problem = isObject(argument) ? lookupProblem(argument) : 'it takes a mapping';
  if (problem !== null) {
    const hint = 'For example: `!lookup { from: ne_attributes, where: { uid: department }, take: id }`.';
    return refuse(context, place, {
      code: 'invalid-lookup',
      message: `This \`!lookup\` is not valid: ${problem}`,
      hint,
    });
  }
  const parsed = lookupOf({ $lookup: argument });
  return parsed ? lookupMarker(parsed) : unresolved;
}

function lookupProblem(argument: JsonObject): string | null {
  const unknown = Object.keys(argument).find((key) => !['from', 'where', 'take'].includes(key));
  if (unknown !== undefined)
    return `it has \`${unknown}\`, but only \`from\`, \`where\` and \`take\` are allowed`;
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
