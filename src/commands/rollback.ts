import { planRollback } from '../engine/rollback.ts';
import { loadProject } from '../loader/index.ts';
import { describeCommand, guardOptions, guardOptionsOf, scopeOptions } from './command.ts';
import { checkOutput } from './output.ts';
import { howToApplyFile, outputPlan, planOutputOptions, planWithTenant } from './plan-output.ts';
import { projectOptions } from './project.ts';
import { readOneResult } from './saved.ts';

export const command = describeCommand({
  usage:
    '$0 rollback RESULT [options]\n\nMakes a plan that undoes an apply, from its result file. Changes nothing in the tenant.',
  options: (yargs) =>
    planOutputOptions(guardOptions(scopeOptions(yargs)))
      .positional('result', {
        type: 'string',
        describe:
          'The result file of an apply, for example one in .tenantctl/ENVIRONMENT/results. Of several environments, --env names one',
      })
      .demandOption('result'),
  examples: {
    '$0 rollback result.json --out back.json':
      'Save the plan for review, then run `tenantctl apply back.json`',
  },
}).run(async (args, io) => {
  checkOutput(args, 'plan', io, [args.result]);
  const result = await readOneResult(args.result, args.env, io);
  const project = loadProject(projectOptions(args, io, result.environment));
  const options = guardOptionsOf(args);
  const plan = await planWithTenant(project, args, io, (tenant) =>
    planRollback(result, project, tenant, options),
  );
  // Made again from the manifests, it would be another plan.
  const applying = args.out === undefined ? {} : howToApplyFile(args.out, args, io);
  return outputPlan({ ...plan, ...applying }, args, io);
});
