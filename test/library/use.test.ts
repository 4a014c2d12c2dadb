/** The library as its users see it: the built package, its types, and the code of docs/library.md. */
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tenantctl-library-'));
const examples = [
  ...readFileSync(join(root, 'docs/library.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms),
].map(([, code]) => code ?? '');

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/tenantctl'));
  cpSync(join(root, 'examples'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(code: string): Promise<string> {
  const file = join(folder, 'use.mjs');
  writeFileSync(file, code);
  const env = { ...process.env, SNOW_PASSWORD: 'only-for-the-test' };
  return (await promisify(execFile)(process.execPath, [file], { cwd: folder, env })).stdout;
}

describe('the code in docs/library.md', () => {
  it('plans and applies in some twenty lines, and then finds nothing left to do', async () => {
    const code = examples[0] ?? '';
    expect(code.split('\n').length).toBeLessThan(26);
    const first = await run(code);
    expect(first).toContain('SenderAddress/onboarding@acme.example');
    expect(first).toMatch(/^done \{ done: [1-9]/m);
    expect(await run(code)).toContain('No changes');
  });

  it('imports what exists, and starts a tenant for tests', async () => {
    expect(examples).toHaveLength(3);
    expect(await run(examples[1] ?? '')).toMatch(
      /^\d+ \d+\nDifferences between sandbox and manifests of sandbox\n/,
    );
    expect(await run(examples[2] ?? '')).toMatch(/^http:\/\/127\.0\.0\.1:\d+ sandbox-client [1-9]/);
  });
});

describe('the plan of the library', () => {
  it('is the plan of the program, by its digest', async () => {
    rmSync(join(folder, '.tenantctl'), { recursive: true, force: true });
    const digest = await run(`
      import { loadProject, openTenant, planChanges } from 'tenantctl';
      const project = loadProject({ configFile: 'tenantctl.yaml' });
      const tenant = await openTenant(project);
      console.log((await planChanges(project, tenant)).digest);
      await tenant.close();`);
    const printed = execFileSync(process.execPath, [program, 'plan', '--format', 'json'], {
      cwd: folder,
      env: { ...process.env, SNOW_PASSWORD: 'only-for-the-test' },
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toMatchObject({ digest: digest.trim() });
  });

  it('is refused for a glob that can match nothing', async () => {
    const code = await run(`
      import { loadProject, openTenant, planChanges } from 'tenantctl';
      const project = loadProject({ configFile: 'tenantctl.yaml' });
      const tenant = await openTenant(project);
      await planChanges(project, tenant, { only: ['SenderAdress/*'] })
        .catch(({ diagnostics }) => console.log(diagnostics[0].code));
      await tenant.close();`);
    expect(code.trim()).toBe('unknown-kind');
  });
});

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the types of the package', () => {
  it('need no package that is not installed with it', () => {
    const seen = new Set<string>();
    const foreign: string[] = [];
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, name = ''] of text.matchAll(
        /^(?:import|export)(?: [^'"]*? from)? ['"]([^'"]+)['"];$/gm,
      )) {
        if (name.startsWith('.')) visit(resolve(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')));
        else if (!name.startsWith('node:') && !(name in dependencies)) {
          foreign.push(`${file.slice(root.length)}: ${name}`);
        }
      }
    };
    visit(join(root, 'dist/types/index.d.ts'));
    expect(seen.size).toBeGreaterThan(20);
    expect(foreign).toEqual([]);
  });

  it('hold for strict users who check libraries too', () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { type Change, type Diagnostic, Failure, type Plan, type Project, type Result, applyPlan, createClient,
         type Diff, diffSides, differs, exitCodeOf, exportTenant, manifestSide, tenantSide, loadProject, openTenant, planChanges, readTenant, renderReport, startSandbox } from 'tenantctl';
       export async function use(): Promise<Result> {
         const project: Project = loadProject({ configFile: 'tenantctl.yaml', environment: 'sandbox' });
         const tenant = await openTenant(project, { onEvent: (event) => console.log(event.type) });
         const plan: Plan = await planChanges(project, tenant, { only: ['SenderAddress/*'] });
         const changes: readonly Change[] = plan.changes;
         // @ts-expect-error a plan holds no such thing
         plan.nothing;
         const text: string = renderReport({ is: 'plan', plan }, 'html', { colour: false, width: 80 });
         const { objects } = await readTenant(project, tenant);
         const { files } = await exportTenant(tenant);
         const diff: Diff = await diffSides([tenantSide(project, tenant), manifestSide(project)]);
         if (differs(diff)) console.log(diff.objects[0]?.address);
         await (await startSandbox()).close();
         console.log(text, objects.length, files.length, changes.length, createClient, Failure);
         const result = await applyPlan(project, tenant, plan);
         const told: readonly Diagnostic[] = result.diagnostics ?? [];
         process.exitCode = told.length + exitCodeOf(result);
         return result;
       }\n`,
    );
    const options = { strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true };
    const modern = { module: 'nodenext', target: 'es2023', lib: ['es2023'], types: ['node'] };
    const typeRoots = [join(root, 'node_modules/@types')];
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, ...modern, typeRoots }, files: ['use.ts'] }),
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const tsc = createRequire(import.meta.url)
      .resolve('typescript/package.json')
      .replace('package.json', 'bin/tsc');
    expect(existsSync(tsc)).toBe(true);
    const checked = () => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(checked()).toBe('');
  });
});
