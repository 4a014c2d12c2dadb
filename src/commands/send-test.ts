import type { Argv } from 'yargs';
import { isSuccess, mayHaveHappened } from '../client/answer.ts';
import { describeAnswer } from '../client/describe.ts';
import { readTemplateContext } from '../client/template-context.ts';
import { comparable } from '../kinds/field.ts';
import { apiRequest } from '../kinds/http.ts';
import { identityOf } from '../kinds/live.ts';
import { notificationTemplate } from '../kinds/notification-template.ts';
import { sampleContext } from '../kinds/sample-context.ts';
import { loadProject } from '../loader/index.ts';
import { type Key, parseAddress } from '../model/address.ts';
import { ExitCode } from '../model/exit.ts';
import { failure } from '../model/failure.ts';
import { canonicalJson, type JsonObject, own, sameJson, textOf } from '../model/json.ts';
import type { LiveObject } from '../model/live.ts';
import { literal, secretName } from '../model/marker.ts';
import type { Resource } from '../model/resource.ts';
import { concealed } from '../model/sensitive.ts';
import { didYouMean } from '../model/suggest.ts';
import {
  type TestAnswer,
  type TestNotification,
  testOutcome,
  testPreview,
} from '../report/test-notification.ts';
import { type ArgsOf, commonOptions, defineCommand } from './command.ts';
import { confirmed } from './confirm.ts';
import { readContextFile } from './context-file.ts';
import { hasColour, type Io, isInteractive, type Output, widthOf } from './io.ts';
import { createProgress } from './progress.ts';
import { projectOptions } from './project.ts';
import { type Tenant, withTenant } from './tenant.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage(
      '$0 send-test ADDRESS [options]\n\nHas the tenant send a test notification of a template. It goes to real people.',
    )
    .positional('address', {
      type: 'string',
      describe: 'The template: NotificationTemplate/KEY/MEDIUM/LOCALE',
    })
    .demandOption('address')
    .option('context', {
      type: 'string',
      describe: "A YAML or JSON file with the template's variables; else made from the template",
      requiresArg: true,
    })
    .option('yes', { type: 'boolean', default: false, describe: 'Do not ask' })
    .option('format', {
      choices: ['text', 'json'] as const,
      default: 'text' as const,
      describe: 'How to print what became of it',
    })
    .example('$0 send-test NotificationTemplate/welcome/EMAIL/en --context ada.yaml', 'Show, ask, send');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  if (!args.yes && !isInteractive(io)) {
    throw failure('consent-required', 'There is no terminal to ask on, so this test needs --yes.');
  }
  const given = args.context === undefined ? null : readContextFile(args.context, io);
  const { resources, ...project } = loadProject({ ...projectOptions(args, io), needsSecrets: false });
  const key = templateKey(args.address, resources);
  const progress = createProgress(io, args);
  return withTenant(project, io, progress, async (tenant) => {
    const template = await readTemplate(key, resources, tenant);
    const test = await testOf(template, given, resources, tenant);
    progress.end();
    if (!args.yes || !args.quiet) io.stderr.write(testPreview(test, view(io.stderr, args, io)));
    const wanted = args.yes || (await confirmed('Send it?', io));
    const answer = wanted ? await send(test, tenant) : null;
    progress.end();
    io.stdout.write(testOutcome(test, answer, args.format, view(io.stdout, args, io)));
    return ExitCode.done;
  });
}

function view(output: Output, args: Args, io: Io) {
  return { colour: hasColour(output, io, args), width: widthOf(output) };
}

/** The key in the address of a template. Throws a Failure for any other text. */
function templateKey(address: string, resources: readonly Resource[]): Key {
  const parsed = parseAddress(address);
  const { name, keyFields } = notificationTemplate;
  if (parsed?.kind === name && parsed.key.length === keyFields.length) return parsed.key;
  const form = `An address looks like ${name}/welcome/EMAIL/en.`;
  const hint = didYouMean(address, templateAddresses(resources)) ?? form;
  throw failure('no-template-address', `"${address}" is not the address of a template.`, { hint });
}

function templateAddresses(resources: readonly Resource[]): string[] {
  return resources.filter(({ kind }) => kind === notificationTemplate.name).map(({ address }) => address);
}

type Template = Pick<TestNotification, 'template'> & { readonly object: LiveObject };

/** The template as the tenant has it: that is what it sends. Throws a Failure where it has none. */
async function readTemplate(key: Key, resources: readonly Resource[], tenant: Tenant): Promise<Template> {
  const wanted = { kind: notificationTemplate, keys: [key], ids: [], complete: false };
  const { objects, defaults } = await tenant.readWanted([wanted]);
  const identity = identityOf(notificationTemplate, key);
  // Defaults come with their relatives: the same key in other locales and media.
  const isMeant = (object: LiveObject) => identityOf(notificationTemplate, object.key) === identity;
  const [customised, standard] = [objects.find(isMeant), defaults.find(isMeant)];
  if (customised) return { template: 'customised', object: customised };
  if (standard) return { template: 'default', object: standard };
  const name = key.join(' ');
  const near = didYouMean(`${notificationTemplate.name}/${key.join('/')}`, templateAddresses(resources));
  throw failure('unknown-template', `The tenant has no template ${name}, customised or default.`, {
    hint: near ?? 'Check key, medium and locale: `tenantctl export` shows what the tenant has.',
  });
}

const textFields = [
  'subject',
  'header',
  'body',
  'footer',
  'from',
  'replyTo',
  'slackTemplate',
  'teamsTemplate',
];

async function testOf(
  { object, template }: Template,
  given: JsonObject | null,
  resources: readonly Resource[],
  tenant: Tenant,
): Promise<TestNotification> {
  const { address, fields } = object;
  const [key = '', medium = ''] = object.key;
  const declared = resources.find((resource) => resource.address === address)?.fields ?? {};
  const shown = (name: string) =>
    secretName(own(declared, name)) === null ? textOf(fields, name) : concealed;
  return {
    address,
    key,
    medium,
    template,
    subject: shown('subject'),
    from: shown('from'),
    replyTo: shown('replyTo'),
    differing: differing(object, resources),
    context:
      given ??
      sampleContext(textsOf(fields), await readTemplateContext(tenant.client, tenant.environment.settings)),
  };
}

function textsOf(fields: JsonObject): string[] {
  return textFields.map((name) => {
    const value = own(fields, name) ?? '';
    return typeof value === 'string' ? value : canonicalJson(value);
  });
}

/** The declared fields in which the tenant's template is another. */
function differing(live: LiveObject, resources: readonly Resource[]): string[] {
  const declared = resources.find(({ address, ensure }) => address === live.address && ensure === 'present');
  return Object.entries(declared?.fields ?? {}).flatMap(([name, value]) => {
    const field = notificationTemplate.fields[name];
    if (!field || sameJson(comparable(field, value), comparable(field, own(live.fields, name)))) return [];
    return [name];
  });
}

/** Seed 001, operation rule 5. Throws a Failure with the tenant's words; exit 3 where it may have been sent. */
async function send(test: TestNotification, { client, environment }: Tenant): Promise<TestAnswer> {
  const { key, medium, address } = test;
  const { settings } = environment;
  const context = settings.jsonText === 'text' ? JSON.stringify(test.context) : literal(test.context);
  const request = apiRequest('POST', '/v2025/send-test-notification', settings, {
    body: { key, medium, context },
  });
  const sent = await client.send(request);
  if (isSuccess(sent)) return { status: sent.status, trackingId: sent.trackingId };
  if (sent.outcome === 'unsent' && sent.reason === 'interrupted') {
    throw failure('interrupted', 'Interrupted; nothing was sent.', {}, ExitCode.interrupted);
  }
  const { text, hint, trackingId } = describeAnswer(sent);
  const tracking = trackingId === null ? '' : ` (tracking id ${trackingId})`;
  if (mayHaveHappened(sent)) {
    throw failure(
      'test-unknown',
      `Whether the test notification was sent is unknown: ${text}${tracking}.`,
      { address, hint: 'Ask a recipient before you send it again.' },
      ExitCode.incomplete,
    );
  }
  const message = `The tenant did not send the test notification: ${text}${tracking}.`;
  throw failure('test-refused', message, { address, ...(hint === null ? {} : { hint }) });
}

export const command = defineCommand(build, run);
