// All differences between hosts and the API documents, and the products that combine several. How each difference changes what
// a host accepts and answers is in server.ts for all operations, and in the handlers for single resources.

/** The variations of a tenant, by subject. The first is the contract (docs/hosts.md). */
export const ways = {
  /**
   * How `attributes`, `request` and `statusMap` are answered. With `object`, they and `context` are also sent as objects, and
   * chat templates may be.
   */
  jsonText: ['text', 'object', 'map'],
  /** How `slackTemplate` and `teamsTemplate` are answered. With `object`, both forms are accepted, unless all JSON is objects. */
  slackTeams: ['text', 'object'],
  chatFilled: [false, true],
  chatNullSubject: ['taken', 'refused'],
  /** In which case `medium` is answered. With `lower`, it is taken in every case. */
  mediumCase: ['upper', 'lower'],
  /** True when templates are listed that the documents do not know: of another medium, and of no locale in particular. */
  foreignTemplates: [false, true],
  simStatusMap: ['top', 'attributes', 'hidden'],
  simSecrets: ['clear', 'encrypted', 'masked', 'absent'],
  /** Where the sources of an integration are answered; `managedResourceRefs`: beside an empty `managedSources`. */
  simSources: ['managedSources', 'managedResourceRefs', 'sources', 'hidden'],
  /** The content of `cluster` and the id in `clusterRef`: both the id, or the name in one of them. */
  simCluster: ['ids', 'nameInCluster', 'nameInReference'],
  simPatchBody: ['operations', 'array'],
  /** With `replace`, every member that is named has to be there, except the fields of the integration themselves. */
  simPatchOps: ['all', 'replace'],
  /** `metadata`: bare, but wrapped with `metadata=true`. The others: always wrapped, or always bare. */
  collections: ['metadata', 'wrapped', 'bare'],
  unknownFilter: ['refused', 'ignored'],
  /** With `named`, attributes and profile types are filtered by `label` and `name` only, and no run of a search has `metadata`. */
  collectionQuery: ['documented', 'named'],
  offsetZero: ['taken', 'refused'],
  /** The answer for an offset after the last record, which seed 002 does not allow. */
  offsetBeyondEnd: ['refused', 'empty'],
  /** How the profile-management interface answers an empty list: `refused` with a 400, or a 200 with the `message` alone. */
  nothingFound: ['list', 'refused', 'message'],
  /** With `attribute_class`, `condition_object_type` has the class of the attribute, and a new rule has to name it. */
  ruleObjectType: ['object_type', 'condition_object_type', 'attribute_class'],
  /** `extended`: rules may have types, operators, dates and members that the API documents do not know. */
  searchRules: ['contract', 'extended'],
  profileSearchDelete: [false, true],
  refuseHeaderFooter: [false, true],
  bulkDelete: ['enabled', 'forbidden', 'refused'],
  bulkDeleteGone: ['ignored', 'refused'],
  /** The answer for an identity without MAIL FROM: a 400, a 404, or one without a domain. */
  mailFromMissing: ['badRequest', 'notFound', 'empty'],
  /** The answer for an address without MAIL FROM whose domain has one: missing, or that of the domain. */
  mailFromIdentity: ['asked', 'domain'],
  /** Whether MAIL FROM is asked for with `id` in the query, which it then needs. */
  mailFromQuery: ['id', 'path'],
  preferenceMissing: ['notFound', 'badRequest'],
  /** With `listed`, a newer version of the API lists the variables of each template. */
  templateVariables: ['none', 'listed'],
  /** With `written`, a newer version of the API lists preferences and takes changes. */
  preferences: ['observed', 'written'],
  /** How a DKIM verification that is pending or failed is answered: as documented, or as the mail provider calls it. */
  dkimStates: ['documented', 'upper', 'camel'],
  twinProfiles: [false, true],
  /** How a described kind treats a second object with the same key. */
  sameKey: ['taken', 'refused'],
  /** How sources and identity profiles are deleted: at once, or 45 s after a 202, with what they hold. */
  slowDeletes: ['done', 'accepted'],
  unsetMembers: ['null', 'omitted'],
  createAnswer: ['object', 'withoutId', 'nothing'],
  emailLowerCase: [false, true],
  /** How the list of domains treats `limit` and `offset`; with `ignored` and `taken` it is not cut after 100. */
  domainPages: ['refused', 'ignored', 'taken'],
  /** Which operations below `/v2024` and `/v2025` want the experimental header. */
  experimentalFor: ['all', 'integrations'],
  /** The answer without that header: one that names it, as a 400 or a 403, or a 400 that does not. */
  headerMissing: ['badRequest', 'forbidden', 'unnamed'],
  /** True when each answer, of the token too, has the id under which support finds the request. */
  supportId: [false, true],
  /** What `send-test-notification` accepts: with `extended`, also `locale` and `recipientEmailList`. */
  sendTest: ['documented', 'extended'],
  /** The operators of the filter of sender addresses: those of the documents, or comparisons alone. */
  senderFilters: ['documented', 'comparisons'],
  /** Which members without a value are answered as null: all, or those that the description of the host calls nullable. */
  nulls: ['all', 'described'],
  /** The body of an error of the profile-management interface: as documented, or `{error, errors: {FIELD: TEXT}}`. */
  profileErrors: ['documented', 'byField'],
  /**
   * How profiles and attributes are answered: as documented, or in the words of the product, all values as text and without nulls.
   */
  profileWords: ['documented', 'product'],
  /** True when resources are below `/v2024` and `/v2025`, or each under its own path and version: `/sim-integrations/v1`. */
  identityPaths: ['versions', 'own'],
} as const;

/** Products, as the descriptions of their hosts have them (api-notes, "Presets"). Each is about one of the two services. */
export const presets = {
  'sailpoint-isc': {
    experimentalHeader: 'X-SailPoint-Experimental',
    experimentalFor: 'integrations',
    headerMissing: 'unnamed',
    jsonText: 'object',
    slackTeams: 'object',
    chatNullSubject: 'refused',
    refuseHeaderFooter: true,
    simStatusMap: 'hidden',
    sendTest: 'extended',
    mailFromQuery: 'path',
    preferences: 'written',
    templateVariables: 'listed',
    senderFilters: 'comparisons',
    nulls: 'described',
    slowDeletes: 'accepted',
    supportId: true,
  },
  'sailpoint-nerm': {
    collections: 'wrapped',
    offsetZero: 'refused',
    ruleObjectType: 'attribute_class',
    searchRules: 'extended',
    profileErrors: 'byField',
    collectionQuery: 'named',
    profileWords: 'product',
  },
} as const satisfies Readonly<Record<string, Partial<Variations>>>;

type Ways = { readonly [K in keyof typeof ways]: (typeof ways)[K][number] };

/** Departures from the contract (api-notes, docs/hosts.md). */
export interface Variations extends Ways {
  readonly profileSearchPath: string;
  readonly experimentalHeader: string;
}

export class VariationSyntaxError extends Error {
  override readonly name = 'VariationSyntaxError';
}

export function parseVariations(texts: readonly string[]): Partial<Variations> {
  let all: Partial<Variations> = {};
  for (const text of texts) {
    const [name = '', ...rest] = text.split('=');
    const value = rest.join('=');
    if (isWay(name)) all = { ...all, ...choose(name, value) };
    else if ((name === 'profileSearchPath' || name === 'experimentalHeader') && value !== '')
      all = { ...all, [name]: value };
    else {
      const names = [...Object.keys(ways), 'profileSearchPath', 'experimentalHeader'].join(', ');
      throw new VariationSyntaxError(
        `"${text}" is not a variation. A variation is NAME=VALUE. Names: ${names}`,
      );
    }
  }
  return all;
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

const first = parseVariations(Object.entries(ways).map(([name, [way]]) => `${name}=${way}`));
if (!hasAllWays(first)) throw new Error('A variation has no first way.');

export const contract: Variations = {
  ...first,
  profileSearchPath: '/api/advanced_search',
  experimentalHeader: 'X-Service-Experimental',
};

function hasAllWays(chosen: Partial<Variations>): chosen is Partial<Variations> & Ways {
  return Object.keys(ways).every((name) => Object.hasOwn(chosen, name));
}
