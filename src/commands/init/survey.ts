import { join } from 'node:path';
import { type Survey, surveyTenant } from '../../engine/detect.ts';
import type { Kind } from '../../kinds/kind.ts';
import { loadUnwritten, valuesIn } from '../../loader/index.ts';
import { Failure } from '../../model/failure.ts';
import { oneLine, printable } from '../../report/safe.ts';
import type { Io } from '../io.ts';
import { printRemarks } from '../output.ts';
import { createProgress } from '../progress.ts';
import type { NewTenant } from './choices.ts';
import { environmentName } from './contents.ts';
import { projectText } from './files.ts';

/** What a tenant is read with before its project exists. */
interface Reading {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly io: Io;
}

/** How much `init` prints, which has no options for it. */
export const verbosity = { quiet: false, verbose: false, color: true, progress: true };

/**
 * Reads the tenant of a new project. `null` where its credentials are not set. Throws a Failure where they or an address
 * are wrong, with what the tenant said.
 */
export async function surveyWith(tenant: NewTenant, { root, env, io }: Reading): Promise<Survey | null> {
  const options = { env, onSecret: (text: string) => io.redactor.learn(text) };
  const values = valuesIn(root, options);
  if ([tenant.clientId, tenant.clientSecret].some((name) => values.problem(name) !== null)) return null;
  const configFile = join(root, 'tenantctl.yaml');
  const text = projectText({ tenant, from: 'export', pipelines: 'none' }, []);
  const progress = createProgress(io, verbosity);
  try {
    const project = loadUnwritten(text, { ...options, configFile, environment: environmentName });
    return await surveyTenant(project, {
      signal: io.signal,
      onEvent: progress.onClient,
      redactor: io.redactor,
    });
  } catch (error) {
    throw error instanceof Failure ? withoutPlaces(error) : error;
  } finally {
    progress.end();
  }
}

/** Nobody has seen the project file yet that the places are in. */
function withoutPlaces({ diagnostics, exitCode }: Failure): Failure {
  const placeless = diagnostics.map(({ source: _, excerpt: __, ...rest }) => rest);
  return new Failure(placeless, exitCode);
}

export function printProblems({ diagnostics }: Failure, io: Io): void {
  printRemarks({ is: 'diagnostics', diagnostics }, verbosity, io);
}

/** Says on stderr what was found, what was detected, and what the export will leave out. */
export function printSurvey({ found, left, detected }: Survey, { identity }: NewTenant, io: Io): void {
  const counts = found.map(({ kind, count }) => `${count} ${nameOf(kind, count)}`);
  const lines = [
    `Signed in to ${identity}. Found: ${counts.join(', ')}.`,
    ...detected.map(
      ({ service, name, value, because }) => `Detected: ${service}.${name}: ${value}, since ${because}.`,
    ),
    ...left.map(({ problem }) => problem.message),
  ];
  io.stderr.write(`${lines.map((line) => printable(oneLine(line))).join('\n')}\n`);
}

/** `sender addresses` for SenderAddress. */
function nameOf({ name }: Kind, count: number): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  if (count === 1) return words;
  return /(?:s|ch)$/.test(words) ? `${words}es` : `${words}s`;
}
