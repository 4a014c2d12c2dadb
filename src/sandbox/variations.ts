import { isArray, isObject, type Json, type JsonObject, objectFrom, parseJson } from '../model/json.ts';
import { ShapeError } from './fields.ts';

/** How a tenant departs from the contract, in ways that api-notes describes. The defaults are the contract. */
export interface Variations {
  /** How `attributes`, `request` and `statusMap` are answered. With `object`, they and `context` are also sent as objects. */
  readonly jsonText: 'text' | 'object' | 'map';
  /** How `slackTemplate` and `teamsTemplate` are answered. With `object`, both forms are accepted. */
  readonly slackTeams: 'text' | 'object';
  /** Where `statusMap` and `request` of an integration are answered. */
  readonly simStatusMap: 'top' | 'attributes' | 'hidden';
  /** How credentials in the `attributes` of an integration are answered. */
  readonly simSecrets: 'clear' | 'encrypted' | 'masked' | 'absent';
  readonly simPatchBody: 'operations' | 'array';
  readonly simPatchOps: 'all' | 'replace';
  /** `metadata`: bare, but wrapped with `metadata=true`. The others: always wrapped, or always bare. */
  readonly collections: 'metadata' | 'wrapped' | 'bare';
  /** What a collection does with an unknown filter. */
  readonly unknownFilter: 'refused' | 'ignored';
  readonly offsetZero: 'taken' | 'refused';
  /** What a collection does with an offset after its last record. */
  readonly offsetBeyondEnd: 'empty' | 'refused';
  readonly ruleObjectType: 'object_type' | 'condition_object_type';
  readonly profileSearchPath: string;
  readonly profileSearchDelete: boolean;
  /** Whether a header or footer other than null is refused. */
  readonly refuseHeaderFooter: boolean;
  readonly bulkDelete: 'enabled' | 'forbidden' | 'refused';
  /** The answer for an identity without MAIL FROM: a 400, a 404, or one without a domain. */
  readonly mailFromMissing: 'badRequest' | 'notFound' | 'empty';
  /** Reads after which a new verification succeeds; null: it stays pending until the state is changed by hand. */
  readonly verifyAfterReads: number | null;
  /** Whether `[]` inside an object is answered as null. */
  readonly emptyAsNull: boolean;
  /** Whether lists without a meaningful order are answered in another order. */
  readonly shuffleLists: boolean;
  /** Whether addresses are stored in lower case. */
  readonly emailLowerCase: boolean;
  /** Whether the name next to an id is taken from the object with that id. */
  readonly resolveNames: boolean;
  /** Whether the notification interface answers every page of a list with the first page (a broken tenant). */
  readonly repeatPages: boolean;
  /** Called before a further page of a list is selected: what others do meanwhile. */
  readonly beforeFurtherPage: (() => void) | null;
  /**
   * What the list of domains, for which no parameters are documented, does with `limit` and `offset`. With `ignored` and
   * `taken` it is not cut after 100 identities.
   */
  readonly domainPages: 'refused' | 'ignored' | 'taken';
  readonly experimentalHeader: string;
  readonly retryAfter: 'seconds' | 'date';
}

export const contract: Variations = {
  jsonText: 'text',
  slackTeams: 'text',
  simStatusMap: 'top',
  simSecrets: 'clear',
  simPatchBody: 'operations',
  simPatchOps: 'all',
  collections: 'metadata',
  unknownFilter: 'refused',
  offsetZero: 'taken',
  offsetBeyondEnd: 'empty',
  ruleObjectType: 'object_type',
  profileSearchPath: '/api/advanced_search',
  profileSearchDelete: false,
  refuseHeaderFooter: false,
  bulkDelete: 'enabled',
  mailFromMissing: 'badRequest',
  verifyAfterReads: null,
  emptyAsNull: false,
  shuffleLists: false,
  emailLowerCase: false,
  resolveNames: false,
  repeatPages: false,
  beforeFurtherPage: null,
  domainPages: 'refused',
  experimentalHeader: 'X-Service-Experimental',
  retryAfter: 'seconds',
};

/** The body of an answer with `emptyAsNull` and `shuffleLists` applied (api-notes, "server rewrites"). */
export function rewriteBody(body: Json, { emptyAsNull, shuffleLists }: Variations): Json {
  if (!emptyAsNull && !shuffleLists) return body;
  const rewriteList = (items: readonly Json[]): Json => {
    const rewritten = items.map(rewriteItem);
    return shuffleLists ? rewritten.toReversed() : rewritten;
  };
  const rewriteItem = (value: Json): Json => {
    if (isArray(value)) return rewriteList(value);
    if (!isObject(value)) return value;
    return objectFrom(Object.entries(value).map(([key, member]) => [key, rewriteMember(member)] as const));
  };
  const rewriteMember = (value: Json): Json =>
    emptyAsNull && isArray(value) && value.length === 0 ? null : rewriteItem(value);
  // The outermost list may be a page of a longer list, so its order is kept.
  return isArray(body) ? body.map(rewriteItem) : rewriteItem(body);
}

/**
 * Reads an object that the contract sends as text, and that tenants with `jsonText: object` take as an object.
 * Throws `ShapeError` for the other form, and for text that is not a JSON object. `at` names the place in the message.
 */
export function readJsonText(
  value: Json,
  at: string,
  { jsonText }: Pick<Variations, 'jsonText'>,
): JsonObject | null {
  if (value === null) return null;
  if (jsonText === 'object') {
    if (!isObject(value)) throw new ShapeError(`${at} must be an object`);
    return value;
  }
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  if (!isObject(parsed)) throw new ShapeError(`${at} must be text that holds a JSON object`);
  return parsed;
}

/** An object in the form in which the tenant answers it. */
export function writeJsonText(value: JsonObject | null, { jsonText }: Pick<Variations, 'jsonText'>): Json {
  if (value === null) return null;
  switch (jsonText) {
    case 'text':
      return JSON.stringify(value);
    case 'object':
      return value;
    case 'map':
      return writeMap(value);
  }
}

/** `{a=b, c=d}`, as some servers print a map. */
function writeMap(value: Json): string {
  if (isArray(value)) return `[${value.map(writeMap).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${key}=${writeMap(item)}`);
    return `{${members.join(', ')}}`;
  }
  return String(value);
}
