import { notificationTemplate } from '../kinds/notification-template.ts';
import type { Resource } from '../kinds/resource.ts';
import { isObject, type Json, type JsonObject, own, parseJson } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import type { Finding } from './finding.ts';
import { scanVelocity } from './velocity.ts';

/** The fields that hold JSON, each with those of its members that hold JSON text themselves. */
const chatFields = Object.entries(notificationTemplate.fields).flatMap(([name, field]) =>
  field.is === 'json' ? [{ name, nested: field.nested ?? [] }] : [],
);

/** Findings about invalid JSON in chat messages. Text with directives is not judged: rendering changes it. */
export function lintChat(resource: Resource): Finding[] {
  return chatFields.flatMap(({ name, nested }) => {
    const value = own(resource.fields, name);
    if (isObject(value)) {
      return findNestedProblems(value, nested).map(({ member, problem }) =>
        toFinding(resource, `${name}.${member}`, pointer(name, member), problem),
      );
    }
    if (typeof value !== 'string' || !canJudge(value)) return [];
    const problem = findProblem(value, isObject, 'is not a JSON object');
    if (problem) return [toFinding(resource, name, pointer(name), problem)];
    const message = parseJson(value);
    if (!isObject(message)) return [];
    return findNestedProblems(message, nested).map(({ member, problem }) => {
      const offset = Math.max(0, value.indexOf(`"${member}"`));
      return toFinding(resource, `${name}.${member}`, pointer(name), { ...problem, offset });
    });
  });
}

function findNestedProblems(
  message: JsonObject,
  nested: readonly string[],
): { member: string; problem: Problem }[] {
  return nested.flatMap((member) => {
    const value = own(message, member);
    if (typeof value !== 'string' || !canJudge(value)) return [];
    const isContainer = (parsed: Json) => typeof parsed === 'object' && parsed !== null;
    const problem = findProblem(value, isContainer, 'is neither a JSON object nor a list');
    return problem ? [{ member, problem }] : [];
  });
}

interface Problem {
  readonly what: string;
  readonly hint: string | null;
  readonly offset: number;
}

function canJudge(text: string): boolean {
  return text !== '' && !scanVelocity(text).hasDirectives;
}

function findProblem(text: string, accepts: (parsed: Json) => boolean, otherwise: string): Problem | null {
  const parsed = parseJson(text);
  if (parsed === undefined) return describeSyntaxError(text);
  return accepts(parsed) ? null : { what: otherwise, hint: null, offset: 0 };
}

/** Describes text that is not JSON by the parser's message, and the place if the parser gives one. */
function describeSyntaxError(text: string): Problem {
  const what = 'is not valid JSON';
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const end = reason.includes('end of JSON') ? text.trimEnd().length : 0;
    const offset = Math.min(Number(/position (\d+)/.exec(reason)?.[1] ?? end), text.length);
    return { what, hint: `The parser says: ${reason.replaceAll(/\s+/g, ' ')}.`, offset };
  }
  return { what, hint: null, offset: 0 };
}

function toFinding(resource: Resource, name: string, at: Pointer, { what, hint, offset }: Problem): Finding {
  return { code: 'chat-json', message: `The text of \`${name}\` ${what}`, hint, resource, at, offset };
}
