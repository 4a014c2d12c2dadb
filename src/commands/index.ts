import type { CommandEntry, Commands } from './command.ts';

const command = (positionals: string, describe: string, load: CommandEntry['load']): CommandEntry => ({
  positionals,
  describe,
  load,
});

/** Every command of the program, in the groups and the order of the help. A command is a line here and a file. */
export const commandGroups = {
  Work: {
    validate: command('', 'Check the manifests without the tenant', () => import('./validate.ts')),
    plan: command('', 'Show what an apply would change', () => import('./plan.ts')),
    apply: command('[planfile]', 'Change the tenant to match the manifests', () => import('./apply.ts')),
    show: command('<file..>', 'Show plan and result files', () => import('./show.ts')),
    rollback: command('[result]', 'Make a plan that undoes an apply', () => import('./rollback.ts')),
    history: command('', 'List the applies made in this checkout', () => import('./history.ts')),
    export: command('', 'Write the live tenant as manifests', () => import('./export.ts')),
  },
  Look: {
    get: command('<address..>', 'Print live objects as manifests', () => import('./get.ts')),
    diff: command(
      '<first> [second]',
      'Show what differs between two tenants, or a tenant and manifests',
      () => import('./diff.ts'),
    ),
    status: command('', 'Show verifications, and the DNS records to publish', () => import('./status.ts')),
    search: command('<label>', 'Run a profile search', () => import('./search.ts')),
    preview: command(
      '',
      'Serve a web page of the notification templates, before and after',
      () => import('./preview.ts'),
    ),
    'send-test': command(
      '<address>',
      'Make the tenant send a test notification',
      () => import('./send-test.ts'),
    ),
    explain: command(
      '<subject>',
      'Explain the code of a message, or a kind and its fields',
      () => import('./explain.ts'),
    ),
  },
  'Set up': {
    init: command('[dir]', 'Start a project', () => import('./init.ts')),
    check: command('', 'Sign in, and report what may be read and written', () => import('./check.ts')),
    env: command('[action]', 'List the environments and groups', () => import('./env.ts')),
    kind: command('<action> [subject] [path]', 'Describe kinds of your own', () => import('./kind.ts')),
    sandbox: command('', 'Serve the embedded tenant', () => import('./sandbox.ts')),
    schema: command('[kind]', 'Print JSON Schemas', () => import('./schema.ts')),
    completion: command('[shell]', 'Print a script for shell completion', async () =>
      (await import('./completion.ts')).createCompletion(commands),
    ),
  },
} satisfies Readonly<Record<string, Commands>>;

export const commands: Commands = Object.assign({}, ...Object.values(commandGroups));
