import { resolve } from 'node:path';
import type { CommonArgs } from './command.ts';
import type { Io } from './io.ts';

/** Which project and environment the loader is to load. */
export function projectOptions(args: Pick<CommonArgs, 'config' | 'env'>, io: Io) {
  return {
    configFile: resolve(io.cwd, args.config),
    env: io.env,
    ...(args.env === undefined ? {} : { environment: args.env }),
  };
}
