import { allOrFailure, readDefaults, readListRows, templateContext } from '../client/read.ts';
import type { ApiResource, Service } from '../kinds/http.ts';
import { isOnlyReferredTo, type Kind } from '../kinds/kind.ts';
import { liveRules, profileSearch } from '../kinds/profile-search.ts';
import type { Environment, Secrets } from '../kinds/project.ts';
import { allOf } from '../kinds/read-request.ts';
import { simIntegration } from '../kinds/sim-integration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import { isObject, type Json, type JsonObject, objectFrom, own } from '../model/json.ts';
import { type ApiSettings, contractSettings } from '../model/settings.ts';
import { type LeftOut, servedKinds, serviceOf } from './reading.ts';
import { type Tenant, type TenantOptions, useTenant } from './tenant.ts';
import { testNotification } from './test-notification.ts';

/** A setting that a read has shown the tenant to need. */
export interface Detected {
  /** The member of the environment that it belongs to. */
  readonly service: Service;
  readonly name:
    | 'experimentalHeader'
    | 'jsonText'
    | 'paths'
    | 'profileSearchPath'
    | 'profileSearchObjectType';
  readonly value: Json;
  readonly because: string;
}

interface SurveyedProject {
  readonly environment: Environment;
  readonly secrets: Secrets;
}

export interface Survey {
  /** The kinds that the tenant lists, and how many objects of each. */
  readonly found: readonly { readonly kind: Kind; readonly count: number }[];
  readonly left: readonly LeftOut[];
  readonly detected: readonly Detected[];
  /** Why lists could not be read. */
  readonly refused: ReadonlyMap<Kind, Diagnostic>;
}

interface SurveyOptions extends TenantOptions {
  /** Reads one page of every kind, also of those that are only referred to. Left out: the lists of what can be declared. */
  readonly isCheck?: boolean;
}

interface Listed {
  readonly kind: Kind;
  readonly rows: readonly JsonObject[];
  readonly failure: Failure | null;
}

type Surveyed = Pick<Environment, 'kinds' | 'settings'>;

/** A setting that may make lists readable which the tenant refused. */
interface Guess {
  readonly refused: readonly Kind[];
  /** True when this answer, with the setting, shows that it is right. */
  isRight(listed: Listed): boolean;
  /** The setting for those of the kinds that need it. */
  settingFor(kinds: readonly Kind[]): Detected;
}

/**
 * Reads the lists of a tenant, and finds from the answers how it differs from the contract (api-notes). Nothing is
 * written to the tenant. What only a write could show, such as the form of a patch, is not found out.
 *
 * Throws a Failure when the credentials or an address are wrong, and when no list can be read.
 */
export async function surveyTenant(project: SurveyedProject, options: SurveyOptions): Promise<Survey> {
  const { environment } = project;
  const { kinds } = environment;
  const declarable = kinds.all.filter((kind) => options.isCheck || !isOnlyReferredTo(kind));
  const { served, skipped } = servedKinds(declarable, [environment]);
  const readable = served.filter(hasList);
  let settings = environment.settings;
  let listed = await readLists(project, options, readable);
  const guessed: Guess[] = [];
  // Own paths come first: only behind the right path does a tenant say which header it wants.
  for (const makeGuesses of [guessOwnPaths, guessHeader, guessSearchPaths]) {
    for (const guess of makeGuesses(listed, { settings, kinds })) {
      if (guess.refused.every((kind) => isRead(kind, listed))) continue;
      const tried = { ...environment, settings: withSetting(settings, guess.settingFor(guess.refused)) };
      const again = await readLists({ ...project, environment: tried }, options, guess.refused);
      const right = again.filter((each) => guess.isRight(each)).map(({ kind }) => kind);
      if (right.length === 0) continue;
      listed = listed.map((each) => again.find((one) => one.kind === each.kind && isFound(one)) ?? each);
      settings = withSetting(settings, guess.settingFor(right));
      guessed.push(guess);
    }
  }
  if (listed.every(({ failure }) => failure !== null))
    throw new Failure(listed.flatMap(({ failure }) => failure?.diagnostics ?? []));
  const problems = listed.flatMap(({ kind, failure }) => {
    const [problem] = failure?.diagnostics ?? [];
    return problem ? [[kind, problem] as const] : [];
  });
  return {
    refused: new Map(problems),
    found: listed.flatMap(({ kind, rows, failure }) => (failure ? [] : [{ kind, count: rows.length }])),
    left: [...skipped, ...served.flatMap((kind) => whyLeft(kind, listed))],
    detected: [
      ...guessed.flatMap(({ refused, settingFor }) => {
        const read = refused.filter((kind) => isRead(kind, listed));
        return read.length > 0 ? [settingFor(read)] : [];
      }),
      ...settingsIn(listed).filter(({ name }) => settings[name] === contractSettings[name]),
    ],
  };
}

const withSetting = (settings: ApiSettings, { name, value }: Detected): ApiSettings => ({
  ...settings,
  [name]: value,
});

const isFound = ({ failure }: Listed) => failure?.diagnostics[0]?.code !== 'tenant-not-found';
const isAnswered = ({ failure }: Listed) => failure === null;

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

function readLists(
  project: SurveyedProject,
  options: SurveyOptions,
  some: readonly Kind[],
): Promise<Listed[]> {
  const read = async ({ client }: Tenant, kind: Kind): Promise<Listed> => {
    try {
      const rows = await readListRows(client, kind, { firstPage: options.isCheck ?? false });
      // An export compares objects with the vendor's defaults, which a client may not be allowed to read.
      if (rows.length > 0 && !options.isCheck) await readDefaults(client, [allOf(kind)]);
      return { kind, rows, failure: null };
    } catch (error) {
      const isDecisive = (failure: Failure) =>
        failure.diagnostics.some(({ code }) => decisive.includes(code));
      if (!(error instanceof Failure) || isDecisive(error)) throw error;
      return { kind, rows: [], failure: error };
    }
  };
  return useTenant(project, options, (tenant) => allOrFailure(some.map((kind) => read(tenant, kind))));
}

const hasList = ({ read }: Kind) => read.how !== 'each-declared';
const isRead = (kind: Kind, listed: readonly Listed[]) =>
  listed.some((each) => each.kind === kind && each.failure === null);

function whyLeft(kind: Kind, listed: readonly Listed[]): LeftOut[] {
  const needed = kind.read.how === 'each-declared' ? kind.read.candidatesFrom : [kind];
  const failed = listed.find((each) => needed.includes(each.kind) && each.failure !== null);
  const [problem] = failed?.failure?.diagnostics ?? [];
  return problem
    ? [{ kind, problem: { ...problem, message: `${kind.name} is left out: ${problem.message}` } }]
    : [];
}

/** A header that the tenant's own words ask for: "The header X-Name: true is required". */
function guessHeader(listed: readonly Listed[], { settings: { experimentalHeader } }: Surveyed): Guess[] {
  const refused = listed.filter(({ kind, failure }) => failure && serviceOf(kind) === 'identity');
  const named = refused.flatMap(({ failure }) => [...(failure?.message.matchAll(headerName) ?? [])]);
  const names = new Set(named.map(([name]) => name));
  names.delete(experimentalHeader);
  return [...names].slice(0, mostGuesses).map((value) => ({
    refused: refused.map(({ kind }) => kind),
    isRight: isAnswered,
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

/** Own paths of the identity service's resources, where documented paths do not exist. */
function guessOwnPaths(listed: readonly Listed[], { settings, kinds }: Surveyed): Guess[] {
  const ofIdentity = listed.filter(({ kind }) => serviceOf(kind) === 'identity');
  const refused = ofIdentity.filter((each) => !isFound(each)).map(({ kind }) => kind);
  if (refused.length === 0) return [];
  const settingFor = (some: readonly Kind[]): Detected => {
    const without = refused.filter((kind) => !some.includes(kind));
    // Where no documented path exists, what no list shows is elsewhere too.
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
    const value = { ...settings.paths, ...objectFrom(paths) };
    return { service: 'identity', name: 'paths', value, because };
  };
  return [{ refused, isRight: isFound, settingFor }];
}

const resourcesOf = ({ resource, read: { defaults } }: Kind): ApiResource[] =>
  defaults ? [resource, defaults.resource] : [resource];

/** Hosts without the usual path for saved searches have been seen to use these. */
const searchPaths = [
  '/api/advanced_searches',
  '/api/searches',
  '/api/saved_searches',
  '/api/profile_searches',
];

function guessSearchPaths(listed: readonly Listed[]): Guess[] {
  if (!listed.some((each) => each.kind === profileSearch && !isFound(each))) return [];
  return searchPaths.map((value) => ({
    refused: [profileSearch],
    isRight: isAnswered,
    settingFor: () => ({
      service: 'profiles',
      name: 'profileSearchPath',
      value,
      because: 'the usual path does not exist, and this one lists saved searches',
    }),
  }));
}

function settingsIn(listed: readonly Listed[]): Detected[] {
  const rowsOf = (kind: Kind) => listed.find((each) => each.kind === kind)?.rows ?? [];
  const found: Detected[] = [];
  if (rowsOf(simIntegration).some((row) => jsonFields.some((name) => isObject(own(row, name)))))
    found.push({
      service: 'identity',
      name: 'jsonText',
      value: 'object',
      because: 'integrations have `attributes` as an object, not as text',
    });
  const rules = rowsOf(profileSearch).flatMap(liveRules);
  if (
    rules.some((rule) => Object.hasOwn(rule, classField)) &&
    rules.every((rule) => !own(rule, 'object_type'))
  )
    found.push({
      service: 'profiles',
      name: 'profileSearchObjectType',
      value: classField,
      because: `the rules of saved searches have \`${classField}\``,
    });
  return found;
}

/** Fields that the contract keeps as JSON in text. */
const jsonFields = ['attributes', 'request', 'statusMap'];
const classField = 'condition_object_type';
