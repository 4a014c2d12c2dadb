import { checkTenant, type Survey } from '../engine/survey.ts';
import { loadNames, openProjects } from '../loader/index.ts';
import { ExitCode } from '../model/failure.ts';
import { isObject } from '../model/json.ts';
import { joinWords } from '../model/words.ts';
import { blank, layout, padTo, type Row, row, span } from '../report/layout.ts';
import { json } from '../report/safe.ts';
import { pluralize, tenantWords } from '../report/words.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { viewOf } from './io.ts';
import { withProgress } from './progress.ts';
import { projectOptions } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 check [options]\n\nSigns in to the tenant, reads one page of each kind, and reports what may be read and written, and which settings the host needs. Writes nothing. Exit code 1 means that the tenant, or the settings for it, would stop a plan. `validate` checks the manifests.',
  options: { ...commonOptions, format: option.format(['text', 'json']) },
  examples: {
    '$0 check -e production': 'May I sign in, and what may I see?',
    '$0 check --format json': 'The same, for a script',
  },
}).run(async (args, io) => {
  const options = projectOptions(args, io);
  const project = openProjects(options).environment(options.environment);
  // Also while manifests have errors.
  const { objects } = loadNames(options);
  const check = await withProgress(io, (tenantOptions) => checkTenant(project, objects, tenantOptions));
  io.stdout.write(
    args.format === 'json'
      ? json({ formatVersion: 1, ...check })
      : layout(rowsOf(check), viewOf(io.stdout, io)),
  );
  return check.stopsPlan ? ExitCode.couldNotRun : ExitCode.done;
});

type TenantCheck = Awaited<ReturnType<typeof checkTenant>>;
type KindCheck = TenantCheck['kinds'][number];

function rowsOf(check: TenantCheck): Row[] {
  const { environment, tenant, kinds, settings, readOnly, stopsPlan } = check;
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const verdict = stopsPlan
    ? 'A plan would stop.'
    : `Nothing that was read would stop a plan. \`tenantctl validate -e ${environment}\` checks the manifests for it.`;
  return [
    row(0, span(`Signed in to ${environment}`, 'bold'), span(`  ${tenantWords(tenant)}`, 'dim')),
    ...(readOnly ? [row(0, span('The environment is read-only: apply is refused.'))] : []),
    blank,
    ...kinds.flatMap((each) => kindRows(each, width)),
    blank,
    ...settings.map((setting) => {
      const use = setting.stopsPlan ? 'for reads' : 'for writes';
      return row(
        0,
        span(`Missing in the environment, needed ${use}: ${describeSetting(setting)}.`, 'yellow'),
      );
    }),
    row(0, span(verdict, stopsPlan ? 'red' : 'green')),
  ];
}

function kindRows({ kind, read, count, problem, write, declared, referredTo }: KindCheck, width: number) {
  const words: Record<KindCheck['read'], string> = {
    yes: `read (${pluralize(count ?? 0, 'object')} on the first page)`,
    no: 'NOT READ',
    each: 'read object by object: none was tried',
    'no-service': 'not read: the environment has no base URL for its service',
  };
  const writing = write.length === 0 ? 'read-only' : `the API can ${joinWords('and', write)} it`;
  const use = declared ? '; declared here' : referredTo ? '; referred to here' : '';
  const line = `${words[read]}; ${writing}${use}`;
  const style = read === 'no' ? (['red'] as const) : [];
  const why = problem ? [problem.message, ...(problem.hint === undefined ? [] : [problem.hint])] : [];
  return [
    { indent: 2, hang: width + 4, spans: [span(`${padTo(kind, width)}  `, 'bold'), span(line, ...style)] },
    ...why.map((text) => row(width + 4, span(text))),
  ];
}

/** A setting as in the project file; of a map, only the first member and the count. */
export function describeSetting({ service, name, value, because }: Survey['detected'][number]): string {
  const members = isObject(value) ? Object.entries(value) : [];
  const first = members.slice(0, 1).map(([name, text]) => `${name}: ${String(text)}`);
  const map = members.length > 1 ? `{ ${first}, … } (${members.length} members)` : `{ ${first} }`;
  return `${service}.${name}: ${isObject(value) ? map : String(value)}, since ${because}`;
}
