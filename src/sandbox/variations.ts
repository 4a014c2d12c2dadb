import { isArray, isObject, type Json, type JsonObject, parseJson } from '../model/json.ts';
import { refuse } from './shape.ts';

/** What a tenant can do in more than one way. The first way is the contract. Tests go through all of them. */
export const ways = {
  /** How `attributes`, `request` and `statusMap` are answered. With `object`, they and `context` are also sent as objects, and chat templates may be. */
  jsonText: ['text', 'object', 'map'],
  /** How `slackTemplate` and `teamsTemplate` are answered. With `object`, both forms are accepted. */
  slackTeams: ['text', 'object'],
  /** True when chat templates come back filled up with members that are null, false, `""` or `{}`, at every depth. */
  chatFilled: [false, true],
  /** What a template for SLACK or TEAMS with `subject: null` gets. */
  chatNullSubject: ['taken', 'refused'],
  /** In which case `medium` is answered. With `lower`, it is taken in every case. */
  mediumCase: ['upper', 'lower'],
  /** True when templates are listed that the documents do not know: of another medium, and of no locale in particular. */
  foreignTemplates: [false, true],
  /** Where `statusMap` and `request` of an integration are answered. */
  simStatusMap: ['top', 'attributes', 'hidden'],
  /** How credentials in the `attributes` of an integration are answered. */
  simSecrets: ['clear', 'encrypted', 'masked', 'absent'],
  /**
   * Where the sources of an integration are answered: in `managedSources`, only in `provisioningConfig` beside an empty
   * `managedSources`, in `sources`, or nowhere.
   */
  simSources: ['managedSources', 'managedResourceRefs', 'sources', 'hidden'],
  /** What `cluster` and the id in `clusterRef` hold: the id both, or the name in one of them. */
  simCluster: ['ids', 'nameInCluster', 'nameInReference'],
  simPatchBody: ['operations', 'array'],
  /** With `replace`, every member that is named has to be there, except the fields of the integration themselves. */
  simPatchOps: ['all', 'replace'],
  /** `metadata`: bare, but wrapped with `metadata=true`. The others: always wrapped, or always bare. */
  collections: ['metadata', 'wrapped', 'bare'],
  /** What a collection does with an unknown filter. */
  unknownFilter: ['refused', 'ignored'],
  offsetZero: ['taken', 'refused'],
  /** What a collection does with an offset after its last record, which seed 002 does not allow. */
  offsetBeyondEnd: ['refused', 'empty'],
  /**
   * How the profile-management interface answers a list or page without records: `refused` with a 400, or a 200 with the
   * `message` alone.
   */
  nothingFound: ['list', 'refused', 'message'],
  /** True when others change the order of lists before a further page is read: never, once, or each time. */
  listsChange: ['never', 'once', 'always'],
  /** With `attribute_class`, `condition_object_type` has the class of the attribute, and a new rule has to name it. */
  ruleObjectType: ['object_type', 'condition_object_type', 'attribute_class'],
  /** `extended`: rules may have types, operators, dates and members that the API documents do not know. */
  searchRules: ['contract', 'extended'],
  profileSearchDelete: [false, true],
  /** True when a header or footer other than null is refused. */
  refuseHeaderFooter: [false, true],
  bulkDelete: ['enabled', 'forbidden', 'refused'],
  /** What a bulk-delete of templates gets where one of them does not exist. */
  bulkDeleteGone: ['ignored', 'refused'],
  /** The answer for an identity without MAIL FROM: a 400, a 404, or one without a domain. */
  mailFromMissing: ['badRequest', 'notFound', 'empty'],
  /** What is answered for an address without MAIL FROM whose domain has one: that it is missing, or that of the domain. */
  mailFromIdentity: ['asked', 'domain'],
  /** The answer for a notification without preferences. */
  preferenceMissing: ['notFound', 'badRequest'],
  /** How a DKIM verification that is pending or failed is answered: as documented, or as the mail provider calls it. */
  dkimStates: ['documented', 'upper', 'camel'],
  /** True when another authentication profile has the name of the first one. */
  twinProfiles: [false, true],
  /** What a kind of a descriptor does with a second object of the same key. */
  sameKey: ['taken', 'refused'],
  /** How the members of such an object that have no value are answered: as null, or not at all. */
  unsetMembers: ['null', 'omitted'],
  /** What the answer to a create of such an object has. */
  createAnswer: ['object', 'withoutId', 'nothing'],
  /** True when addresses are stored in lower case. */
  emailLowerCase: [false, true],
  /**
   * What the list of domains, for which no parameters are documented, does with `limit` and `offset`. With `ignored` and
   * `taken` it is not cut after 100 identities.
   */
  domainPages: ['refused', 'ignored', 'taken'],
  /** The answer to a call without the experimental header. */
  headerMissing: ['badRequest', 'forbidden'],
  /** What `send-test-notification` takes: with `extended`, also `locale` and `recipientEmailList`. */
  sendTest: ['documented', 'extended'],
  /** True when resources are below `/v2024` and `/v2025`, or each under its own path and version: `/sim-integrations/v1`. */
  identityPaths: ['versions', 'own'],
} as const;

type Ways = { readonly [K in keyof typeof ways]: (typeof ways)[K][number] };

/** How a tenant departs from the contract, in ways that api-notes describes. The defaults are the contract. */
export interface Variations extends Ways {
  readonly profileSearchPath: string;
  readonly experimentalHeader: string;
  /** Reads after which a new verification succeeds; null: it stays pending until the state is changed by hand. */
  readonly verifyAfterReads: number | null;
}

/** Text that does not describe a variation; `message` says what does. */
export class VariationSyntaxError extends Error {
  override readonly name = 'VariationSyntaxError';
}

/** Parses variations from the command line, such as `jsonText=object`. Throws {@link VariationSyntaxError}. */
export function parseVariations(texts: readonly string[]): Partial<Variations> {
  let all: Partial<Variations> = {};
  for (const text of texts) all = { ...all, ...parseVariation(text) };
  return all;
}

function parseVariation(text: string): Partial<Variations> {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (isWay(name)) return choose(name, value);
  if ((name === 'profileSearchPath' || name === 'experimentalHeader') && value !== '')
    return { [name]: value };
  if (name === 'verifyAfterReads' && /^\d{1,6}$/.test(value)) return { verifyAfterReads: Number(value) };
  const names = [...Object.keys(ways), 'profileSearchPath', 'experimentalHeader', 'verifyAfterReads'];
  throw new VariationSyntaxError(
    `"${text}" is not a variation. A variation is NAME=VALUE. Names: ${names.join(', ')}`,
  );
}

const isWay = (name: string): name is keyof Ways => Object.hasOwn(ways, name);

function choose<K extends keyof Ways>(name: K, text: string): Partial<Variations> {
  const each: { readonly [P in keyof Ways]: readonly Ways[P][] } = ways;
  const value = each[name].find((choice) => String(choice) === text);
  if (value === undefined) throw new VariationSyntaxError(`"${name}" is one of ${each[name].join(', ')}`);
  const chosen: { -readonly [P in keyof Ways]?: Ways[P] } = {};
  chosen[name] = value;
  return chosen;
}

/** What the API documents say: the first of all ways. */
export const contract: Variations = {
  ...firstWays(),
  profileSearchPath: '/api/advanced_search',
  experimentalHeader: 'X-Service-Experimental',
  verifyAfterReads: null,
};

function firstWays(): Ways {
  const first = parseVariations(Object.entries(ways).map(([name, [way]]) => `${name}=${way}`));
  if (!hasAllWays(first)) throw new Error('A variation has no first way.');
  return first;
}

function hasAllWays(chosen: Partial<Variations>): chosen is Partial<Variations> & Ways {
  return Object.keys(ways).every((name) => Object.hasOwn(chosen, name));
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
    return isObject(value) ? value : refuse(at, 'must be an object');
  }
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isObject(parsed) ? parsed : refuse(at, 'must be text that holds a JSON object');
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
