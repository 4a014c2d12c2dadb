import {
  appendFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openJournal } from '../../src/applier/journal.ts';
import { newFolder } from './run.ts';

const tenant = { identity: 'https://tenant.example', profiles: 'https://profiles.example' };
const createdAt = '2026-01-01T00:00:00.000Z';
const planWith = (digest: string) => ({ digest, tenant, createdAt, changes: [] });
const plan = planWith(`sha256:${'a'.repeat(64)}`);

/** What all handles of files inherit from. */
async function handlesIn(folder: string): Promise<FileHandle> {
  const probe = await open(join(folder, 'probe'), 'w');
  await probe.close();
  return Object.getPrototypeOf(probe);
}

const done = { type: 'result', request: 0, verdict: 'done', status: 201 } as const;

async function journalWithNotes(folder: string) {
  const journal = await openJournal(folder, plan);
  await journal.append({
    type: 'intent',
    at: 't1',
    request: 0,
    before: Object.entries({ 'Thing/a': null, 'Thing/b': 'sha256:b' }),
  });
  await journal.append({ ...done, at: 't2', changes: ['Thing/a'] });
  await journal.append({ type: 'settled', at: 't3', change: 'Thing/a', unmet: ['/text'], after: null });
  await journal.close();
  return journal.file;
}

describe('a journal', () => {
  it('that cannot be read is named', async () => {
    const folder = await newFolder();
    const { file } = await openJournal(folder, plan);
    await mkdir(file);
    await expect(openJournal(folder, plan)).rejects.toThrow(`${file} is not a regular file`);
  });

  it('remembers what was noted', async () => {
    const folder = await newFolder();
    await journalWithNotes(folder);
    const again = await openJournal(folder, plan);
    expect(again.progress('Thing/a')).toEqual({
      requests: new Map([[0, { before: null, state: 'done', at: 't2' }]]),
      settled: { type: 'settled', at: 't3', change: 'Thing/a', unmet: ['/text'], after: null },
    });
    const intended = { before: 'sha256:b', state: 'intended', at: 't1' };
    expect(again.progress('Thing/b')?.requests.get(0)).toEqual(intended);
    expect(again.progress('Thing/c')).toBeNull();
  });

  it('is on the disk before the run goes on', async () => {
    const folder = await newFolder();
    const journal = await openJournal(folder, plan);
    const onDisk: string[] = [];
    const sync = vi.spyOn(await handlesIn(folder), 'datasync').mockImplementation(async () => {
      onDisk.push(await readFile(journal.file, 'utf8'));
    });
    onTestFinished(() => sync.mockRestore());
    await journal.append({ type: 'intent', at: 't1', request: 0, before: [['Thing/a', null]] });
    expect(onDisk.at(-1)).toContain('"intent"');
    await journal.append({ ...done, at: 't2', changes: ['Thing/a'] });
    expect(onDisk.at(-1)).toContain('"result"');
    await journal.append({ type: 'settled', at: 't3', change: 'Thing/a', unmet: [], after: null });
    expect(onDisk.at(-1)).toContain('"settled"');
    await journal.close();
  });

  it.each([
    ['the first line', 0],
    ['another line', 2],
  ])(
    'on a disk that is full at %s names the file, keeps no half of a line, and goes on after it',
    async (_at, good) => {
      const folder = await newFolder();
      const journal = await openJournal(folder, plan);
      const handles = await handlesIn(folder);
      const append = handles.appendFile;
      let written = 0;
      const spy = vi.spyOn(handles, 'appendFile').mockImplementation(async function (this: FileHandle, line) {
        written += 1;
        const isFull = written === good + 1;
        await append.call(this, isFull ? `${line}`.slice(0, 20) : line);
        if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      });
      onTestFinished(() => spy.mockRestore());
      const intend = (request: number) =>
        journal.append({ type: 'intent', at: 't1', request, before: [['Thing/a', null]] });
      if (good > 0) await intend(0);
      await expect(intend(1)).rejects.toThrow(`${journal.file} cannot be written (ENOSPC)`);
      await intend(2);
      await journal.close();
      const again = await openJournal(folder, plan);
      expect([...(again.progress('Thing/a')?.requests.keys() ?? [])]).toEqual(good > 0 ? [0, 2] : [2]);
    },
  );

  it('that could not be begun can be closed', async () => {
    const folder = await newFolder();
    const journal = await openJournal(join(folder, 'file', 'x'), plan);
    await writeFile(join(folder, 'file'), '');
    await expect(
      journal.append({ type: 'intent', at: 't1', request: 0, before: [['Thing/a', null]] }),
    ).rejects.toThrow('cannot be written');
    await expect(journal.close()).resolves.toBeUndefined();
  });

  it('makes no file until there is something to note', async () => {
    const folder = await newFolder();
    const journal = await openJournal(folder, plan);
    await journal.finish('t');
    await expect(readFile(journal.file)).rejects.toThrow('ENOENT');
  });

  it('of an earlier run ends with a run that had nothing more to note', async () => {
    const folder = await newFolder();
    await journalWithNotes(folder);
    const journal = await openJournal(folder, plan);
    await journal.finish('2026-01-02T03:04:05.678Z');
    expect((await openJournal(folder, plan)).progress('Thing/a')).toBeNull();
    expect(await readdir(folder)).toEqual([expect.stringMatching(/\.done\.jsonl$/)]);
  });

  it('can be read by nobody else', async () =>
    expect((await stat(await journalWithNotes(await newFolder()))).mode & 0o077).toBe(0));

  it('drops a last line that was cut, at every length, and goes on after it', async () => {
    const folder = await newFolder();
    const file = await journalWithNotes(folder);
    const whole = await readFile(file);
    const lastLine = whole.lastIndexOf('\n', -2) + 1;
    for (let length = lastLine; length < whole.length; length++) {
      await writeFile(file, whole.subarray(0, length));
      const journal = await openJournal(folder, plan);
      expect(journal.progress('Thing/a')?.settled).toBeNull();
      await journal.append({ type: 'settled', at: 't4', change: 'Thing/a', unmet: ['/z'], after: null });
      await journal.close();
      expect((await openJournal(folder, plan)).progress('Thing/a')?.settled?.unmet).toEqual(['/z']);
    }
  });

  it('starts afresh where even the first line was cut', async () => {
    const folder = await newFolder();
    const { file } = await openJournal(folder, plan);
    await writeFile(file, '{"type":"pl');
    const journal = await openJournal(folder, plan);
    await journal.append({ type: 'settled', at: 't', change: 'Thing/a', unmet: [], after: null });
    await journal.close();
    expect((await openJournal(folder, plan)).progress('Thing/a')).not.toBeNull();
  });

  it.each([
    'not json',
    '{"type":"other","at":"t","change":"a","unmet":[],"after":null}',
    '{"type":"intent","at":"t","request":0,"before":{"a":null}}',
    '{"type":"intent","at":"t","request":0,"before":[["a",null],"b"]}',
    '{"type":"result","at":"t","request":0,"changes":["a"],"verdict":"intended","status":null}',
    '{"type":"result","at":"t","request":0,"changes":["a"],"verdict":"done","status":"201"}',
    '{"type":"settled","at":"t","change":"a","unmet":[],"after":1}',
    '{"type":"settled","change":"a","unmet":[],"after":null}',
  ])('that is damaged (%j) refuses with exit 4', async (line) => {
    const folder = await newFolder();
    const file = await journalWithNotes(folder);
    await appendFile(file, `${line}\n`);
    const damaged = { exitCode: 4, diagnostics: [{ code: 'journal-damaged' }] };
    await expect(openJournal(folder, plan)).rejects.toMatchObject(damaged);
  });

  it.each([
    { digest: plan.digest, tenant, createdAt },
    { format: 2, digest: plan.digest, tenant, createdAt },
    { format: 1, tenant, createdAt },
    { format: 1, digest: plan.digest, tenant: { identity: 'x' }, createdAt },
    { format: 1, digest: plan.digest, tenant },
  ])('that does not begin with its plan (%j) refuses', async (header) => {
    const folder = await newFolder();
    const { file } = await openJournal(folder, plan);
    await writeFile(file, `${JSON.stringify({ type: 'plan', ...header })}\n`);
    await expect(openJournal(folder, plan)).rejects.toThrow('is not a journal');
  });

  it('has of each request what was recorded last, with the object before it', async () => {
    const folder = await newFolder();
    const journal = await openJournal(folder, plan);
    const changes = ['Thing/a'];
    const intend = (request: number, before: string) =>
      journal.append({ type: 'intent', at: 't', request, before: [['Thing/a', before]] });
    await intend(0, 'x');
    await journal.append({ type: 'result', at: 't', request: 0, changes, verdict: 'refused', status: 400 });
    await intend(0, 'y');
    await journal.append({ type: 'result', at: 't', request: 0, changes, verdict: 'done', status: null });
    await intend(1, 'z');
    await journal.append({ type: 'result', at: 't', request: 1, changes, verdict: 'unclear', status: null });
    await intend(1, 'z');
    await journal.append({ type: 'result', at: 't', request: 2, changes, verdict: 'refused', status: null });
    await journal.close();
    const { requests = [] } = (await openJournal(folder, plan)).progress('Thing/a') ?? {};
    expect([...requests]).toEqual([
      [0, { before: 'y', state: 'done', at: 't' }],
      [1, { before: 'z', state: 'intended', at: 't' }],
      [2, { before: null, state: 'refused', at: 't' }],
    ]);
  });

  it('of runs that had ended before an equal plan was made is set aside by its first record', async () => {
    const folder = await newFolder();
    const first = await openJournal(folder, plan);
    await first.append({
      type: 'intent',
      at: '2026-01-01T00:00:01.000Z',
      request: 0,
      before: [['Thing/a', null]],
    });
    await first.append({
      type: 'result',
      at: '2026-01-01T00:00:02Z',
      request: 0,
      changes: ['Thing/a'],
      verdict: 'done',
      status: 201,
    });
    await first.close();
    const earlier = await readFile(first.file, 'utf8');
    const during = await openJournal(folder, { ...plan, createdAt: '2026-01-01T00:00:01.500Z' });
    expect(during.progress('Thing/a')?.requests.get(0)?.state).toBe('done');

    const later = { ...plan, createdAt: '2026-01-01T00:00:03.000Z' };
    const next = await openJournal(folder, later);
    expect(next.progress('Thing/a')).toBeNull();
    // Opening it changes nothing: a plan may only be checked.
    expect(await readFile(first.file, 'utf8')).toBe(earlier);
    await next.append({
      type: 'intent',
      at: '2026-01-01T00:00:04.000Z',
      request: 0,
      before: [['Thing/b', null]],
    });
    await next.close();
    const again = await openJournal(folder, later);
    expect(again.progress('Thing/a')).toBeNull();
    expect(again.progress('Thing/b')?.requests.get(0)?.state).toBe('intended');
    const aside = (await readdir(folder)).filter((name) => name !== basename(first.file));
    expect(aside).toEqual([expect.stringMatching(/\.jsonl$/)]);
    expect(await readFile(join(folder, aside[0] ?? ''), 'utf8')).toBe(earlier);
  });

  it('continues the same plan where the clock that it was made by is ahead of the one of its runs', async () => {
    const folder = await newFolder();
    const ahead = { ...plan, createdAt: '2026-01-01T01:00:00.000Z' };
    const first = await openJournal(folder, ahead);
    await first.append({
      type: 'intent',
      at: '2026-01-01T00:00:01.000Z',
      request: 0,
      before: [['Thing/a', null]],
    });
    await first.close();
    expect((await openJournal(folder, ahead)).progress('Thing/a')?.requests.get(0)?.state).toBe('intended');
  });

  it('of another plan refuses', async () => {
    const folder = await newFolder();
    const file = await journalWithNotes(folder);
    const other = planWith(`sha256:${'b'.repeat(64)}`);
    await writeFile((await openJournal(folder, other)).file, await readFile(file));
    await expect(openJournal(folder, other)).rejects.toThrow('another plan');
  });

  it('stays in its folder whatever the digest says', async () => {
    const folder = await newFolder();
    // The last one has the length of a digest.
    for (const name of ['../../etc/passwd', `${'../'.repeat(21)}x`]) {
      const { file } = await openJournal(folder, planWith(`sha256:${name}`));
      expect(basename(file)).toMatch(/^[0-9a-f]{64}\.jsonl$/);
      expect(dirname(file)).toBe(folder);
    }
  });

  it('has the digest of its plan as its name', async () => {
    const { file } = await openJournal(await newFolder(), plan);
    expect(basename(file)).toBe(`${'a'.repeat(64)}.jsonl`);
  });

  it('keeps notes whole when many are made at once', async () => {
    const folder = await newFolder();
    const journal = await openJournal(folder, plan);
    const names = Array.from({ length: 50 }, (_, at) => `Thing/${at}`);
    await Promise.all(
      names.map((name) =>
        journal.append({ type: 'settled', at: 't', change: name, unmet: [name], after: null }),
      ),
    );
    await journal.close();
    const again = await openJournal(folder, plan);
    expect(names.every((name) => again.progress(name)?.settled?.unmet[0] === name)).toBe(true);
  });

  it('writes notes together that are made while others are written', async () => {
    const folder = await newFolder();
    const sync = vi.spyOn(await handlesIn(folder), 'datasync');
    onTestFinished(() => sync.mockRestore());
    const journal = await openJournal(folder, plan);
    const names = Array.from({ length: 1000 }, (_, at) => `Thing/${at}`);
    await journal.append({ type: 'settled', at: 't', change: 'Thing/first', unmet: [], after: null });
    const before = sync.mock.calls.length;
    await Promise.all(
      names.map((name) =>
        journal.append({ type: 'settled', at: 't', change: name, unmet: [name], after: null }),
      ),
    );
    expect(sync.mock.calls.length - before).toBeLessThanOrEqual(2);
    await journal.close();
  });
});
