import { dirname, join, relative } from 'node:path';
import { pastApplies } from '../engine/results.ts';
import { loadEnvironmentNames } from '../loader/index.ts';
import { resolveLinks } from '../loader/paths.ts';
import { ExitCode } from '../model/failure.ts';
import { layout, table } from '../report/layout.ts';
import { outcomeCounts } from '../report/result.ts';
import { json, oneLine } from '../report/safe.ts';
import { countWords, joinParts, namesInBrief, shortCommit } from '../report/words.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { viewOf } from './io.ts';
import { namedEnvironments, projectFileOf, projectFileOptions, selectorsOf } from './project.ts';

export const command = describeCommand({
  usage:
    '$0 history [options]\n\nLists the applies made in this checkout, newest first. Shows time, environment, outcome, changes, commit, plan digest and result file. Without --env, lists those of all environments. Sends no request to the tenant.',
  options: {
    ...commonOptions,
    limit: { ...option.number('Maximum number of applies'), default: 20 },
    format: option.format(['text', 'json']),
  },
  examples: {
    '$0 history -e production': 'What was applied to production from here',
    '$0 history -e production --limit 1 --format json': 'The latest one, for a script',
  },
}).run(async (args, io) => {
  const isSelected = selectorsOf(args, io).selectors.length > 0;
  const names = isSelected
    ? namedEnvironments(args, io)
    : loadEnvironmentNames(projectFileOptions(args, io)).environments;
  const root = resolveLinks(dirname(projectFileOf(args.config, io)));
  const found = await pastApplies(root, names, { most: args.limit });
  const applies = found.map((apply) => ({ ...apply, file: relative(io.cwd, join(root, apply.file)) }));
  if (args.format === 'json') {
    const described = applies.map((apply) => {
      const { file, environment, startedAt } = apply;
      if (!('result' in apply)) return { file, environment, startedAt, unreadable: apply.unreadable };
      const { outcome, result } = apply;
      const { endedAt, summary, revision = null, undoes = null, planDigest } = result;
      return { file, environment, startedAt, endedAt, outcome, summary, revision, undoes, planDigest };
    });
    io.stdout.write(json({ formatVersion: 1, applies: described }));
    return ExitCode.done;
  }
  // A file name has to stay whole, to be copied.
  const view = { ...viewOf(io.stdout, io), width: Number.POSITIVE_INFINITY };
  const { rows } = table([columns, ...applies.map(cellsOf)]);
  const target = isSelected ? ` to ${oneLine(namesInBrief(names))}` : '';
  const none = `No apply${target} was made in this checkout.\n`;
  io.stdout.write(applies.length === 0 ? none : layout(rows, view));
  return ExitCode.done;
});

const columns = ['when', 'environment', 'outcome', 'changes', 'commit', 'plan', 'result file'];

function cellsOf(apply: Awaited<ReturnType<typeof pastApplies>>[number]): string[] {
  const { file, environment, startedAt } = apply;
  const when = `${startedAt.slice(0, 19).replace('T', ' ')} UTC`;
  if (!('result' in apply)) return [when, environment, 'unreadable', '', '', '', file];
  const { outcome, result } = apply;
  const { revision = '', undoes, planDigest } = result;
  const counts = outcomeCounts([result]).filter(({ count }) => count > 0);
  const what = joinParts([countWords(counts), undoes && `undoes the apply of ${undoes.startedAt}`], ', ');
  return [when, environment, outcome, what, shortCommit(revision), planDigest.slice(0, 15), file];
}
