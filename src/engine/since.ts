import { withRevision } from '../loader/checkout.ts';
import { diskSource, loadProject } from '../loader/index.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { Failure } from '../model/failure.ts';
import type { Project } from '../model/project.ts';
import type { Resource } from '../model/resource.ts';

/**
 * The resources that a git revision declared, loaded with the current project file and environment. Throws the Failures
 * of `loadProject`; their sources name the revision as git does: `HEAD~1:config/a.yaml`.
 */
export function loadResourcesAt(
  { root, configFile, environment }: Project,
  revision: string,
  env: NodeJS.ProcessEnv,
): readonly Resource[] {
  return withRevision(root, revision, (folder) => {
    try {
      return loadProject({
        configFile,
        environment: environment.name,
        env,
        manifests: diskSource(folder),
      }).resources;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(
        error.diagnostics.map((each) => addRevision(each, revision)),
        error.exitCode,
      );
    }
  });
}

function addRevision(diagnostic: Diagnostic, revision: string): Diagnostic {
  const { source, message } = diagnostic;
  return {
    ...diagnostic,
    message: `At ${revision}: ${message}`,
    ...(source && { source: { ...source, file: `${revision}:${source.file}` } }),
  };
}
