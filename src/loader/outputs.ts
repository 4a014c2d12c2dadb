import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { Failure, failure } from '../model/failure.ts';
import type { ProjectFile } from './config.ts';
import type { Documents } from './declarations.ts';
import { dotEnvName } from './dot-env.ts';
import { readEnvironment } from './environment.ts';
import { isInside, resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import type { Inputs } from './secrets.ts';
import type { FileSource } from './source.ts';

/** The files that a command will write, such as its reports: a project must not read what they would overwrite. */
export interface Outputs {
  /** The same files; reading one that will be overwritten throws a Failure. */
  guard(source: FileSource): FileSource;
  /** Throws a Failure for a file that will be overwritten, absolute or from the project's root. */
  refuse(file: string): void;
  /** Whether a file in the folder of the project would be overwritten. Only then is all read that may name it. */
  readonly overwrite: boolean;
}

/** @param paths absolute */
export function outputsOf(root: string, paths: readonly string[]): Outputs {
  const links = paths.map(resolveLinks);
  const present = [...paths, ...links].filter((path) => isInside(root, path) && existsSync(path));
  const refuse = (file: string) => {
    if (present.length === 0 || !links.includes(resolveLinks(resolve(root, file)))) return;
    const path = relative(root, resolve(root, file));
    const message = `${path} is read by the project, and the output of this command would overwrite it.`;
    throw failure('usage', message, { hint: 'Choose another file for the output.' });
  };
  const guard = (source: FileSource): FileSource => ({
    ...source,
    text(path) {
      refuse(path);
      return source.text(path);
    },
  });
  return { guard, refuse, overwrite: present.length > 0 };
}

/**
 * Throws a Failure for a file of the project that a command will overwrite, even if the command does not read it: a manifest
 * or a file that it includes, `.env`, a file of an embedded tenant, or one that an environment names.
 */
export function refuseOutputs(
  outputs: Outputs,
  project: ProjectFile,
  inputs: Inputs,
  documents: Documents,
): void {
  if (!outputs.overwrite) return;
  const problems = new Problems();
  documents(problems);
  const named = environmentReads(project, inputs, problems);
  // Whatever else is wrong is not the concern of the command.
  const found = problems.diagnostics.filter(({ code }) => code === 'usage');
  if (found.length > 0) throw new Failure(found);
  for (const file of [dotEnvName, ...project.tenantFiles(), ...named]) outputs.refuse(file);
}

/**
 * The files that the environments of a project read, with their tags resolved: those that tags name, and the seed and data
 * files of embedded tenants. Absolute or from the project's root. Problems are reported.
 */
export function environmentReads(project: ProjectFile, inputs: Inputs, problems: Problems): string[] {
  const files: string[] = [];
  const source: FileSource = {
    ...project.source,
    text(path) {
      files.push(path);
      return project.source.text(path);
    },
  };
  for (const name of project.environments) {
    const uses = { secrets: new Set<string>(), texts: [] };
    const { environment } = readEnvironment({ ...project, source }, name, { inputs, uses, problems });
    if (environment?.connection.to !== 'sandbox') continue;
    const { seed, data } = environment.connection.sandbox;
    files.push(...[seed ?? [], data ?? []].flat());
  }
  return files;
}
