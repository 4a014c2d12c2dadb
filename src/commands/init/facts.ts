import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { loadEnvironment, valuesIn } from '../../loader/index.ts';
import { Failure } from '../../model/failure.ts';
import type { Endpoint } from '../../model/project.ts';
import { environmentName } from './contents.ts';

/** What a pipeline has to know of its project. */
export interface PipelineFacts {
  /** The environment variables that project file and manifests use. */
  readonly names: readonly string[];
  /** Those that have no value on this machine. */
  readonly unset: readonly string[];
  /** The hosts of the tenant, which alone may be called; `null` where the project file does not tell them. */
  readonly hosts: readonly string[] | null;
}

/** What the pipelines of the project in `root` have to know of it. */
export function readPipelineFacts(root: string, env: NodeJS.ProcessEnv): PipelineFacts {
  const names = namesFromEnvironment(root);
  const values = valuesIn(root, { env });
  return {
    names,
    unset: names.filter((name) => values.problem(name) !== null),
    hosts: readHosts(root, { ...Object.fromEntries(names.map((name) => [name, 'unset'])), ...env }),
  };
}

/** The environment variables that project file and manifests use, sorted. */
function namesFromEnvironment(root: string): string[] {
  const patterns = ['tenantctl.yaml', 'environments/*.{yaml,yml}', 'config/**/*.{yaml,yml}'];
  const texts = globSync(patterns, { cwd: root, expandDirectories: false })
    .sort()
    .map((path) => readFileSync(join(root, path), 'utf8'));
  const found = texts.flatMap((text) =>
    [...text.matchAll(/^[^#\n]*?!(?:env|secret) +["']?([A-Za-z_]\w*)/gm)].map(([, name = '']) => name),
  );
  return [...new Set(found)].sort();
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
