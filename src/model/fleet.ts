import type { Fleet } from '../generated/schemas/fleet.ts';
import { groupBy } from './basics.ts';
import type { Diagnostic } from './diagnostic.ts';
import { sha256 } from './digest.ts';
import { ExitCode } from './failure.ts';
import { hasChanges, isRefused, type Summary } from './plan.ts';
import { exitCodeOf } from './result.ts';

export type { Fleet } from '../generated/schemas/fleet.ts';

export const fleetFormat = 1;

export type FleetMember = Fleet['environments'][number];

export const notRun: NonNullable<FleetMember['error']> = {
  exitCode: ExitCode.interrupted,
  diagnostics: [
    {
      code: 'not-run',
      severity: 'error',
      message: 'The command was interrupted before it got here, so nothing was written there.',
      hint: 'Run the same command again. What is already done is not done again.',
    },
  ],
};

/** Sorts environments by name: parts that are joined again give the same fleet. */
export function fleetOf(members: readonly FleetMember[]): Fleet {
  const environments = members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const plans = environments.flatMap(({ plan }) => plan ?? []);
  const sum = (name: keyof Summary) => plans.reduce((total, { summary }) => total + (summary[name] ?? 0), 0);
  return {
    formatVersion: fleetFormat,
    digest: fleetDigest(environments),
    summary: {
      environments: environments.length,
      failed: environments.filter(isFailed).length,
      create: sum('create'),
      update: sum('update'),
      delete: sum('delete'),
      manual: sum('manual'),
      unchanged: sum('unchanged'),
      undeclared: sum('undeclared'),
    },
    environments,
  };
}

/** Covers the environments and the plan of each, as an approval of the fleet does. */
export function fleetDigest(environments: readonly Pick<FleetMember, 'name' | 'plan'>[]): string {
  return sha256(environments.map(({ name, plan }) => [name, plan?.digest ?? null]));
}

/** True when an environment was not planned, or not applied as a whole. */
export function isFailed({ plan, result, error }: FleetMember): boolean {
  if (error !== null) return true;
  return result ? exitCodeOf(result) !== ExitCode.done : plan !== null && isRefused(plan);
}

/** The worst first: the exit code of several runs is the first that one of them has. */
const worst = [
  ExitCode.interrupted,
  ExitCode.incomplete,
  ExitCode.refused,
  ExitCode.couldNotRun,
  ExitCode.changes,
  ExitCode.done,
] as const satisfies readonly ExitCode[];

export function worstExitCode<Code extends ExitCode>(codes: readonly Code[]): Code | typeof ExitCode.done {
  const [first] = codes.toSorted((a, b) => worst.indexOf(a) - worst.indexOf(b));
  return first ?? ExitCode.done;
}

/**
 * If one environment was changed and another could not run, the apply is incomplete, although the code of the latter says that
 * nothing was written. With `detailed` (`--detailed-exitcode`), planned changes count.
 */
export function exitCodeOfFleet({ environments }: Fleet, detailed: boolean): ExitCode {
  const hasWritten = environments.some(({ result }) => result && result.summary.done > 0);
  return worstExitCode(
    environments.map(({ plan, result, error }) => {
      if (error?.exitCode === ExitCode.couldNotRun && hasWritten) return ExitCode.incomplete;
      if (error) return error.exitCode;
      if (result) return exitCodeOf(result);
      if (plan && isRefused(plan)) return ExitCode.refused;
      return detailed && plan && hasChanges(plan) ? ExitCode.changes : ExitCode.done;
    }),
  );
}

/** Joins the remarks on several environments, each once. `wordsFor` names the owners of one that not all share. */
export function shareDiagnostics(
  all: readonly { readonly name: string; readonly diagnostics: readonly Diagnostic[] }[],
  wordsFor: (names: readonly string[]) => string,
): Diagnostic[] {
  const said = all.flatMap(({ name, diagnostics }) =>
    diagnostics.map((diagnostic) => ({ name, diagnostic })),
  );
  return groupBy(said, ({ diagnostic }) => JSON.stringify(diagnostic)).map(([, same]) => {
    const [{ diagnostic }] = same;
    const names = new Set(same.map(({ name }) => name));
    if (names.size === all.length) return diagnostic;
    const message = diagnostic.message.replace(/[.]$/, '');
    return { ...diagnostic, message: `${message} (only in ${wordsFor([...names])}).` };
  });
}
