import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import type { Endpoint } from '../../kinds/project.ts';
import { loadEnvironment, valuesIn } from '../../loader/index.ts';
import { Failure } from '../../model/failure.ts';
import { environmentName } from './contents.ts';

/** What a pipeline has to know of its project. */
export interface PipelineFacts {
  /** Whether there are manifests where a new project has them. */
  readonly hasManifests: boolean;
  /** The environment variables that project file and manifests use. */
  readonly names: readonly string[];
  /** Those that have no value on this machine, without `unsetSecrets`. */
  readonly unset: readonly string[];
  /** The secrets of manifests that have no value on this machine. A plan needs only those that the tenant shows. */
  readonly unsetSecrets: readonly string[];
  /** The hosts of the tenant, which alone may be called; `null` where the project file does not tell them. */
  readonly hosts: readonly string[] | null;
}

/** What the pipelines of the project in `root` have to know of it. */
export function readPipelineFacts(root: string, env: NodeJS.ProcessEnv): PipelineFacts {
  const project = namesIn(root, ['tenantctl.yaml', 'environments/*.{yaml,yml}'], 'env|secret');
  const secrets = namesIn(root, manifestGlobs, 'secret').filter((name) => !project.includes(name));
  const names = [...new Set([...project, ...namesIn(root, manifestGlobs, 'env|secret')])].sort();
  const values = valuesIn(root, { env });
  const unset = names.filter((name) => values.problem(name) !== null);
  return {
    hasManifests: filesOf(root, manifestGlobs).length > 0,
    names,
    unset: unset.filter((name) => !secrets.includes(name)),
    unsetSecrets: unset.filter((name) => secrets.includes(name)),
    hosts: readHosts(root, { ...Object.fromEntries(names.map((name) => [name, 'unset'])), ...env }),
  };
}

const manifestGlobs = ['config/**/*.{yaml,yml}'];

const filesOf = (root: string, patterns: readonly string[]) =>
  globSync(patterns, { cwd: root, expandDirectories: false }).sort();

/** The environment variables that files name with one of the tags. */
function namesIn(root: string, patterns: readonly string[], tags: 'secret' | 'env|secret'): string[] {
  const texts = filesOf(root, patterns).map((path) => readFileSync(join(root, path), 'utf8'));
  const used = new RegExp(`^[^#\\n]*?!(?:${tags}) +["']?([A-Za-z_]\\w*)`, 'gm');
  return texts.flatMap((text) => [...text.matchAll(used)].map(([, name = '']) => name));
}

/** The hosts that get requests or credentials. `null` where the environment cannot be read, or is embedded. */
function readHosts(root: string, env: NodeJS.ProcessEnv): string[] | null {
  try {
    const { connection } = loadEnvironment({
      configFile: join(root, 'tenantctl.yaml'),
      environment: environmentName,
      env,
    }).environment;
    if (connection.to === 'sandbox') return null;
    const urls = [connection.identity, connection.profiles].flatMap((endpoint) =>
      endpoint ? urlsOf(endpoint) : [],
    );
    return [...new Set(urls.map((url) => new URL(url).host))];
  } catch (error) {
    // `validate` and `plan` explain what is wrong with the project file.
    if (error instanceof Failure) return null;
    throw error;
  }
}

function urlsOf({ baseUrl, auth }: Endpoint): string[] {
  return auth.by === 'token' ? [baseUrl] : [baseUrl, auth.tokenUrl];
}
