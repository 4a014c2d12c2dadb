import type { Commands } from './command.ts';

/** Every command of the program, in the order of the help. */
export const commands: Commands = {
  init: { positionals: '[dir]', describe: 'Start a project', load: () => import('./init.ts') },
  validate: {
    describe: 'Check the manifests without the tenant',
    load: () => import('./validate.ts'),
  },
  plan: {
    describe: 'Show what an apply would change',
    connects: true,
    load: () => import('./plan.ts'),
  },
  apply: {
    positionals: '[planfile]',
    describe: 'Change the tenant to match the manifests',
    connects: true,
    load: () => import('./apply.ts'),
  },
  show: { positionals: '<file..>', describe: 'Show plan and result files', load: () => import('./show.ts') },
  rollback: {
    positionals: '<result>',
    describe: 'Make a plan that undoes an apply',
    connects: true,
    load: () => import('./rollback.ts'),
  },
  export: {
    describe: 'Write the live tenant as manifests',
    connects: true,
    load: () => import('./export.ts'),
  },
  diff: {
    positionals: '<first> [second]',
    describe: 'Show what differs between two tenants, or a tenant and manifests',
    connects: true,
    load: () => import('./diff.ts'),
  },
  status: {
    describe: 'Show verifications, and the DNS records to publish',
    connects: true,
    load: () => import('./status.ts'),
  },
  search: {
    positionals: '<label>',
    describe: 'Run a profile search',
    connects: true,
    load: () => import('./search.ts'),
  },
  'send-test': {
    positionals: '<address>',
    describe: 'Make the tenant send a test notification',
    connects: true,
    load: () => import('./send-test.ts'),
  },
  preview: {
    describe: 'Serve a web page of the notification templates, before and after',
    load: () => import('./preview.ts'),
  },
  sandbox: {
    describe: 'Serve the embedded tenant',
    load: () => import('./sandbox.ts'),
  },
  env: {
    positionals: '<action>',
    describe: 'List the environments and groups',
    load: () => import('./env.ts'),
  },
  kind: {
    positionals: '<action> <subject> [path]',
    describe: 'Describe kinds of your own',
    load: () => import('./kind.ts'),
  },
  explain: {
    positionals: '<code>',
    describe: 'Explain the code of a message',
    load: () => import('./explain.ts'),
  },
  schema: { positionals: '[kind]', describe: 'Print JSON Schemas', load: () => import('./schema.ts') },
  completion: {
    positionals: '[shell]',
    describe: 'Print a script for shell completion',
    load: async () => (await import('./completion.ts')).createCompletion(commands),
  },
};
