import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxFileError } from '../../src/sandbox/index.ts';
import { type SandboxOptions, startSandbox } from '../support/sandbox.ts';
import { call } from './caller.ts';
import { fileOf, filters, kinds, namesIn, startWith } from './described.ts';

describe('where the kinds come from', () => {
  const write = (descriptor: string, name = 'Role') => {
    const folder = join(dirname(fileOf('')), 'kinds');
    mkdirSync(folder);
    writeFileSync(join(folder, `${name}.kind.yaml`), descriptor);
    return folder;
  };
  const refused = async (options: SandboxOptions, message: string) => {
    const error = await startSandbox(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxFileError);
    expect(String(error)).toContain(message);
  };
  const role = 'kind: Role\npath: /v2025/roles\nkey: name\nfields: { colour: text }\n';

  it('a folder of descriptors, before those of the seed', async () => {
    const seed = `${kinds}objects: { Role: [{ name: A, colour: red }] }`;
    const sandbox = await startWith(seed, { kinds: write(role) });
    expect((await call(sandbox, 'GET /v2025/roles')).body).toMatchObject([{ name: 'A', colour: 'red' }]);
    expect((await call(sandbox, 'POST /v2025/roles', { body: { name: 'B' } })).status).toBe(405);
  });

  it('a descriptor of a source replaces the one that is only read', async () => {
    const descriptor = 'kind: Source\npath: /v2025/sources\nkey: name\ncreate: true\n';
    const sandbox = await startWith('{}', { kinds: write(descriptor, 'Source') });
    expect((await call(sandbox, 'POST /v2025/sources', { body: { name: 'HR' } })).status).toBe(201);
  });

  it('every tenant has identities, sources and clusters', async () => {
    const identity = '[{ name: Ann, alias: a }, { name: Ben }]';
    const sandbox = await startWith(`objects: { Cluster: [{ name: va }], Identity: ${identity} }`);
    expect(namesIn((await call(sandbox, 'GET /v2025/managed-clusters')).body)).toEqual(['va']);
    expect((await call(sandbox, 'GET /v2025/sources?count=true')).headers['x-total-count']).toBe('0');
    const identities = `GET /v2025/identities${filters('alias eq "a"')}`;
    expect(namesIn((await call(sandbox, identities)).body)).toEqual(['Ann']);
    const { body } = await call(sandbox, `GET /v2025/identities${filters('alias eq "Ben"')}`);
    expect(body).toMatchObject([{ name: 'Ben', alias: 'Ben' }]);
  });

  it('a descriptor of a documented endpoint leaves it as it is documented', async () => {
    const descriptor = 'kind: Sender\npath: /v2025/verified-from-addresses\nkey: email\nupdate: put\n';
    const folder = write(descriptor, 'Sender');
    const sandbox = await startWith('senders: [{ email: a@acme.example }]', { kinds: folder });
    const { body } = await call(sandbox, 'GET /v2025/verified-from-addresses');
    expect(body).toMatchObject([{ email: 'a@acme.example' }]);
    expect((await call(sandbox, 'PUT /v2025/verified-from-addresses/x', { body: {} })).status).toBe(405);
  });

  it('the data file has the objects, also those of a kind that is no longer described', async () => {
    const data = join(dirname(fileOf('')), 'data.json');
    const first = await startWith(undefined, { data });
    await call(first, 'POST /v2025/roles', { body: { name: 'New' } });
    await first.close();
    const again = await startWith(undefined, { data });
    expect(again.state).toEqual(first.state);
    await again.close();
    writeFileSync(data, JSON.stringify({ ...again.state, kinds: [] }));
    const without = await startWith(undefined, { data });
    expect((await call(without, 'GET /v2025/roles')).status).toBe(404);
    expect(without.state.objects.Role).toHaveLength(4);
  });

  it.each([
    ['objects: { Rule: [] }', 'seed.objects has unknown fields: Rule'],
    ['objects: { Source: [{ id: s1 }] }', 'seed.objects.Source[0].name is required'],
    [`${kinds}objects: { Role: [{ name: A, labels: x }] }`, 'seed.objects.Role[0].labels must be an array'],
    ['kinds: [{ kind: Role, path: /roles, key: name, update: post }]', 'seed.kinds[0].update must be one of'],
    [
      'kinds: [{ kind: Role, path: /roles, key: name, fields: { a: txt } }]',
      'seed.kinds[0].fields.a.is must be',
    ],
  ])('the seed %s is refused', (text, message) => refused({ seed: fileOf(text) }, message));

  it('a descriptor in the folder that cannot be used is named', () =>
    refused(
      { kinds: write('kind: Role\nkey: name\n') },
      'kinds/Role.kind.yaml: descriptor.path is required',
    ));
});
