// The main job on the embedded tenant: validate, plan, apply, plan again, and drift. It works on a copy, so it
// can be repeated.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tenantctl-demo-'));
const env = { ...process.env, SNOW_PASSWORD: 'only-for-the-demo' };

try {
  cpSync(join(root, 'examples'), folder, { recursive: true });
  say('Check the manifests, without the tenant');
  tenantctl('validate');
  say('What would an apply change?');
  tenantctl('plan');
  say('Apply it');
  tenantctl('apply', '--yes', '--quiet');
  say('Nothing is left to do: exit code 0 even with --detailed-exitcode');
  tenantctl('plan', '--detailed-exitcode');
  say('Someone changes a subject by hand, in the tenant');
  changeByHand();
  say('The plan shows the drift: exit code 2');
  tenantctl('plan', '--detailed-exitcode');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function say(text) {
  console.log(`\n# ${text}`);
}

/** Prints a command, then runs it. */
function tenantctl(...args) {
  console.log(`$ npx --no-install tenantctl ${args.join(' ')}`);
  const { status } = spawnSync(process.execPath, [join(root, 'dist/bin/cli.cjs'), ...args], {
    cwd: folder,
    env,
    stdio: 'inherit',
  });
  const expected = args.includes('--detailed-exitcode') ? [0, 2] : [0];
  if (!expected.includes(status)) throw new Error(`The command ended with ${status}.`);
}

/** Edits the file of the embedded tenant, as a person would edit the tenant in the admin interface. */
function changeByHand() {
  const file = join(folder, '.tenantctl/sandbox.json');
  const tenant = JSON.parse(readFileSync(file, 'utf8'));
  const template = tenant.templates.find(
    ({ key, locale }) => key === 'cloud_manual_work_item_summary' && locale === 'en',
  );
  template.subject = 'You have work to do!';
  writeFileSync(file, JSON.stringify(tenant));
  console.log(
    `$ # ${template.key}/${template.medium}/${template.locale}: subject is now "${template.subject}"`,
  );
}
