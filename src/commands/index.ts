import type { Command } from './command.ts';

/** A command as the list of commands shows it; the rest is loaded when it is called. */
export interface CommandEntry {
  /** The name and its positional arguments, as yargs writes them. */
  readonly usage: string;
  readonly describe: string;
  load(): Promise<{ readonly command: Command }>;
}

/** Every command of the program, in the order in which help lists them. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  init: { usage: 'init [dir]', describe: 'Begin a project', load: () => import('./init.ts') },
  validate: {
    usage: 'validate',
    describe: 'Check the manifests, without the tenant',
    load: () => import('./validate.ts'),
  },
  plan: { usage: 'plan', describe: 'Show what an apply would change', load: () => import('./plan.ts') },
  apply: {
    usage: 'apply [planfile]',
    describe: 'Make the tenant equal to the manifests',
    load: () => import('./apply.ts'),
  },
  show: { usage: 'show <file>', describe: 'Show a plan or result file', load: () => import('./show.ts') },
  rollback: {
    usage: 'rollback <result>',
    describe: 'Plan to undo an apply',
    load: () => import('./rollback.ts'),
  },
  export: {
    usage: 'export',
    describe: 'Write the live tenant as manifests',
    load: () => import('./export.ts'),
  },
  status: {
    usage: 'status',
    describe: 'Show what is verified, and the DNS records to publish',
    load: () => import('./status.ts'),
  },
  search: {
    usage: 'search <label>',
    describe: 'Run a profile search',
    load: () => import('./search.ts'),
  },
  'send-test': {
    usage: 'send-test <address>',
    describe: 'Have the tenant send a test notification',
    load: () => import('./send-test.ts'),
  },
  preview: {
    usage: 'preview',
    describe: 'Serve a page of the notification templates, before and after',
    load: () => import('./preview.ts'),
  },
  sandbox: {
    usage: 'sandbox',
    describe: 'Serve the embedded tenant on loopback',
    load: () => import('./sandbox.ts'),
  },
  schema: { usage: 'schema [kind]', describe: 'Print JSON Schemas', load: () => import('./schema.ts') },
  completion: {
    usage: 'completion [shell]',
    describe: 'Print a script for shell completion',
    load: () => import('./completion.ts'),
  },
};
