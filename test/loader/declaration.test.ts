import { describe, expect, it } from 'vitest';
import { config, type Files, load } from './fixture.ts';

const integration = (description: string, more = '') =>
  `kind: SimIntegration\nname: Tickets\ntype: ServiceNow Service Desk\ndescription: ${description}\n${more}`;

/** The declaration of a manifest in an environment with the variable `company`. */
function declarationOf(manifest: string, company = 'Acme', more: Files = {}, environment = '') {
  const { resources } = load({
    'tenantctl.yaml': config(`    variables: { company: ${company} }\n${environment}`),
    'config/a.yaml': manifest,
    'config/text.txt': 'A text.\n',
    ...more,
  });
  const [{ declaration } = { declaration: null }] = resources;
  if (!declaration) throw new Error('The manifest declares nothing.');
  return declaration;
}

const digestOf = (...args: Parameters<typeof declarationOf>) => declarationOf(...args).digest();
const overlay = (description: string) =>
  `    overlays: [{ target: SimIntegration/*, merge: { description: ${description} } }]\n`;

describe('the digest of what a manifest declares', () => {
  it.each<[string, string, string]>([
    ['comments and layout', integration('A'), integration("'A' # text", '# end\n')],
    [
      'the order of members',
      integration('A'),
      'description: A\ntype: ServiceNow Service Desk\nname: Tickets\nkind: SimIntegration\n',
    ],
    ['where a tag stands', integration('!var company'), `# moved\n\n${integration('!var company')}`],
    [
      'an alias',
      integration('A', 'attributes: { a: x, b: x }'),
      integration('A', 'attributes: { a: &x x, b: *x }'),
    ],
  ])('does not depend on %s', (_, one, other) => {
    expect(digestOf(other)).toBe(digestOf(one));
  });

  it('is the same in environments with other variables, secrets and overlays', () => {
    const manifest = integration('!format "For %{company}"', 'attributes: { password: !secret D }');
    expect(digestOf(manifest, 'Other', {}, overlay('B'))).toBe(digestOf(manifest));
  });

  it.each<[string, string, string]>([
    ['a value', integration('A'), integration('B')],
    ['a variable instead of its value', integration('Acme'), integration('!var company')],
    [
      'the name of a secret',
      integration('A', 'attributes: { password: !secret D }'),
      integration('A', 'attributes: { password: !secret P }'),
    ],
    ['lifecycle', integration('A'), integration('A', 'lifecycle: { protect: true }')],
    ['the key', integration('A'), integration('A').replace('Tickets', 'Requests')],
    ['ensure', integration('A'), 'kind: SimIntegration\nname: Tickets\nensure: absent\n'],
  ])('depends on %s', (_, one, other) => {
    expect(digestOf(other)).not.toBe(digestOf(one));
  });

  it('depends on what a side file says, and not on its path', () => {
    const from = (file: string, text: string) =>
      digestOf(integration(`!file ${file}`), 'Acme', { [`config/${file}`]: text });
    expect(from('a.txt', 'A')).toBe(from('b.txt', 'A'));
    expect(from('a.txt', 'B')).not.toBe(from('a.txt', 'A'));
  });
});

describe('where an environment departs from what is declared', () => {
  it('names what tags and overlays decide, and nothing else', () => {
    const manifest = integration(
      'A',
      'cluster: !var company\nattributes: { a: 1, url: !format "https://%{company}/", list: [x, !var company] }\n',
    );
    expect(declarationOf(manifest).differsHere()).toEqual([
      '/cluster',
      '/attributes/url',
      '/attributes/list/1',
    ]);
    expect(declarationOf(integration('A'), 'Acme', {}, overlay('B')).differsHere()).toEqual(['/description']);
    expect(declarationOf(integration('A'), 'Acme', {}, overlay('A')).differsHere()).toEqual([]);
    expect(declarationOf(integration('!file text.txt')).differsHere()).toEqual([]);
  });
});

it('a manifest cannot write a note of a tag itself', () => {
  const manifest = integration('A', 'attributes: { a: { $tag: [!!str "!var", company, 1] } }');
  expect(() => declarationOf(manifest)).toThrow('The key `$tag` is reserved for tenantctl.');
});
