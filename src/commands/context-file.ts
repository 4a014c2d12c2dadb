import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SourceFile } from '../loader/file.ts';
import { largestFile } from '../loader/index.ts';
import { parseDocuments } from '../loader/parse.ts';
import { Problems } from '../loader/problems.ts';
import { decodeText } from '../loader/source.ts';
import { readTree, unresolved } from '../loader/tree.ts';
import { Failure, failure } from '../model/failure.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { unreadableFile } from '../model/system-error.ts';
import type { Io } from './io.ts';

/** The object in a YAML or JSON file, read as strictly as a manifest. Throws a Failure where there is none. */
export function readContextFile(name: string, io: Io): JsonObject {
  const file = new SourceFile(name, textOfFile(name, io));
  const problems = new Problems();
  const [document, second] = parseDocuments(file, problems);
  const noTags = (tag: string, _argument: unknown, place: { file: SourceFile; offset: number }) => {
    problems.add('misplaced-tag', `A context holds plain values, no tags such as \`${tag}\``, place);
    return unresolved;
  };
  const value = document ? readTree(document, noTags, problems).value : {};
  problems.throwIfAny();
  if (isObject(value) && second === undefined) return value;
  throw failure('context-no-object', `${name} does not hold one object: the variables of the template.`, {
    hint: 'Write `name: value` lines, or a JSON object.',
  });
}

function textOfFile(name: string, io: Io): string {
  const path = resolve(io.cwd, name);
  try {
    if (statSync(path).size > largestFile) throw failure('file-too-large', `${name} is too large.`);
    return decodeText(readFileSync(path), name).replace(/^\uFEFF/, '');
  } catch (error) {
    throw error instanceof Failure ? error : unreadableFile(name, error);
  }
}
