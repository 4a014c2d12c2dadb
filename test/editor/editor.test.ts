/** What an editor with the YAML language server shows in a project that `init` wrote, with the settings it wrote. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { filesBelow, runProgram } from '../support/world.ts';
import { type Editor, openEditor } from './language-server.ts';

const dir = mkdtempSync(join(tmpdir(), 'tenantctl-editor-'));
let editor: Editor;
beforeAll(async () => {
  await runProgram(['init'], { cwd: dir });
  const settings = JSON.parse(readFileSync(join(dir, '.vscode/settings.json'), 'utf8'));
  // The catalogue of schemas is on the network.
  editor = await openEditor(dir, { ...settings, 'yaml.schemaStore': { enable: false } });
});
afterAll(async () => {
  await editor.close();
  rmSync(dir, { recursive: true, force: true });
});

let opened = 0;
const newFile = () => {
  opened += 1;
  return `config/new-${opened}.yaml`;
};
const problems = (text: string) => editor.problems(newFile(), text);
const completions = (text: string) => editor.completions(newFile(), text);
const template = 'kind: NotificationTemplate\nkey: welcome\nmedium: EMAIL\nlocale: en\n';

describe('no problem is shown', () => {
  it('in any file of the examples, tags and all', async () => {
    const files = [...filesBelow(dir)].filter(
      ([path]) => path.startsWith('config/') && path.endsWith('.yaml'),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const [path, text] of files) {
      expect({ path, problems: await editor.problems(path, text) }).toEqual({ path, problems: [] });
    }
  });

  it('in the project file', async () => {
    expect(
      await editor.problems('tenantctl.yaml', readFileSync(join(dir, 'tenantctl.yaml'), 'utf8')),
    ).toEqual([]);
  });

  it.each([
    ['a name in the place of a list', 'kind: SimIntegration\nname: a\nsources: !var ticketSources\n'],
    ['a name in the place of true or false', 'kind: AuthProfile\nname: a\noffNetwork: !var offNetwork\n'],
    ['a name in the place of an address', 'kind: SenderAddress\nemail: !env SENDER\n'],
    [
      'a text with variables in the place of an address',
      'kind: SenderAddress\nemail: !format "no-reply@%{domain}"\n',
    ],
    ['a file in the place of a text', `${template}body: !file texts/welcome.html\n`],
    [
      'a record in the place of a text',
      'kind: SimIntegration\nname: a\ncluster: !lookup { from: x, where: { a: b }, take: id }\n',
    ],
    [
      'a reference in the place of a mapping',
      'kind: SimIntegration\nname: a\nbeforeProvisioningRule: !ref ConnectorRule/Expand groups\n',
    ],
    [
      'references in the places of ids',
      'kind: SimIntegration\nname: a\nsources: [!ref Source/HR]\nbeforeProvisioningRule: { id: !ref ConnectorRule/a }\n',
    ],
    [
      'a secret inside of settings',
      'kind: SimIntegration\nname: a\nattributes: { password: !secret PASSWORD }\n',
    ],
  ])('for %s', async (_what, text) => {
    expect(await problems(text)).toEqual([]);
  });
});

describe('a file with one environment', () => {
  const environment =
    'identity:\n  baseUrl: https://acme.api.example.com\n  auth: { token: !secret TOKEN }\n';

  it.each(['environments/one.yaml', 'environments/two.yml'])('%s is checked as one', async (path) => {
    expect(await editor.problems(path, environment)).toEqual([]);
    const [problem] = await editor.problems(`${path.slice(0, -5)}-x.yaml`, `${environment}limts: {}\n`);
    expect(problem).toContain('Property limts is not allowed');
  });
});

describe('a problem is shown', () => {
  it.each([
    [
      'a field that the kind has not',
      'kind: SenderAddress\nemail: a@b.example\nemial: x\n',
      '2: Property emial is not allowed.',
    ],
    [
      'a value out of a list',
      template.replace('EMAIL', 'FAX'),
      '2: Value is not accepted. Valid values: "EMAIL", "SLACK", "TEAMS".',
    ],
    ['a kind that does not exist', 'kind: SendrAddress\n', '0: Value is not accepted.'],
    ['a wrong type', 'kind: AuthProfile\nname: a\noffNetwork: 3\n', '2: Incorrect type.'],
    [
      'text in the place of a reference',
      'kind: SimIntegration\nname: a\nbeforeProvisioningRule: Expand groups\n',
      '2: Incorrect type.',
    ],
    ['a missing key', 'kind: VerifiedDomain\n', '0: Missing property "domain".'],
    [
      'a wrong member of a tag',
      'kind: SimIntegration\nname: a\ncluster: !lookup { from: x, wher: { a: b }, take: id }\n',
      '2: Property wher is not allowed.',
    ],
    [
      'a wrong member deep inside',
      'kind: SenderAddress\nemail: a@b.example\nlifecycle: { protected: true }\n',
      '2: Property protected is not allowed.',
    ],
    ['a tag that does not exist', 'kind: SenderAddress\nemail: !vra sender\n', '1: Unresolved tag: !vra'],
  ])('for %s', async (_what, text, expected) => {
    const found = await problems(text);
    expect(
      found.some((problem) => problem.startsWith(expected)),
      JSON.stringify(found),
    ).toBe(true);
  });

  it('for a setting that the project file has not', async () => {
    expect(await editor.problems('other/tenantctl.yaml', 'version: 1\nenviroments: {}\n')).toContain(
      '1: Property enviroments is not allowed.',
    );
  });
});

describe('the editor offers', () => {
  it('every kind', async () => {
    expect(await completions('kind: |')).toEqual(
      expect.arrayContaining(builtInKinds.all.map(({ name }) => name)),
    );
  });

  it.each(builtInKinds.all.map((kind) => [kind.name, kind] as const))(
    'the fields of %s',
    async (name, { fields, keyFields }) => {
      const found = await completions(`kind: ${name}\n|`);
      const wanted = [...Object.keys(fields), ...keyFields.map((field) => field.name)];
      expect(found).toEqual(expect.arrayContaining(wanted));
      expect(found).not.toContain(name === 'MailFrom' ? 'email' : 'mailFromDomain');
    },
  );

  it('the values of a list, the members of a rule and of a lookup, and the tags', async () => {
    expect(await completions('kind: NotificationTemplate\nmedium: |')).toEqual(
      expect.arrayContaining(['EMAIL', 'SLACK', 'TEAMS']),
    );
    const rule = 'kind: ProfileSearch\nlabel: a\nrules:\n  - type: ';
    expect(await completions(`${rule}|`)).toContain('ProfileAttributeRule');
    expect(await completions(`${rule}ProfileTypeRule\n    value: !lookup\n      from: x\n      |`)).toEqual(
      expect.arrayContaining(['where', 'take']),
    );
    expect(await completions(`${template}replyTo: |`)).toEqual(expect.arrayContaining(['!var', '!lookup']));
  });

  it('what a field means', async () => {
    expect(await editor.hover(newFile(), `${template}rep|lyTo: x\n`)).toContain('The address for replies.');
  });
});
