import { onTestFinished } from 'vitest';
import { isObject } from '../../src/model/json.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Started, startProgram } from './program.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** One project, and a tenant for each of its environments. */
export interface TestFleet extends Pick<World, 'dir' | 'env' | 'write' | 'read' | 'declare' | 'run'> {
  readonly names: readonly string[];
  readonly sandboxes: readonly Sandbox[];
  sandboxOf(name: string): Sandbox;
  /** Writes the project file again, with further members for some environments. */
  writeProject(more: Readonly<Record<string, object>>): void;
  /** Starts the built program. */
  start(...argv: string[]): Started;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly names: readonly string[];
  readonly sandbox?: (name: string) => SandboxOptions;
  /** Members of every environment, besides where its tenant is. */
  readonly environment?: WorldOptions['environment'];
  readonly profiles?: WorldOptions['profiles'];
  readonly env?: NodeJS.ProcessEnv;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

/** Environments are named in capitals in the names of their credentials. */
const prefixOf = (name: string) => name.toUpperCase().replaceAll('-', '_');

export async function createFleet({ names, ...options }: FleetOptions): Promise<TestFleet> {
  const sandboxes = await Promise.all(
    names.map((name) => startSandbox({ rateLimit: null, ...options.sandbox?.(name) })),
  );
  const tenants = new Map(names.flatMap((name, at) => (sandboxes[at] ? [[name, sandboxes[at]]] : [])));
  const sandboxOf = (name: string): Sandbox => {
    const found = tenants.get(name);
    if (!found) throw new Error(`There is no tenant ${name}.`);
    return found;
  };
  const credentials = [...tenants].flatMap(([name, { clientId, clientSecret }]) => [
    [`${prefixOf(name)}_ID`, clientId],
    [`${prefixOf(name)}_SECRET`, clientSecret],
  ]);
  const world = await createWorld({ env: { ...Object.fromEntries(credentials), ...options.env } });
  const writeProject = (more: Readonly<Record<string, object>> = {}) => {
    const environments = names.map((name) => {
      const { url } = sandboxOf(name);
      const auth = `{ clientId: !env ${prefixOf(name)}_ID, clientSecret: !secret ${prefixOf(name)}_SECRET }`;
      const given = options.environment?.limits;
      const limits = { settle: '0s', ...(isObject(given) ? given : {}) };
      const rest = JSON.stringify({ ...options.environment, limits, ...more[name] }).slice(1, -1);
      const profiles = JSON.stringify({ baseUrl: url, ...options.profiles });
      return `  ${name}: { identity: { baseUrl: '${url}', auth: ${auth} }, profiles: ${profiles}, ${rest} }\n`;
    });
    const groups = `groups: ${JSON.stringify(options.groups ?? {})}\n`;
    world.write('tenantctl.yaml', `version: 1\n${groups}environments:\n${environments.join('')}`);
  };
  writeProject();
  const { dir, env, write, read, declare, run } = world;
  return {
    ...{ dir, env, write, read, declare, run, names, sandboxes, sandboxOf, writeProject },
    start: (...argv) => startProgram(world, ...argv),
    async close() {
      await world.close();
      await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    },
  };
}

/** A fleet that is closed when the test ends. */
export async function createTestFleet(options: FleetOptions): Promise<TestFleet> {
  const fleet = await createFleet(options);
  onTestFinished(() => fleet.close());
  return fleet;
}
