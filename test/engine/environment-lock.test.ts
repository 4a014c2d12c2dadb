import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { lockEnvironment } from '../../src/engine/lock.ts';
import type { Environment } from '../../src/kinds/project.ts';
import { inputOf } from '../support/plan.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'tenantctl-lock-'));

const environment = (name: string, parts: Partial<Environment> = {}): Environment => ({
  ...inputOf({ declared: [] }).environment,
  name,
  ...parts,
});

function take(root: string, env: NodeJS.ProcessEnv, of: Environment, onWarning = vi.fn()) {
  return lockEnvironment(root, of, { env, onLost: () => {}, onWarning });
}

const refused = { exitCode: 4, diagnostics: [{ code: 'apply-in-progress' }] };

describe('the locks of an environment', () => {
  it('let two environments of a project be applied at once, and each only once', async () => {
    const [root, state] = [newFolder(), { XDG_STATE_HOME: newFolder() }];
    const first = await take(root, state, environment('eu'));
    const second = await take(root, state, environment('us'));
    await expect(take(root, state, environment('eu'))).rejects.toMatchObject(refused);
    await first.release();
    await (await take(root, state, environment('eu'))).release();
    await second.release();
  });

  it('hold for another checkout on the machine, and leave nothing behind', async () => {
    const state = newFolder();
    const [one, two] = [newFolder(), newFolder()];
    const held = await take(one, { XDG_STATE_HOME: state }, environment('eu'));
    await expect(take(two, { XDG_STATE_HOME: state }, environment('eu'))).rejects.toMatchObject(refused);
    expect(readdirSync(join(two, '.tenantctl/eu'))).toEqual([]);
    const other = { identity: 'https://other.example', profiles: '' };
    await (await take(two, { XDG_STATE_HOME: state }, environment('eu', { tenant: other }))).release();
    await held.release();
    expect(readdirSync(join(state, 'tenantctl/locks'))).toEqual([]);
    expect(readdirSync(join(one, '.tenantctl/eu'))).toEqual([]);
    expect(statSync(join(state, 'tenantctl/locks')).mode & 0o777).toBe(0o700);
  });

  it('are let go where the caller fails at a warning', async () => {
    const root = newFolder();
    const fail = vi.fn(() => {
      throw new Error('mine');
    });
    await expect(take(root, {}, environment('eu'), fail)).rejects.toThrow('mine');
    await (await take(root, {}, environment('eu'))).release();
  });

  it('say where they cannot be written', async () => {
    const root = newFolder();
    writeFileSync(join(root, '.tenantctl'), '');
    const state = { XDG_STATE_HOME: newFolder() };
    await expect(take(root, state, environment('eu'))).rejects.toMatchObject({
      exitCode: 1,
      diagnostics: [
        { code: 'unwritable-file', message: expect.stringContaining(join(root, '.tenantctl/eu')) },
      ],
    });
  });

  it('are in ~/.local/state where XDG_STATE_HOME is not set, or is no absolute path', async () => {
    for (const more of [{}, { XDG_STATE_HOME: 'relative' }]) {
      const home = newFolder();
      const held = await take(newFolder(), { HOME: home, ...more }, environment('eu'));
      expect(readdirSync(join(home, '.local/state/tenantctl/locks'))).toHaveLength(1);
      await held.release();
    }
    expect(existsSync('relative')).toBe(false);
  });

  it.each([
    ['cannot be written', () => join(newFile(), 'state')],
    ['is not known', () => ''],
  ])('are the one of the project where the folder for state %s', async (_name, state) => {
    const [root, env] = [newFolder(), { XDG_STATE_HOME: state() }];
    const onWarning = vi.fn();
    const held = await take(root, env, environment('eu'), onWarning);
    expect(onWarning).toHaveBeenCalledOnce();
    await expect(take(root, env, environment('eu'))).rejects.toMatchObject(refused);
    await held.release();
  });

  it('of embedded tenants are told apart by their data', async () => {
    const state = { XDG_STATE_HOME: newFolder() };
    const embedded = (data: string | null) =>
      environment('sandbox', { connection: { to: 'sandbox', sandbox: { seed: null, data, kinds: null } } });
    const held = await take(newFolder(), state, embedded('/one.json'));
    await (await take(newFolder(), state, embedded('/two.json'))).release();
    await (await take(newFolder(), state, embedded(null))).release();
    await expect(take(newFolder(), state, embedded('/one.json'))).rejects.toMatchObject(refused);
    await held.release();
  });
});

function newFile(): string {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  return file;
}
