import type { Argv } from 'yargs';
import { resolveLookups } from '../client/lookups.ts';
import { readPages } from '../client/pages.ts';
import { profileSearch } from '../kinds/profile-search.ts';
import { runRules, runSaved } from '../kinds/run-search.ts';
import { loadProject } from '../loader/index.ts';
import { ExitCode } from '../model/exit.ts';
import { type Failure, failure } from '../model/failure.ts';
import { type JsonObject, own } from '../model/json.ts';
import type { Request } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { didYouMean } from '../model/suggest.ts';
import { fillLookups, lookupsIn } from '../planner/index.ts';
import { type FoundProfiles, renderSearch, searchFormats } from '../report/search.ts';
import { type ArgsOf, commonOptions, defineCommand } from './command.ts';
import { hasColour, type Io, widthOf } from './io.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { type Tenant, withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 search LABEL [options]\n\nRuns a profile search: the one that a manifest declares, else the one saved in the tenant.',
    )
    .positional('label', { type: 'string', describe: 'The label of the search' })
    .demandOption('label')
    .option('format', { choices: searchFormats, default: 'table' as const, describe: 'How to print it' })
    .option('limit', { type: 'number', describe: 'At most this many profiles', requiresArg: true })
    .option('order', {
      type: 'string',
      describe: 'The attribute to sort by, ascending: name',
      requiresArg: true,
    })
    .example('$0 search "Active contractors"', 'Who is found?')
    .example(
      '$0 search "Active contractors" --format csv > contractors.csv',
      'All of them, for a spreadsheet',
    );
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  checkLimit(args.limit);
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const searches = resources.filter(({ kind }) => kind === profileSearch.name);
  const progress = createProgress(io, args);
  return withTenant(project, io, progress, async (tenant) => {
    const search = await findSearch(args.label, searches, tenant.remembered());
    const found = await runSearch(search, args, tenant);
    progress.end();
    const colour = args.format === 'table' && hasColour(io.stdout, io, args);
    io.stdout.write(renderSearch(found, args.format, { colour, width: widthOf(io.stdout) }));
    return ExitCode.done;
  });
}

function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw failure('limit-syntax', '--limit takes a whole number of profiles, 1 or more.');
}

interface Search extends Pick<FoundProfiles, 'label' | 'rules'> {
  readonly request: Request;
}

/** The declared search of that label, unless its manifest leaves the rules to the tenant; else the saved one. */
async function findSearch(label: string, searches: readonly Resource[], tenant: Tenant): Promise<Search> {
  const { settings } = tenant.environment;
  const declared = searches.filter(
    ({ key, ensure, fields }) =>
      key[0] === label && ensure === 'present' && own(fields, 'rules') !== undefined,
  );
  const answers = await resolveLookups(tenant.client, lookupsIn(declared));
  const [resource] = fillLookups(declared, answers);
  if (resource) return { label, rules: 'declared', request: runRules(resource.fields, settings) };
  const { objects } = await tenant.readWanted([
    { kind: profileSearch, keys: [[label]], ids: [], complete: false },
  ]);
  const [saved] = objects;
  if (!saved) throw await unknownLabel(label, searches, tenant);
  if (saved.id !== null) return { label, rules: 'saved', request: runSaved(saved.id, settings) };
  throw failure(
    'search-without-id',
    `The tenant shows no id for the search "${label}", so it cannot be run.`,
  );
}

/** More labels do not help whoever looks for one. */
const mostLabels = 20;

async function unknownLabel(label: string, searches: readonly Resource[], tenant: Tenant): Promise<Failure> {
  const { objects } = await tenant.readWanted([{ kind: profileSearch, keys: [], ids: [], complete: true }]);
  const present = searches.filter(({ ensure }) => ensure === 'present');
  const labels = [...new Set([...present, ...objects].map(({ key }) => key[0] ?? ''))];
  const more = labels.length > mostLabels ? ', …' : '';
  const list = labels.slice(0, mostLabels).map((known) => `"${known}"`);
  const hint =
    didYouMean(label, labels) ??
    (labels.length === 0 ? 'There are no searches.' : `There are: ${list.join(', ')}${more}.`);
  return failure('unknown-search', `There is no search "${label}", neither declared nor saved.`, { hint });
}

/** The most that a page of profiles may hold (seed 002, "Collection endpoints"). */
const largestPage = 500;

async function runSearch(
  { label, rules, request }: Search,
  args: Args,
  tenant: Tenant,
): Promise<FoundProfiles> {
  const { limit = Number.POSITIVE_INFINITY, order } = args;
  const query = { metadata: 'true', ...(order === undefined ? {} : { order }) };
  // One more than is shown tells whether there are more.
  const enough = limit + 1;
  const profiles: JsonObject[] = [];
  const pages = readPages(tenant.client, {
    what: `the search "${label}"`,
    request: { ...request, query },
    pageSize: Math.min(largestPage, enough),
    member: 'profiles',
    enough,
  });
  for await (const { rows } of pages) profiles.push(...rows);
  return { label, rules, more: profiles.length > limit, profiles: profiles.slice(0, limit) };
}

export const command = defineCommand(build, run);
