import type { Json } from '../../src/model/json.ts';
import { createWorld, type Ran, runProgram, type World, type WorldOptions } from './world.ts';

/** One project with two environments, `test` and `production`, each with a tenant of its own. */
export interface TwoTenants {
  /** The project is in the folder of this one. */
  readonly test: World;
  readonly production: World;
  readonly env: NodeJS.ProcessEnv;
  /** Writes the project file, with further members of the environments. */
  writeProject(more?: { readonly test?: object; readonly production?: object }): void;
  run(...argv: string[]): Promise<Ran>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function createTwoTenants(
  options: { readonly test?: WorldOptions; readonly production?: WorldOptions } = {},
): Promise<TwoTenants> {
  const [test, production] = await Promise.all([createWorld(options.test), createWorld(options.production)]);
  const env: NodeJS.ProcessEnv = {
    TEST_SECRET: test.sandbox.clientSecret,
    PRODUCTION_SECRET: production.sandbox.clientSecret,
    ...options.test?.env,
  };
  const environment = (
    name: string,
    { sandbox }: World,
    identity: WorldOptions['identity'],
    more: object,
  ) => {
    const auth = `{ clientId: ${JSON.stringify(sandbox.clientId)}, clientSecret: !secret ${name.toUpperCase()}_SECRET }`;
    const settings = JSON.stringify(identity ?? {}).slice(1, -1);
    const members = JSON.stringify({ limits: { settle: '0s' }, ...more } satisfies Record<
      string,
      Json | object
    >);
    return `  ${name}: { identity: { baseUrl: "${sandbox.url}", auth: ${auth}, ${settings} }, profiles: { baseUrl: "${sandbox.url}" }, ${members.slice(1)}\n`;
  };
  const close = async () => {
    await Promise.all([test.close(), production.close()]);
  };
  const two: TwoTenants = {
    test,
    production,
    env,
    writeProject({ test: first = {}, production: second = {} } = {}) {
      const environments = [
        environment('test', test, options.test?.identity, first),
        environment('production', production, options.production?.identity, second),
      ];
      test.write('tenantctl.yaml', `version: 1\nenvironments:\n${environments.join('')}`);
    },
    run: (...argv) => runProgram(argv, { cwd: test.dir, env }),
    close,
    [Symbol.asyncDispose]: close,
  };
  two.writeProject();
  return two;
}
