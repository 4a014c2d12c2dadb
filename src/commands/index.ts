import type { Commands } from './command.ts';

/** Every command of the program, in the groups and the order of the help. A command is a line here and a file. */
export const commandGroups = {
  Work: {
    validate: ['Check the manifests without the tenant', () => import('./validate.ts')],
    plan: ['Show what an apply would change', () => import('./plan.ts')],
    apply: ['Change the tenant to match the manifests', () => import('./apply.ts')],
    show: ['Show plan and result files', () => import('./show.ts')],
    rollback: ['Make a plan that undoes an apply', () => import('./rollback.ts')],
    history: ['List the applies made in this checkout', () => import('./history.ts')],
    export: ['Write the live tenant as manifests', () => import('./export.ts')],
  },
  Look: {
    get: ['Print live objects as manifests', () => import('./get.ts')],
    diff: ['Show what differs between two tenants, or a tenant and manifests', () => import('./diff.ts')],
    status: ['Show verifications, and the DNS records to publish', () => import('./status.ts')],
    search: ['Run a profile search', () => import('./search.ts')],
    preview: [
      'Serve a web page of the notification templates, before and after',
      () => import('./preview.ts'),
    ],
    'send-test': ['Make the tenant send a test notification', () => import('./send-test.ts')],
    explain: ['Explain the code of a message, or a kind and its fields', () => import('./explain.ts')],
  },
  'Set up': {
    init: ['Start a project', () => import('./init.ts')],
    check: ['Sign in, and report what may be read and written', () => import('./check.ts')],
    env: ['List the environments and groups', () => import('./env.ts')],
    kind: ['Describe kinds of your own', () => import('./kind.ts')],
    sandbox: ['Serve the embedded tenant', () => import('./sandbox.ts')],
    schema: ['Print JSON Schemas', () => import('./schema.ts')],
    completion: [
      'Print a script for shell completion',
      async () => (await import('./completion.ts')).createCompletion(commands),
    ],
  },
} satisfies Readonly<Record<string, Commands>>;

export const commands: Commands = Object.assign({}, ...Object.values(commandGroups));
