import { withRevision } from '../loader/checkout.ts';
import { diskSource, loadProject } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';

/**
 * The resources as a git revision declared them, under today's project file and environment. Throws a Failure like
 * `loadProject`; its places name the revision, as git does: `HEAD~1:config/a.yaml`.
 */
export function resourcesAt(
  { root, configFile, environment }: Project,
  revision: string,
  env: NodeJS.ProcessEnv,
): readonly Resource[] {
  return withRevision(root, revision, (folder) => {
    try {
      // What a revision declared is compared and never sent: its secrets need not be set any more.
      return loadProject({
        configFile,
        environment: environment.name,
        env,
        manifests: diskSource(folder),
        needsSecrets: false,
      }).resources;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(
        error.diagnostics.map((each) => atRevision(each, revision)),
        error.exitCode,
      );
    }
  });
}

function atRevision(diagnostic: Diagnostic, revision: string): Diagnostic {
  const { source, message } = diagnostic;
  return {
    ...diagnostic,
    message: `At ${revision}: ${message}`,
    ...(source && { source: { ...source, file: `${revision}:${source.file}` } }),
  };
}
