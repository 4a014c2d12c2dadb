import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { startEmbedded } from '../engine/tenant.ts';
import { ExitCode, failure } from '../model/failure.ts';
import { FaultSyntaxError, parseFault } from '../sandbox/index.ts';
import { type ArgsOf, commonOptions, defineCommand, lastPort, wholeNumber } from './command.ts';
import type { Io } from './io.ts';

function build(yargs: Argv) {
  return commonOptions(yargs)
    .usage('$0 sandbox [options]\n\nServes the embedded tenant on the loopback address until Ctrl-C.')
    .option('port', { type: 'number', default: 0, describe: 'Port; 0 takes a free one', requiresArg: true })
    .check(wholeNumber('port', lastPort))
    .option('seed', { type: 'string', describe: 'YAML file the tenant starts from', requiresArg: true })
    .option('data', { type: 'string', describe: 'JSON file that keeps the tenant', requiresArg: true })
    .option('latency', {
      type: 'number',
      default: 0,
      describe: 'Milliseconds added to every answer',
      requiresArg: true,
    })
    .check(wholeNumber('latency'))
    .option('fault', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'A fault to inject, such as status=503,method=POST,times=2',
      requiresArg: true,
    })
    .example('$0 sandbox --seed sandbox.seed.yaml --port 8787', 'A tenant to try things on');
}

type Args = ArgsOf<typeof build>;

async function run(args: Args, io: Io): Promise<ExitCode> {
  const file = (name: string | undefined) => (name === undefined ? null : resolve(io.cwd, name));
  const sandbox = await startEmbedded({
    port: args.port,
    seed: file(args.seed),
    data: file(args.data),
    latency: args.latency,
    faults: args.fault.map(faultFrom),
  });
  // The tenant is made up and so are its credentials: whoever starts it needs them.
  const { url, clientId, clientSecret } = sandbox;
  io.stdout.write(`${JSON.stringify({ url, clientId, clientSecret })}\n`);
  io.stderr.write(`The embedded tenant listens on ${url}. Ctrl-C ends it.\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await sandbox.close();
  return ExitCode.done;
}

function faultFrom(text: string) {
  try {
    return parseFault(text);
  } catch (error) {
    if (error instanceof FaultSyntaxError) throw failure('fault-syntax', error.message);
    throw error;
  }
}

export const command = defineCommand(build, run);
