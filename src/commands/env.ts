import { loadEnvironmentNames } from '../loader/index.ts';
import { membersOf, parseShard, selectEnvironments } from '../loader/selection.ts';
import { ExitCode } from '../model/failure.ts';
import { layout, table } from '../report/layout.ts';
import { json } from '../report/safe.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { viewOf } from './io.ts';
import { projectFileOptions, selectorsOf } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 env [options]\n\nLists the environments of the project and its groups. With --env or TENANTCTL_ENV, those that it selects.',
  options: {
    ...commonOptions,
    action: { ...option.argument('What to do'), choices: ['list'], default: 'list' },
    format: option.format(['text', 'json', 'github-matrix']),
    shard: option.text('Only this part of the environments, such as 2/4'),
  },
  examples: {
    '$0 env': 'All environments and groups',
    "$0 env -e '@production' --format github-matrix": 'The matrix of a GitHub job',
  },
}).run(async (args, io) => {
  const project = loadEnvironmentNames(projectFileOptions(args, io));
  const { selectors, from } = selectorsOf(args, io);
  const selected =
    selectors.length === 0 ? project.environments : selectEnvironments(selectors, project, from);
  const names = args.shard === undefined ? selected : parseShard(args.shard)(selected);
  const groups = Object.keys(project.groups).map((group) => [group, membersOf(group, project)] as const);
  if (args.format === 'json')
    io.stdout.write(json({ formatVersion: 1, environments: names, groups: Object.fromEntries(groups) }));
  if (args.format === 'github-matrix') io.stdout.write(json({ environment: names }, 0));
  if (args.format !== 'text') return ExitCode.done;
  const lines = names.map((name) => [
    name === project.defaultEnvironment ? `${name} (default)` : name,
    groups.flatMap(([group, members]) => (members.includes(name) ? `@${group}` : [])).join(', '),
  ]);
  const empty = groups.flatMap(([group, members]) => (members.length === 0 ? [['', `@${group}: none`]] : []));
  const { rows } = table([['environment', 'groups'], ...lines, ...empty]);
  io.stdout.write(layout(rows, { ...viewOf(io.stdout, io), width: Number.POSITIVE_INFINITY }));
  return ExitCode.done;
});
