import { execFileSync } from 'node:child_process';
import fs, {
  type FileHandle,
  lstat,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { planResult } from '../../src/applier/change-result.ts';
import { openResultFile } from '../../src/applier/result-file.ts';
import { formOfText, readResultFile } from '../../src/applier/saved-file.ts';
import type { ChangeOutcome, ChangeResult } from '../../src/model/documents.ts';
import { newFolder } from './run.ts';
import { createThing, planOf } from './things.ts';

const plan = planOf(['a', 'b', 'c', 'd'].map((name) => createThing(name)));
const now = () => '2026-01-02T03:04:05.678Z';

const resultOf = (outcome: 'done' | 'partial', changes: readonly ChangeResult[] = []) =>
  planResult(plan, { startedAt: now(), endedAt: now(), outcome, changes }, []);

const files: ReturnType<typeof openResultFile>[] = [];

function record(file: string) {
  const recorder = openResultFile(file, plan, now);
  files.push(recorder);
  return recorder;
}

afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  for (const file of files.splice(0)) await file.close();
});

const isFull = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** @param size of the values, so that a file also becomes shorter */
function result(name: string, outcome: ChangeOutcome, size = 10): ChangeResult {
  const fields = { text: 'ü'.repeat(size) };
  const nothing = { requests: [], error: null, warnings: [] };
  return { address: `Thing/${name}`, action: 'update', outcome, before: fields, after: fields, ...nothing };
}

/** A file in which a change has begun. */
async function begun(size?: number) {
  const folder = await newFolder();
  const file = join(folder, 'r.json');
  const recorder = record(file);
  await recorder.start([result('a', 'unknown', size)]);
  return { folder, file, recorder };
}

describe('the result file of a run', () => {
  it('is a sound result after each step, and says what is going on', async () => {
    const file = join(await newFolder(), 'results', 'r.json');
    const recorder = record(file);
    const shown = async () => {
      const text = await readFile(file, 'utf8');
      expect(() => JSON.parse(text)).not.toThrow();
      const { changes, summary, outcome } = readResultFile(text, file);
      expect(outcome).toBe('interrupted');
      return [changes.map((change) => `${change.address} ${change.outcome}`), summary.notAttempted];
    };
    await recorder.start([result('a', 'unknown', 5000), result('b', 'unknown', 3000)]);
    expect(await shown()).toEqual([['Thing/a unknown', 'Thing/b unknown'], 2]);
    recorder.finish(result('b', 'done'));
    await recorder.start([result('c', 'unknown', 1)]);
    expect(await shown()).toEqual([['Thing/b done', 'Thing/a unknown', 'Thing/c unknown'], 1]);
    recorder.finish(result('a', 'failed', 1));
    recorder.finish(result('c', 'done', 2000));
    await recorder.start([result('d', 'unknown', 1)]);
    expect(await shown()).toEqual([['Thing/b done', 'Thing/a failed', 'Thing/c done', 'Thing/d unknown'], 0]);
  });

  it('is replaced by the whole result, with its permissions, and leaves no other file', async () => {
    const { folder, recorder } = await begun(5000);
    const whole = resultOf('partial', [result('a', 'done', 1)]);
    await fs.chmod(recorder.file, 0o600);
    await recorder.end(whole);
    expect(JSON.parse(await readFile(recorder.file, 'utf8'))).toEqual(whole);
    expect((await stat(recorder.file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['r.json']);
  });

  it('stays whole on a disk that is full: what had begun can be rolled back', async () => {
    const file = join(await newFolder(), 'r.json');
    const recorder = record(file);
    await recorder.start([result('a', 'unknown'), result('b', 'unknown')]);
    const before = await readFile(file, 'utf8');
    const probe = await open(file, 'r');
    const handles = Object.getPrototypeOf(probe);
    await probe.close();
    const { write } = handles;
    vi.spyOn(handles, 'write').mockImplementation(function (this: FileHandle, content, offset, length, at) {
      const room = Math.max(0, Buffer.byteLength(before) + 40 - Number(at));
      if (room === 0) throw isFull();
      return write.call(this, content, offset, Math.min(Number(length), room), at);
    });
    recorder.finish(result('a', 'done', 5000));
    const started = recorder.start([result('c', 'unknown')]);
    await expect(started).rejects.toThrow(`${file} cannot be written (ENOSPC)`);
    expect((await readFile(file, 'utf8')).trimEnd()).toBe(before.trimEnd());
  });

  it('is not there where nothing began, and is removed where nothing was sent', async () => {
    const folder = await newFolder();
    const recorder = record(join(folder, 'r.json'));
    await recorder.discard();
    expect(await readdir(folder)).toEqual([]);
    await recorder.start([result('a', 'unknown')]);
    expect(await readdir(folder)).toEqual(['r.json']);
    await recorder.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it('of an earlier run stays where this one sends nothing', async () => {
    const file = join(await newFolder(), 'r.json');
    await writeFile(file, 'an earlier result');
    await record(file).discard();
    expect(await readFile(file, 'utf8')).toBe('an earlier result');
  });

  it('has the values before a change on the disk when the change may begin', async () => {
    const file = join(await newFolder(), 'r.json');
    const probe = await open(file, 'w');
    const onDisk: string[] = [];
    vi.spyOn(Object.getPrototypeOf(probe), 'datasync').mockImplementation(async () => {
      onDisk.push(await readFile(file, 'utf8'));
    });
    await probe.close();
    await record(file).start([result('a', 'unknown')]);
    expect(onDisk).toEqual([expect.stringContaining('"before":{"text":"üü')]);
  });

  it('goes into a pipe that was asked for, and leaves it there', async () => {
    const pipe = join(await newFolder(), 'pipe');
    execFileSync('sh', ['-c', `mkfifo '${pipe}'`]);
    const reader = await open(pipe, 'r+');
    onTestFinished(() => reader.close());
    const whole = resultOf('done');
    await record(pipe).end(whole);
    expect((await lstat(pipe)).isFIFO()).toBe(true);
    const { buffer, bytesRead } = await reader.read();
    expect(JSON.parse(buffer.subarray(0, bytesRead).toString())).toEqual(whole);
  });

  it('may be removed by somebody else before the run removes it', async () => {
    const { file, recorder } = await begun();
    await rm(file);
    await expect(recorder.discard()).resolves.toBeUndefined();
  });

  it('grows by nothing but what it says', async () => {
    const { file, recorder } = await begun(5000);
    const { size } = await stat(file);
    recorder.finish(result('a', 'done', 1));
    await recorder.start([]);
    expect((await stat(file)).size).toBe(size);
  });

  it('that cannot be written stops a change before it starts', async () =>
    expect(record(await newFolder()).start([result('a', 'unknown')])).rejects.toMatchObject({
      diagnostics: [{ code: 'unwritable-file' }],
    }));

  it('is written through a link, and takes no draft that somebody else has made', async () => {
    const folder = await newFolder();
    const [file, link] = [join(folder, 'r.json'), join(folder, 'link.json')];
    await writeFile(file, 'old');
    await symlink(file, link);
    await writeFile(`${file}.${process.pid}.draft`, 'not ours');
    const recorder = record(link);
    const whole = resultOf('done');
    await recorder.end(whole);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(whole);
    expect((await readdir(folder)).sort()).toEqual(['link.json', 'r.json']);
  });

  it('follows no link that stands in the place of its draft', async () => {
    const folder = await newFolder();
    const [file, other] = [join(folder, 'r.json'), join(folder, 'other.txt')];
    await writeFile(other, 'not ours');
    await symlink(other, `${file}.${process.pid}.draft`);
    const whole = resultOf('done');
    await record(file).end(whole);
    expect(await readFile(other, 'utf8')).toBe('not ours');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(whole);
  });

  it('keeps what was recorded, and how the run ended, where there is no room for the whole result', async () => {
    const { folder, file, recorder } = await begun();
    recorder.finish(result('a', 'done'));
    vi.spyOn(fs, 'writeFile').mockImplementation(async (target) => {
      await (await open(`${target}`, 'w')).close();
      throw isFull();
    });
    syncBuiltinESMExports();
    const { proven: _, ...whole } = resultOf('done', [result('a', 'done')]);
    await expect(recorder.end(whole)).rejects.toThrow(`${file} cannot be written (ENOSPC)`);
    expect(readResultFile(await readFile(file, 'utf8'), file)).toEqual(whole);
    expect(await readdir(folder)).toEqual(['r.json']);
  });

  it('is not written a second time once it is in its place', async () => {
    const { file, recorder } = await begun();
    const written = vi.spyOn(fs, 'writeFile');
    syncBuiltinESMExports();
    await recorder.end(resultOf('done'));
    expect(written.mock.calls.map(([target]) => target)).toEqual([`${file}.${process.pid}.draft`]);
  });

  it('takes the place of a file at once: nobody sees half of it', async () => {
    const { file, recorder } = await begun();
    const before = await open(file);
    const text = await before.readFile('utf8');
    await recorder.end(resultOf('done'));
    const { size } = await before.stat();
    await before.close();
    expect(size).toBe(Buffer.byteLength(text));
  });

  it('knows only changes that it saw begin', async () => {
    const { file, recorder } = await begun();
    recorder.finish(result('b', 'done'));
    recorder.finish(result('a', 'done'));
    await recorder.start([]);
    const { changes, summary } = readResultFile(await readFile(file, 'utf8'), file);
    expect(changes.map(({ address }) => address)).toEqual(['Thing/a']);
    expect(summary).toEqual({ done: 1, failed: 0, skipped: 0, notAttempted: 3, unknown: 0 });
  });

  it('is known as a result even where it was cut', async () => {
    const text = await readFile((await begun()).file, 'utf8');
    expect(formOfText(text.slice(0, text.indexOf('\n') + 5))).toBe('result');
    expect(formOfText(text.slice(0, 20))).toBeNull();
    expect(formOfText('{}')).toBeNull();
  });
});
