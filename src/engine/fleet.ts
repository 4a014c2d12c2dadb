import { ExitCode, Failure } from '../model/failure.ts';
import { type Fleet, type FleetError, type FleetMember, fleetOf } from '../model/fleet.ts';

/** How the environments of a fleet are worked on. */
export interface FleetOptions {
  /** How many at once. */
  readonly parallel: number;
  /** Aborted: no further environment is begun. */
  readonly signal: AbortSignal;
  /** Called when an environment begins and when it has ended. */
  readonly onProgress?: (name: string, ended: FleetMember | null) => void;
}

/** What the work on one environment gives. */
export type FleetWork = Pick<FleetMember, 'plan'> & Partial<Pick<FleetMember, 'result'>>;

/**
 * Works on several environments, some at once. What stops one is recorded there, and stops no other. Rejects only with
 * what is a bug.
 *
 * @param work plans or applies one environment; throws a Failure for what stops it
 */
export async function runFleet(
  names: readonly string[],
  work: (name: string) => Promise<FleetWork>,
  { parallel, signal, onProgress = () => {} }: FleetOptions,
): Promise<Fleet> {
  const members = new Map<string, FleetMember>();
  const waiting = names.values();
  const worker = async () => {
    for (const name of waiting) {
      onProgress(name, null);
      const member = signal.aborted ? notBegun(name) : await workOn(name, work);
      members.set(name, member);
      onProgress(name, member);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, names.length) }, worker));
  return fleetOf(names.map((name) => members.get(name) ?? notBegun(name)));
}

async function workOn(name: string, work: (name: string) => Promise<FleetWork>): Promise<FleetMember> {
  try {
    return { name, ...(await work(name)), error: null };
  } catch (error) {
    return { name, plan: null, error: errorOf(error) };
  }
}

function errorOf(error: unknown): FleetError {
  if (error instanceof Failure) return { exitCode: error.exitCode, diagnostics: error.diagnostics };
  throw error;
}

function notBegun(name: string): FleetMember {
  const diagnostic = {
    code: 'interrupted',
    severity: 'error',
    message: 'Interrupted before it began.',
  } as const;
  return { name, plan: null, error: { exitCode: ExitCode.interrupted, diagnostics: [diagnostic] } };
}
