import { withSend } from '../client/client.ts';
import { allOrFailure } from '../client/describe.ts';
import { readRecords } from '../client/lookups.ts';
import { readDefaults, readListRows } from '../client/read.ts';
import { templateContext } from '../client/template-variables.ts';
import type { ApiResource, Service } from '../kinds/http.ts';
import { isOnlyReferredTo, type Kind } from '../kinds/kind.ts';
import { allOf } from '../kinds/live-objects.ts';
import { notificationTemplate } from '../kinds/notifications.ts';
import { liveRules, profileSearch } from '../kinds/profile-search.ts';
import { type Environment, type ProjectEnvironment, presetNames, presets } from '../kinds/project.ts';
import type { Resource } from '../kinds/resource.ts';
import { simIntegration } from '../kinds/sim-integration.ts';
import { type Diagnostic, Failure } from '../model/failure.ts';
import { canonicalJson, get, getText, isObject, type Json, type JsonObject } from '../model/json.ts';
import { type ApiSettings, contractSettings, parseUrl } from '../model/tenant.ts';
import { referencesIn } from '../planner/references.ts';
import { servedKinds, type Tenant, type TenantOptions, useTenant } from './tenant.ts';
import { testNotification } from './test-notification.ts';

/** A setting that the tenant needs, as a read has shown. */
interface Detected {
  /** The member of the environment that it belongs to. */
  readonly service: Service;
  readonly name: 'preset' | 'experimentalHeader' | 'jsonText' | 'paths' | 'profileSearchObjectType';
  readonly value: Json;
  readonly because: string;
}

export interface Survey {
  /** The kinds that the tenant lists, and how many objects of each. */
  readonly found: readonly { readonly kind: Kind; readonly count: number }[];
  readonly left: ReturnType<typeof servedKinds>['skipped'];
  readonly detected: readonly Detected[];
  /** Why lists could not be read. */
  readonly refused: ReadonlyMap<Kind, Diagnostic>;
}

interface SurveyOptions extends TenantOptions {
  /** Reads one page of every kind, even of read-only ones. Left out: the lists of kinds that manifests can declare. */
  readonly isCheck?: boolean;
}

interface ListedKind {
  readonly kind: Kind;
  readonly rows: readonly JsonObject[];
  /** Further reads for it: the vendor's defaults, or the attributes of rules. */
  readonly beside: readonly JsonObject[];
  readonly failure: Failure | null;
  /** The names of headers of all answers. */
  readonly headers: ReadonlySet<string>;
}

type Surveyed = Pick<Environment, 'kinds' | 'settings'>;

/** A setting that may make lists readable which the tenant refused. */
interface Guess {
  readonly refused: readonly Kind[];
  /** True when this answer, with the setting, shows that it is right. */
  isRight(listed: ListedKind): boolean;
  settingFor(kinds: readonly Kind[]): Detected;
}

/**
 * Reads the lists of a tenant, and finds from the answers how it differs from the contract (api-notes). Nothing is written to the
 * tenant. Differences that only a write could show, such as the form of a patch, are not detected.
 *
 * Throws a Failure when the credentials or an address are wrong, and when no list can be read.
 */
export async function surveyTenant(
  project: Pick<ProjectEnvironment, 'environment' | 'secrets'>,
  options: SurveyOptions,
): Promise<Survey> {
  const { environment } = project;
  const { isCheck = false, ...tenantOptions } = options;
  const { kinds } = environment;
  const declarable = kinds.all.filter((kind) => isCheck || !isOnlyReferredTo(kind));
  const { served, skipped } = servedKinds(declarable, [environment]);
  const readable = served.filter(hasList);
  const readWith = (chosen: ApiSettings, some: readonly Kind[]) => {
    const chosenProject = { ...project, environment: { ...environment, settings: chosen } };
    return useTenant(chosenProject, tenantOptions, (tenant) =>
      allOrFailure(some.map((kind) => readList(tenant, kind, isCheck))),
    );
  };
  const { connection } = environment;
  const { identity = null, profiles = null } = connection.to === 'tenant' ? connection : {};
  const urls = { identity: identity?.baseUrl ?? null, profiles: profiles?.baseUrl ?? null };
  const byName = missingPresets(presetsOfHosts(urls), environment);
  let settings = byName.reduce(withSetting, environment.settings);
  let listed = await readWith(settings, readable);
  const byAnswer = missingPresets(presetsIn(listed), { ...environment, settings });
  if (byAnswer.length > 0) {
    settings = byAnswer.reduce(withSetting, settings);
    const refused = listed.filter(({ failure }) => failure !== null).map(({ kind }) => kind);
    const again = await readWith(settings, refused);
    listed = listed.map((each) => again.find(({ kind }) => kind === each.kind) ?? each);
  }
  const guessed: Detected[] = [];
  // Own paths come first: only behind the right path does a tenant say which header it wants.
  for (const makeGuesses of [guessOwnPaths, guessHeader]) {
    for (const { refused, isRight, settingFor } of makeGuesses(listed, { settings, kinds })) {
      if (!listed.some(({ kind, failure }) => failure && refused.includes(kind))) continue;
      const again = await readWith(withSetting(settings, settingFor(refused)), refused);
      const right = again.filter(isRight).map(({ kind }) => kind);
      if (right.length === 0) continue;
      listed = listed.map((each) => again.find((one) => one.kind === each.kind && isFound(one)) ?? each);
      const setting = settingFor(right);
      settings = withSetting(settings, setting);
      guessed.push(setting);
    }
  }
  const failures = listed.flatMap(({ failure }) => failure ?? []);
  if (failures.length === listed.length)
    throw new Failure(failures.flatMap(({ diagnostics }) => diagnostics));
  const refused = new Map(
    listed.flatMap(({ kind, failure }) =>
      (failure?.diagnostics ?? []).slice(0, 1).map((problem) => [kind, problem] as const),
    ),
  );
  const unread = served.flatMap((kind) => {
    const needed = kind.read.how === 'each-declared' ? kind.read.candidatesFrom : [kind];
    const [problem] = needed.flatMap((each) => refused.get(each) ?? []);
    if (!problem) return [];
    return [{ kind, problem: { ...problem, message: `${kind.name} is left out: ${problem.message}` } }];
  });
  const shown = [jsonTextIn(listed), objectTypeIn(listed)].filter((each) => each !== null);
  return {
    refused,
    found: listed.flatMap(({ kind, rows, failure }) => (failure ? [] : [{ kind, count: rows.length }])),
    left: [...skipped, ...unread],
    detected: [
      ...byName,
      ...byAnswer,
      ...guessed,
      ...shown.filter(({ name }) => settings[name] === contractSettings[name]),
    ],
  };
}

/** The settings that a preset stands for; `null` for a single setting. */
function settingsOfPreset({ name, value }: Detected): Partial<ApiSettings> | null {
  const known = presetNames.find((each) => name === 'preset' && each === value);
  return known ? presets[known].settings : null;
}

function withSetting(settings: ApiSettings, detected: Detected): ApiSettings {
  const preset = settingsOfPreset(detected);
  if (!preset) return { ...settings, [detected.name]: detected.value };
  // Settings in the project file have precedence.
  const usual: Readonly<Record<string, unknown>> = { ...contractSettings };
  const own = Object.entries(settings).filter(([each, set]) => set !== usual[each]);
  return { ...settings, ...preset, ...Object.fromEntries(own) };
}

/** The presets of the services whose host names are those of a product. */
export function presetsOfHosts(urls: Readonly<Record<Service, string | null>>): Detected[] {
  return presetNames.flatMap((value): Detected[] => {
    const { service, hosts, product } = presets[value];
    const host = parseUrl(urls[service] ?? '')?.hostname ?? '';
    const end = hosts.find((each) => host.endsWith(each));
    if (end === undefined) return [];
    return [{ service, name: 'preset', value, because: `hosts of ${product} are named *${end}` }];
  });
}

function presetsIn(listed: readonly ListedKind[]): Detected[] {
  const ofIdentity = listed.filter(({ kind }) => kind.resource.service === 'identity');
  const hasHeader = ofIdentity.some(({ headers }) => headers.has('slpt-request-id'));
  const attributes = listed.find(({ kind }) => kind === profileSearch)?.beside ?? [];
  const [named] = attributes.flatMap((row) => getText(row, 'type') ?? []).filter(isClassOfProduct);
  const signs: readonly (readonly [(typeof presetNames)[number], string | null])[] = [
    ['sailpoint-isc', hasHeader ? 'its responses have `Slpt-Request-Id`' : null],
    ['sailpoint-nerm', named === undefined ? null : `its attributes have classes such as \`${named}\``],
  ];
  return signs.flatMap(([value, sign]): Detected[] => {
    const { service, product } = presets[value];
    if (sign === null) return [];
    return [{ service, name: 'preset', value, because: `${sign}, as hosts of ${product} have` }];
  });
}

const isClassOfProduct = (name: string) => name.endsWith('Attribute') && name !== usualClass;

/** Presets that the project file lacks: it names none for the service, and its settings differ. */
function missingPresets(found: readonly Detected[], { connection, settings }: Environment): Detected[] {
  return found.filter((preset) => {
    const endpoint = connection.to === 'tenant' ? connection[preset.service] : null;
    if (!endpoint || endpoint.preset) return false;
    return canonicalJson(withSetting(settings, preset)) !== canonicalJson(settings);
  });
}

const isFound = ({ failure }: ListedKind) => failure?.diagnostics[0]?.code !== 'tenant-not-found';

/** Problems of the whole tenant: no other list would be read either. */
const decisive = [
  'interrupted',
  'secret-unset',
  'tenant-unauthorized',
  'token-endpoint',
  'tenant-unreachable',
  'tenant-redirect',
  'foreign-host',
];

async function readList(tenant: Tenant, kind: Kind, firstPage: boolean): Promise<ListedKind> {
  const headers = new Set<string>();
  const client = withSend(tenant.client, async (request, how) => {
    const sent = await tenant.client.send(request, how);
    if (sent.outcome === 'answered') for (const name of Object.keys(sent.headers)) headers.add(name);
    return sent;
  });
  let isListed = false;
  let rows: readonly JsonObject[] = [];
  let beside: readonly JsonObject[] = [];
  let failure: Failure | null = null;
  try {
    rows = await readListRows(client, kind, { firstPage });
    isListed = true;
    if (kind === profileSearch)
      beside = (await readRecords(client, ['ne_attributes'])).get('ne_attributes') ?? [];
    else if (!firstPage) beside = (await readDefaults(client, [allOf(kind)])).map(({ raw }) => raw);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.diagnostics.some(({ code }) => decisive.includes(code))) throw error;
    // An export needs the defaults of what is customised. In searches, it only writes ids if attributes are not shown.
    if (rows.length === 0 ? !isListed : kind.read.defaults) failure = error;
  }
  return { kind, rows, beside, failure, headers };
}

const hasList = ({ read, parent }: Kind) => !parent && 'list' in read;
const knownHeaders: readonly string[] = [
  contractSettings,
  ...presetNames.map((name) => presets[name].settings),
].flatMap((settings) => ('experimentalHeader' in settings ? [settings.experimentalHeader] : []));

/** A header that the tenant's own words ask for: "The header X-Name: true is required". Some name none. */
function guessHeader(listed: readonly ListedKind[], { settings: { experimentalHeader } }: Surveyed): Guess[] {
  const refused = listed.filter(({ kind, failure }) => failure && kind.resource.service === 'identity');
  const words = refused.flatMap(({ failure }) => failure?.message ?? []);
  const named = words.flatMap((text) => text.match(headerName) ?? []);
  const isAsked = words.some((text) => /experimental header/i.test(text));
  const names = new Set(named.length === 0 && isAsked ? knownHeaders : named);
  names.delete(experimentalHeader);
  return [...names].slice(0, mostGuesses).map((value) => ({
    refused: refused.map(({ kind }) => kind),
    isRight: ({ failure }) => failure === null,
    settingFor: () => ({
      service: 'identity',
      name: 'experimentalHeader',
      value,
      because: 'the tenant asked for this header, and answers with it',
    }),
  }));
}

const headerName = /\bX(?:-[A-Za-z0-9]{1,40}){1,6}(?![\w-])/gi;
const mostGuesses = 3;

/** Other paths of the identity service's resources, if documented paths do not exist. */
function guessOwnPaths(listed: readonly ListedKind[], { settings, kinds }: Surveyed): Guess[] {
  const ofIdentity = listed.filter(({ kind }) => kind.resource.service === 'identity');
  const refused = ofIdentity.filter((each) => !isFound(each)).map(({ kind }) => kind);
  if (refused.length === 0) return [];
  const settingFor = (some: readonly Kind[]): Detected => {
    const without = refused.filter((kind) => !some.includes(kind));
    // If no documented path exists, resources without a list are elsewhere too.
    const resources =
      refused.length === ofIdentity.length
        ? [
            ...kinds.all.filter((kind) => !without.includes(kind)).flatMap(resourcesOf),
            templateContext,
            testNotification,
          ]
        : some.flatMap(resourcesOf);
    const paths = resources.flatMap(({ name, ownPath }) =>
      ownPath === null ? [] : [[name, ownPath] as const],
    );
    const because = 'the documented paths do not exist, and these answer';
    const value = { ...settings.paths, ...Object.fromEntries(paths) };
    return { service: 'identity', name: 'paths', value, because };
  };
  return [{ refused, isRight: isFound, settingFor }];
}

const resourcesOf = ({ resource, read: { defaults } }: Kind): ApiResource[] =>
  defaults ? [resource, defaults.resource] : [resource];

type ShownSetting = Detected & { readonly name: 'jsonText' | 'profileSearchObjectType' };

/** Chat templates decide if no integration does: some hosts have objects only there. */
function jsonTextIn(listed: readonly ListedKind[]): ShownSetting | null {
  const shown = (kind: Kind, names: readonly string[]) => {
    const { rows = [], beside = [] } = listed.find((each) => each.kind === kind) ?? {};
    const values = [...rows, ...beside].flatMap((row) => names.map((name) => get(row, name) ?? null));
    return values.filter((value) => value !== null);
  };
  const inIntegrations = shown(simIntegration, ['attributes', 'request', 'statusMap']);
  const inTemplates = shown(notificationTemplate, ['slackTemplate', 'teamsTemplate']);
  const decisive = inIntegrations.length > 0 ? inIntegrations : inTemplates;
  if (!decisive.some((value) => isObject(value))) return null;
  const because =
    inIntegrations.length > 0
      ? 'integrations have `attributes` as an object, not as text'
      : 'templates have `slackTemplate` and `teamsTemplate` as objects, not as text';
  return { service: 'identity', name: 'jsonText', value: 'object', because };
}

function objectTypeIn(listed: readonly ListedKind[]): ShownSetting | null {
  const { rows = [] } = listed.find(({ kind }) => kind === profileSearch) ?? {};
  const rules = rows.flatMap(liveRules);
  const classes = rules.flatMap((rule) => getText(rule, classField) ?? []);
  const [ofAttribute] = classes.filter(isClassOfProduct);
  const found = { service: 'profiles', name: 'profileSearchObjectType' } as const;
  if (ofAttribute !== undefined) {
    const because = `the rules of saved searches name classes such as \`${ofAttribute}\``;
    return { ...found, value: 'attribute_class', because };
  }
  const isNamed = rules.some((rule) => Object.hasOwn(rule, classField));
  if (!isNamed || rules.some((rule) => get(rule, 'object_type'))) return null;
  return { ...found, value: classField, because: `the rules of saved searches have \`${classField}\`` };
}

const classField = 'condition_object_type';
const usualClass = 'NeAttribute';

interface KindCheck {
  readonly kind: string;
  readonly declared: boolean;
  /** True when manifests refer to such objects: then a plan reads them too. */
  readonly referredTo: boolean;
  /** `each`: objects of the kind are read one by one, and none was. */
  readonly read: 'yes' | 'no' | 'each' | 'no-service';
  /** The objects on the first page; `null` if none was read. */
  readonly count: number | null;
  readonly problem: Pick<Diagnostic, 'code' | 'message' | 'hint'> | null;
  /** The API's operations on such objects, according to the descriptor. Not tried. */
  readonly write: readonly ('create' | 'change' | 'delete')[];
}

/** Without these, lists or objects are refused; without the others, reads work. */
const settingsOfReads: readonly string[] = ['experimentalHeader', 'paths', 'mailFrom'];

function isForReads(detected: Detected, settings: ApiSettings): boolean {
  const preset = settingsOfPreset(detected);
  if (!preset) return settingsOfReads.includes(detected.name);
  const has: Readonly<Record<string, unknown>> = { ...settings };
  return Object.entries(preset).some(
    ([member, wanted]) => settingsOfReads.includes(member) && has[member] !== wanted,
  );
}

/**
 * Signs in, reads one page of each kind, and says what may be read, and which settings the host needs and the environment lacks.
 * Nothing is written. Throws a Failure when the credentials or an address are wrong, and when no list can be read.
 *
 * @param declared what manifests declare; without a resource for one with errors
 */
export async function checkTenant(
  project: ProjectEnvironment,
  declared: readonly { readonly kind: Kind; readonly resource: Resource | null }[],
  options: TenantOptions,
) {
  const { environment } = project;
  const { found, refused, detected } = await surveyTenant(project, { ...options, isCheck: true });
  const { skipped } = servedKinds(environment.kinds.all, [environment]);
  const unserved = new Set(skipped.map(({ kind }) => kind));
  const counts = new Map(found.map(({ kind, count }) => [kind, count]));
  const resources = declared.flatMap(({ resource }) => resource ?? []);
  const referredTo = new Set(referencesIn(resources, environment.kinds).map(({ kind }) => kind));
  const kinds = environment.kinds.all.map((kind): KindCheck => {
    const { code, message, hint } = refused.get(kind) ?? {};
    const key = kind.keyFields.map(({ name }) => name);
    // The settings may say whether hosts take it.
    const removal = kind.write.remove({ key, id: 'id', settings: environment.settings });
    return {
      kind: kind.name,
      declared: declared.some((each) => each.kind.name === kind.name),
      referredTo: referredTo.has(kind),
      read: unserved.has(kind) ? 'no-service' : !hasList(kind) ? 'each' : counts.has(kind) ? 'yes' : 'no',
      count: counts.get(kind) ?? null,
      problem: code === undefined || message === undefined ? null : { code, message, ...(hint && { hint }) },
      write: [
        ...(kind.can.create === false ? [] : (['create'] as const)),
        ...(kind.can.update ? (['change'] as const) : []),
        ...('requests' in removal ? (['delete'] as const) : []),
      ],
    };
  });
  const settings = detected.map((each) => ({ ...each, stopsPlan: isForReads(each, environment.settings) }));
  const needed = kinds.filter(({ declared: isDeclared, referredTo: isUsed }) => isDeclared || isUsed);
  const isMissing = needed.some(({ read }) => read === 'no' || read === 'no-service');
  return {
    environment: environment.name,
    tenant: environment.tenant,
    readOnly: environment.policy.readOnly,
    kinds,
    // Those that the host needs and the environment lacks. `stopsPlan`: nothing is read without it.
    settings,
    stopsPlan: isMissing || settings.some(({ stopsPlan }) => stopsPlan),
  };
}
