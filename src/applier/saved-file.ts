import type { ErrorObject } from 'ajv';
import type { ExitCode } from '../model/exit.ts';
import { Failure } from '../model/failure.ts';
import { isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';

/** What a file that tenantctl writes and reads again has to be. */
export interface SavedForm<T> {
  /** As in "is no plan file", and in the codes of its failures. */
  readonly name: 'plan' | 'result';
  readonly format: number;
  readonly is: (value: Json) => value is Json & T;
  /** Where the last value that was none went wrong. */
  readonly errors: () => readonly ErrorObject[];
  readonly hint: string;
  readonly exitCode: ExitCode;
}

/** In bytes, and so in characters too. */
export const largestSavedFile = 256 * 1024 * 1024;
const maxDepth = 200;

/**
 * The text of a saved file as the value it holds. Throws a Failure for a file that is none, was cut, has the format of
 * another version, or is larger or deeper than any.
 *
 * @param file the file's name, for messages
 */
export function readSavedFile<T>(text: string, file: string, form: SavedForm<T>): T {
  const { name, format } = form;
  if (text.length > largestSavedFile) throw refused(form, 'too-large', `${file} is larger than any ${name}.`);
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  if (value === undefined) {
    throw refused(form, 'unreadable', `${file} is not JSON: it was cut or edited, or it is no ${name} file.`);
  }
  if (isTooDeep(value)) throw refused(form, 'unreadable', `${file} is nested deeper than any ${name}.`);
  const found = isObject(value) ? own(value, 'formatVersion') : undefined;
  if (found === undefined) throw refused(form, 'unreadable', `${file} is no ${name} file.`);
  const written = isObject(value) ? writtenAs(value) : null;
  if (written !== null && written !== name) {
    const { hint } = forms[written];
    throw refused({ ...form, hint }, 'invalid', `${file} is a ${written}, not a ${name}.`);
  }
  if (found !== format) {
    const shown = JSON.stringify(found).slice(0, 40);
    throw refused(
      form,
      'format',
      `${file} has the ${name} format ${shown}; this version reads format ${format}.`,
    );
  }
  if (!form.is(value)) {
    const places = form.errors().slice(0, 10);
    const reasons = places.map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is wrong'}`,
    );
    throw refused(form, 'invalid', `${file} is not as a ${name} is: ${reasons.join('; ')}.`);
  }
  return value;
}

/** What can be done with a file that was taken for something else. */
const forms: Readonly<Record<SavedForm<unknown>['name'], { readonly hint: string }>> = {
  plan: { hint: 'A plan is shown by `tenantctl show`, and carried out by `tenantctl apply`.' },
  result: { hint: 'A result is shown by `tenantctl show`, and undone by `tenantctl rollback`.' },
};

/** Which of the two a value means to be; `null` where that cannot be told. */
function writtenAs(value: JsonObject): SavedForm<unknown>['name'] | null {
  if (Object.hasOwn(value, 'planDigest')) return 'result';
  return Object.hasOwn(value, 'digest') ? 'plan' : null;
}

/** Level by level, since a hostile file may nest deeper than a call stack goes. */
function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

function refused(
  { name, hint, exitCode }: Pick<SavedForm<unknown>, 'name' | 'hint' | 'exitCode'>,
  what: string,
  message: string,
): Failure {
  return new Failure([{ code: `${name}-${what}`, severity: 'error', message, hint }], exitCode);
}
