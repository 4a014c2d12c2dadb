// What runs for one change: the subject of an example's template is edited, planned and applied to the embedded tenant, by the
// program itself from its sources. V8 counts each function that is called (NODE_V8_COVERAGE). This prints the files that were
// loaded and the functions with a name that ran, told apart by file, name and place. The embedded tenant and generated files do
// not count. Types are cut out in memory, by esbuild, one file for each file.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = pathToFileURL(join(root, 'src/')).href;
const hooks = `
import { readFileSync } from 'node:fs';
import { transformSync } from ${JSON.stringify(import.meta.resolve('esbuild'))};
export async function load(url, context, next) {
  if (!url.startsWith(${JSON.stringify(src)}) || !url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(new URL(url), 'utf8'), { loader: 'ts', target: 'node20' });
  return { format: 'module', source: code, shortCircuit: true };
}`;

const folder = mkdtempSync(join(tmpdir(), 'tenantctl-way-'));
const project = join(folder, 'project');
const manifest = join(project, 'config/templates/one.yaml');
try {
  writeFileSync(join(folder, 'hooks.mjs'), hooks);
  writeFileSync(
    join(folder, 'register.mjs'),
    "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n",
  );
  declareOneTemplate();
  run(['apply', '--yes']);
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(/^subject: .*/m, 'subject: !format "%{company}: new"'),
  );
  show('plan', run(['plan', '--out', 'plan.json']));
  show('apply', run(['apply', 'plan.json']));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function declareOneTemplate() {
  const templates = 'config/templates';
  mkdirSync(join(project, templates), { recursive: true });
  for (const path of ['tenantctl.yaml', 'sandbox.seed.yaml', `${templates}/texts`]) {
    cpSync(join(root, 'examples', path), join(project, path), { recursive: true });
  }
  const [first] = readFileSync(join(root, 'examples', templates, 'work-items.yaml'), 'utf8').split('---\n');
  writeFileSync(manifest, first);
}

/** Runs the program and returns the files that it loaded and the named functions that it called. */
function run(argv) {
  const coverage = join(folder, 'coverage');
  rmSync(coverage, { recursive: true, force: true });
  const program = ['--import', pathToFileURL(join(folder, 'register.mjs')).href, join(root, 'src/cli.ts')];
  execFileSync(process.execPath, [...program, ...argv], {
    cwd: project,
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
    stdio: 'pipe',
  });
  const files = new Set();
  const functions = new Set();
  for (const script of readdirSync(coverage).flatMap((file) => parse(join(coverage, file)).result)) {
    const path = script.url.slice(src.length);
    if (!script.url.startsWith(src) || /^(sandbox|generated)\//.test(path)) continue;
    files.add(path);
    for (const { functionName, ranges } of script.functions) {
      if (functionName && ranges[0].count > 0)
        functions.add(`${path} ${functionName} ${ranges[0].startOffset}`);
    }
  }
  return { files, functions };
}

function parse(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function show(command, { files, functions }) {
  console.log(`${`${command} of one subject: files, functions`.padEnd(48)}${files.size}, ${functions.size}`);
}
