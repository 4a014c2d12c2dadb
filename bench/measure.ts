import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one process has used: CPU of all its threads and wall time in milliseconds, peak memory in MB. */
export interface Usage {
  readonly cpu: number;
  readonly wall: number;
  readonly memory: number;
}

export interface MeasureOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The executable of Node; without it, the one that measures. */
  readonly node?: string;
}

const here = import.meta.dirname;

/** Runs Node with these arguments to its end, and measures it. Throws where it does not end with 0. */
export async function measure(
  args: readonly string[],
  { cwd, env = {}, node = process.execPath }: MeasureOptions,
): Promise<Usage> {
  const file = join(cwd, 'usage.json');
  const startedAt = performance.now();
  const child = spawn(node, ['--require', join(here, 'usage.cjs'), ...args], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', BENCH_USAGE: file, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const wall = performance.now() - startedAt;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${complaints.slice(-2000)}`);
  return { ...JSON.parse(readFileSync(file, 'utf8')), wall };
}

/** The same several times. */
export async function repeat<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let count = 0; count < times; count += 1) results.push(await run());
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** What each has, one after the other. */
export async function ofEach<T>(nodes: readonly string[], run: (node: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const node of nodes) results.push(await run(node));
  return results;
}

/** The version of a Node, and whether it keeps compiled code for the next start. */
export function aboutNode(node: string): { version: string; keepsCode: boolean } {
  const script =
    "console.log(JSON.stringify([process.versions.node, 'enableCompileCache' in require('module')]))";
  const [version, keepsCode] = JSON.parse(execFileSync(node, ['-e', script], { encoding: 'utf8' }));
  return { version, keepsCode };
}
