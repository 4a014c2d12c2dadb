import { join } from 'node:path';
import { type Detected, type Survey, surveyTenant } from '../../engine/detect.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ProjectEnvironment } from '../../kinds/project.ts';
import { loadEnvironment, loadUnwritten, valuesIn } from '../../loader/index.ts';
import { Failure } from '../../model/failure.ts';
import { isObject, type Json } from '../../model/json.ts';
import { oneLine, printable } from '../../report/safe.ts';
import { type Io, printNote } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { createProgress } from '../progress.ts';
import type { NewTenant } from './choices.ts';
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
  const text = projectText({ tenants: [tenant], from: 'export', pipelines: 'none' });
  try {
    const project = loadUnwritten(text, { ...options, configFile, environment: tenant.name });
    return await survey(project, io);
  } catch (error) {
    throw error instanceof Failure ? withoutPlaces(error) : error;
  }
}

async function survey(project: ProjectEnvironment, io: Io): Promise<Survey> {
  const progress = createProgress(io, verbosity);
  try {
    const { signal, redactor } = io;
    return await surveyTenant(project, { signal, redactor, onEvent: progress.onEvent });
  } finally {
    progress.end();
  }
}

/**
 * Reads the tenant of an existing project, where its credentials are set, and says on stderr which settings the project
 * file lacks. The file belongs to somebody, so it is not changed.
 */
export async function printMissingSettings(root: string, io: Io): Promise<void> {
  const configFile = join(root, 'tenantctl.yaml');
  try {
    const project = loadEnvironment({ configFile, env: io.env, onSecret: (text) => io.redactor.learn(text) });
    const { connection, name } = project.environment;
    if (connection.to === 'sandbox') return;
    const { detected } = await survey(project, io);
    for (const setting of detected)
      printNote(
        oneLine(`Add to the environment ${name} in tenantctl.yaml: ${describeSetting(setting)}.`),
        io,
      );
  } catch (error) {
    if (!(error instanceof Failure) || io.signal.aborted) throw error;
    // `plan` explains what is wrong with the project file or the tenant.
  }
}

/** Nobody has seen the project file yet that the places are in. */
function withoutPlaces({ diagnostics, exitCode }: Failure): Failure {
  const placeless = diagnostics.map(({ source: _, excerpt: __, ...rest }) => rest);
  return new Failure(placeless, exitCode);
}

export function printProblems({ diagnostics }: Failure, io: Io): void {
  printDiagnostics(diagnostics, verbosity, io);
}

/** Says on stderr what was found, what was detected, and what the export will leave out. */
export function printSurvey({ found, left, detected }: Survey, { identity }: NewTenant, io: Io): void {
  const counts = found.map(({ kind, count }) => `${count} ${nameOf(kind, count)}`);
  const lines = [
    `Signed in to ${identity}. Found: ${counts.join(', ')}.`,
    ...detected.map((setting) => `Detected: ${describeSetting(setting)}.`),
    ...left.map(({ problem }) => problem.message),
  ];
  io.stderr.write(`${lines.map((line) => printable(oneLine(line))).join('\n')}\n`);
}

/** A setting and why it is needed. */
const describeSetting = ({ service, name, value, because }: Detected): string =>
  `${service}.${name}: ${inBrief(value)}, since ${because}`;

/** A value as the project file has it. Of a map, only the first member and the number of all. */
function inBrief(value: Json): string {
  if (!isObject(value)) return String(value);
  const members = Object.entries(value);
  const first = members.slice(0, 1).map(([name, text]) => `${name}: ${String(text)}`);
  return members.length > 1 ? `{ ${first}, … } (${members.length} members)` : `{ ${first} }`;
}

/** `sender addresses` for SenderAddress. */
function nameOf({ name }: Kind, count: number): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  if (count === 1) return words;
  return /(?:s|ch)$/.test(words) ? `${words}es` : `${words}s`;
}
