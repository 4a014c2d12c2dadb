import { gitSource } from '../loader/git-source.ts';
import { loadProject } from '../loader/index.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';
import type { Io } from './io.ts';

/** The resources as a git revision declared them, under today's project file and environment. */
export function loadRevision(
  { root, configFile, environment }: Project,
  revision: string,
  { env }: Pick<Io, 'env'>,
): readonly Resource[] {
  const manifests = gitSource(root, revision);
  // What a revision declared is compared and never sent: its secrets need not be set any more.
  return loadProject({ configFile, environment: environment.name, env, manifests, needsSecrets: false })
    .resources;
}
