import { credentialMembers, isCredentialText } from '../kinds/credentials.ts';
import type { Kinds } from '../kinds/project.ts';
import { isArray, isObject, type Json, mapJson, mapMembers, parseJson } from '../model/json.ts';
import { type Answer, holdsMessage } from './answer.ts';
import type { Redactor } from './redactor.ts';
import type { Call } from './transport.ts';

interface Exchange {
  readonly call: Pick<Call, 'origin' | 'method' | 'path' | 'headers' | 'body'>;
  readonly answer: Answer;
  readonly ms: number;
}

/**
 * For a trace, which people pass on: names, ids, types and numbers. All other texts of a tenant's objects are left out, since any
 * may be a credential. Messages of the tenant are kept, without secrets.
 */
export function traceOf({ call, answer, ms }: Exchange, kinds: Kinds, redactor: Redactor): Json {
  const fields = kinds.all.flatMap((kind) => Object.entries(kind.fields));
  const settings = fields.flatMap(([name, field]) => (field.is === 'json' && field.settings ? name : []));
  const keys = kinds.all.flatMap(({ keyFields }) => keyFields.map(({ name }) => name));
  // Values in a JSON Patch may be settings.
  const policy = { shown: new Set([...plainMembers, ...keys]), settings: new Set([...settings, 'value']) };
  const { origin, method, path, headers, body } = call;
  const content = answer.outcome === 'answered' ? (answer.text ?? answer.body) : null;
  return redactor.json({
    at: new Date().toISOString(),
    method,
    url: origin + path,
    ms: Math.round(ms),
    request: {
      headers: concealCredentials({ ...headers }),
      // A form holds the credentials of the client, and is no JSON.
      body: body === null ? null : concealData(parseJson(body) ?? body, policy),
    },
    answer:
      answer.outcome === 'answered'
        ? {
            outcome: answer.outcome,
            status: answer.status,
            headers: concealCredentials({ ...answer.headers }),
            body: holdsMessage(answer) ? concealCredentials(content) : concealData(content, policy),
          }
        : { outcome: answer.outcome, detail: answer.detail },
  });
}

interface Policy {
  /** Members that identify the object or its type. */
  readonly shown: ReadonlySet<string>;
  /** Fields with the settings of another system: none of it is shown. */
  readonly settings: ReadonlySet<string>;
}

const plainMembers = [
  'id',
  'type',
  'op',
  'path',
  'method',
  'status',
  'medium',
  'locale',
  'created',
  'modified',
];

/** `sourceId`, `data_type`, `verificationStatus`. */
const tellingMember = /(?:Id|_id|Type|_type|Status)$/;

function concealData(value: Json, policy: Policy): Json {
  if (isArray(value)) return value.map((item) => concealData(item, policy));
  if (!isObject(value)) return typeof value === 'string' ? concealed(value) : value;
  const isNamed = credentialMembers(value);
  return mapMembers(value, (item, name) => {
    if (policy.settings.has(name)) return mapJson(item, concealed);
    if (typeof item === 'object' && item !== null) return concealData(item, policy);
    const mayShow = policy.shown.has(name) || typeof item !== 'string' || tellingMember.test(name);
    // The key of a template has the name of a credential, but is not one.
    const isSecret =
      (isNamed(name) && !policy.shown.has(name)) || (typeof item === 'string' && isCredentialText(item));
    return mayShow && !isSecret ? item : concealed(item);
  });
}

/** A message, or headers, without what looks like a credential. */
function concealCredentials(value: Json): Json {
  if (isArray(value)) return value.map(concealCredentials);
  if (!isObject(value))
    return typeof value === 'string' && isCredentialText(value) ? concealed(value) : value;
  const isNamed = credentialMembers(value);
  return mapMembers(value, (item, name) =>
    isNamed(name) ? mapJson(item, concealed) : concealCredentials(item),
  );
}

/** The placeholder for a value. Its length helps if a tenant cuts texts. */
function concealed(value: Json): Json {
  if (typeof value === 'string') return `[text of ${value.length} characters]`;
  return typeof value === 'number' ? '[number]' : value;
}
