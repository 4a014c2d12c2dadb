import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { Failure } from '../model/failure.ts';
import type { ProjectFile } from './config.ts';
import type { Documents } from './declarations.ts';
import { dotEnvName } from './dot-env.ts';
import { readEnvironment } from './environment.ts';
import { isInside, resolveLinks } from './paths.ts';
import { Problems } from './problems.ts';
import type { Inputs } from './secrets.ts';
import { type FileSource, matchGlobs, overwriteFailure } from './source.ts';

/**
 * Throws a Failure for a file of the project that a command will write, and that it may not read before: a manifest, `.env`,
 * a file of an embedded tenant, or one that an environment is read from.
 *
 * @param writes absolute paths, and where their links lead
 */
export function refuseOutputs(project: ProjectFile, writes: readonly string[], inputs: Inputs): void {
  if (writes.length === 0) return;
  const isManifest = matchGlobs(project.manifests);
  const problems = new Problems();
  const named = overwritesIn(project, writes) ? environmentReads(project, inputs, problems) : [];
  throwOverwrites(problems);
  const files = [dotEnvName, ...project.tenantFiles(), ...named];
  const own = new Set(files.map((file) => resolveLinks(resolve(project.root, file))));
  const found = writes.find((path) => {
    const inProject = relative(project.root, path).split(sep).join('/');
    return own.has(path) || (isManifest(inProject) && existsSync(path));
  });
  if (found !== undefined) throw overwriteFailure(relative(project.root, found));
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

/**
 * Throws a Failure for a file that a manifest includes, and that a command will write, also one that reads no manifests. They are
 * read at once only where a file in the folder of the project would be overwritten.
 */
export function refuseIncluded(project: ProjectFile, writes: readonly string[], documents: Documents): void {
  if (!overwritesIn(project, writes)) return;
  const problems = new Problems();
  documents(problems);
  throwOverwrites(problems);
}

/** Only then is it worth while to read all that may name the file. */
function overwritesIn({ root }: ProjectFile, writes: readonly string[]): boolean {
  return writes.some((path) => isInside(root, path) && existsSync(path));
}

/** Throws what {@link overwriteFailure} reports. Whatever else is wrong is not the concern of the command. */
function throwOverwrites({ diagnostics }: Problems): void {
  const found = diagnostics.filter(({ code }) => code === 'usage');
  if (found.length > 0) throw new Failure(found);
}
