import { failure } from '../model/failure.ts';
import { type Sandbox, SandboxFileError, type SandboxOptions, startSandbox } from '../sandbox/index.ts';

/** Starts the embedded tenant. Throws a Failure for a seed or data file that cannot be used. */
export async function startEmbedded(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof SandboxFileError)) throw error;
    throw failure('sandbox-file', error.message, {
      hint: 'Correct the file; a data file that is beyond repair can be removed, and the seed is read again.',
    });
  }
}
