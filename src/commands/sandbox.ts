import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { startEmbedded } from '../engine/tenant.ts';
import { presetNames } from '../kinds/project.ts';
import { kindsFolderIn } from '../loader/kind-files.ts';
import { ExitCode, fail } from '../model/failure.ts';
import { FaultSyntaxError, parseFaults, parseVariations, VariationSyntaxError } from '../sandbox/index.ts';
import { commonOptions, describeCommand, option } from './command.ts';
import { projectFileOf } from './project.ts';

const none: typeof presetNames = [];

export const command = describeCommand({
  usage: '$0 sandbox [options]\n\nServes the embedded tenant on the loopback address. Stop it with Ctrl-C.',
  options: {
    ...commonOptions,
    port: { ...option.number('Port. 0: any free port'), default: 0 },
    seed: option.text('YAML file with the objects to start with'),
    data: option.text('JSON file to keep the tenant in'),
    kinds: option.text("Folder with descriptors to serve. Default: the project's kinds/"),
    latency: { ...option.number('--fault latency=MS'), hidden: true },
    lag: { ...option.number('--fault lag=MS'), hidden: true },
    fault: option.list(
      'Faults to inject, such as status=503,method=POST,times=2. latency=MS delays every response; lag=MS is the time until a write shows in reads; late=MS answers 504, and does the work later',
    ),
    preset: {
      ...option.list('Products whose hosts it imitates, as strict as they are'),
      choices: presetNames,
      default: none,
    },
    vary: option.list('Differences of the tenant from the API documents, such as jsonText=object'),
  },
  examples: {
    '$0 sandbox --seed sandbox.seed.yaml --port 8787': 'Start a tenant for trials',
    '$0 sandbox --preset sailpoint-isc --preset sailpoint-nerm': 'Imitate the hosts of two products',
    '$0 sandbox --fault late=1500,method=POST': 'Answer 504, and do the work 1.5 s later',
  },
}).run(async (args, io) => {
  const file = (name: string | undefined) => (name === undefined ? null : resolve(io.cwd, name));
  const start = async () =>
    startEmbedded({
      port: args.port,
      seed: file(args.seed),
      data: file(args.data),
      kinds: file(args.kinds) ?? kindsFolderIn(dirname(projectFileOf(args.config, io))),
      ...parseFaults([
        ...(args.latency === undefined ? [] : [`latency=${args.latency}`]),
        ...(args.lag === undefined ? [] : [`lag=${args.lag}`]),
        ...args.fault,
      ]),
      presets: args.preset,
      variations: parseVariations(args.vary),
    });
  const sandbox = await start().catch((error: unknown) => {
    if (error instanceof FaultSyntaxError) throw fail('fault-syntax', error.message);
    if (error instanceof VariationSyntaxError) throw fail('variation-syntax', error.message);
    throw error;
  });
  // The credentials are as fictitious as the tenant, and clients need them.
  const { url, clientId, clientSecret } = sandbox;
  io.stdout.write(`${JSON.stringify({ url, clientId, clientSecret })}\n`);
  io.stderr.write(`The embedded tenant listens on ${url}. Press Ctrl-C to stop it.\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await sandbox.close();
  return ExitCode.done;
});
