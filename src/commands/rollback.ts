import { join } from 'node:path';
import { lastApply } from '../engine/results.ts';
import { planRollback } from '../engine/rollback.ts';
import type { ProjectEnvironment } from '../kinds/project.ts';
import { loadProject } from '../loader/index.ts';
import type { Result } from '../model/documents.ts';
import { fail } from '../model/failure.ts';
import { type ArgsOf, commonOptions, describeCommand, guardOptions, option } from './command.ts';
import { noteUse } from './files.ts';
import { type Io, printNote } from './io.ts';
import { checkOutput, stdoutName } from './output.ts';
import { howToApply, outputPlan, planOutputOptions } from './plan-output.ts';
import { projectOptions, selectorsOf } from './project.ts';
import { readResults } from './saved.ts';

export const command = describeCommand({
  usage:
    '$0 rollback [RESULT] [options]\n\nMakes a plan that undoes an apply. Takes the result file of that apply, or with --last undoes the latest apply to the environment from this checkout. Changes nothing in the tenant.',
  options: {
    ...commonOptions,
    ...guardOptions,
    ...planOutputOptions,
    result: option.argument(
      'The result file of an apply, for example one in .tenantctl/ENVIRONMENT/results. If it has several environments, --env names one',
    ),
    last: option.flag("Undo the environment's latest apply: `history` lists them"),
  },
  examples: {
    '$0 rollback --last -e production --out back.json': 'Undo what was just applied',
    '$0 rollback result.json --out back.json':
      'Save the plan for review, then run `tenantctl apply back.json`',
  },
}).run(async (args, io) => {
  if ((args.result === undefined) !== args.last)
    throw fail('usage', 'Name the result file of the apply to undo, or use --last.', {
      hint: '`tenantctl history` lists the applies with their files.',
    });
  checkOutput(args, 'plan', io);
  const named = args.result === undefined ? null : readOneResult(args.result, args, io);
  const project = loadProject(projectOptions(args, io, named?.environment));
  const result = named ?? (await findLast(project, io));
  return outputPlan(project, args, io, async (tenant) => {
    const plan = await planRollback(result, project, tenant, {
      ...args,
      maxDeletes: args.maxDeletes ?? null,
    });
    // A plan from the manifests would be a different one.
    const file = args.out === stdoutName ? undefined : args.out;
    return { plan, ...(file === undefined ? {} : howToApply(file, args, io)) };
  });
});

/** The result of the latest apply to the environment, which it names. */
async function findLast({ root, environment }: ProjectEnvironment, io: Io): Promise<Result> {
  const { file, result, outcome } = await lastApply(root, environment.name);
  noteUse(join(root, file), 'read', io);
  const { startedAt, undoes } = result;
  if (!io.quiet) printNote(`Undoes the apply of ${startedAt} (${outcome}): ${file}`, io);
  if (undoes)
    printNote(
      `That apply was a rollback itself: this plan brings back what it undid, the apply of ${undoes.startedAt}.`,
      io,
    );
  return result;
}

/** Reads the result of one environment, also from a file of several. Throws a Failure if it is unclear which of them is meant. */
function readOneResult(file: string, args: ArgsOf<typeof commonOptions>, io: Io): Result {
  const { selectors: environments } = selectorsOf(args, io);
  const results = readResults([file], io);
  // Whether a single one is for the environment of --env is checked as for any other result.
  const meant =
    environments.length === 0 || results.length === 1
      ? results
      : results.filter(({ environment }) => environments.includes(environment));
  const [first, second] = meant;
  if (first && !second) return first;
  const names = results.map(({ environment }) => environment).join(', ');
  throw fail('several-environments', `${file} holds the results of several environments: ${names}.`, {
    hint: 'Name one of them with --env.',
  });
}
