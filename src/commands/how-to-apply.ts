import type { ReportOptions } from '../report/index.ts';
import type { Io } from './io.ts';
import type { PlanArgs } from './options.ts';
import { selectionOf } from './project.ts';

type HowToApply = Pick<ReportOptions, 'applyWith'>;

/**
 * How to apply what `plan` has shown: from the file that it has saved, or else by the same plan made again. The file of a
 * pipeline is on another machine than the reader, who is not meant to apply what a pull request has made.
 */
export function howToApplyPlan(args: PlanArgs & { readonly out: string | undefined }, io: Io): HowToApply {
  if (args.out !== undefined && !io.env.CI) return howToApplyFile(args.out, args, io);
  return { applyWith: [...planWords(args, io), ...configWords(args, io)] };
}

/** How to apply the plan in a file. */
export function howToApplyFile(file: string, args: Pick<PlanArgs, 'config'>, io: Io): HowToApply {
  return { applyWith: [file.startsWith('-') ? `./${file}` : file, ...configWords(args, io)] };
}

/** The options that the digest of a plan depends on. */
function planWords(args: PlanArgs, io: Io): string[] {
  const { only, except, prune, since, rotate, maxDeletes, allowDeleteAll, shard } = args;
  const each = (name: string, values: readonly (string | number | undefined)[]) =>
    values.flatMap((value) => (value === undefined ? [] : [`--${name}`, String(value)]));
  return [
    ...each('env', selectionOf(args, io).selectors),
    ...each('shard', [shard]),
    ...each('only', only),
    ...each('except', except),
    ...each('rotate', rotate),
    ...(prune ? ['--prune'] : []),
    ...each('since', [since]),
    ...each('max-deletes', [maxDeletes]),
    ...each('allow-delete-all', allowDeleteAll),
  ];
}

function configWords({ config }: Pick<PlanArgs, 'config'>, { env }: Io): string[] {
  const file = config ?? (env.TENANTCTL_CONFIG || undefined);
  return file === undefined ? [] : ['--config', file];
}
