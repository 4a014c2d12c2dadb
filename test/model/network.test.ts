import { expect, it } from 'vitest';
import { isAllowed, parseAllowedHost } from '../../src/model/network.ts';

it.each<[string, string, boolean]>([
  ['acme.example', 'https://acme.example/v2025', true],
  ['ACME.Example', 'https://acme.example', true],
  ['acme.example.', 'https://acme.example', true],
  ['acme.example', 'https://ACME.example.', true],
  ['acme.example', 'https://acme.example:443', true],
  ['acme.example:443', 'https://acme.example', true],
  ['acme.example:0443', 'https://acme.example', true],
  ['acme.example', 'https://acme.example:8443', false],
  ['acme.example:8443', 'https://acme.example:8443', true],
  ['acme.example:8443', 'https://acme.example', false],
  ['acme.example:443', 'http://acme.example', false],
  ['acme.example:80', 'http://acme.example', true],
  ['acme.example', 'https://eu.acme.example', false],
  ['acme.example', 'https://acme.example.evil.example', false],
  ['acme.example', 'https://evil-acme.example', false],
  ['[::1]', 'http://[::1]', true],
  ['[::1]:8080', 'http://[0:0:0:0:0:0:0:1]:8080', true],
  ['[::1]', 'http://[::1]:8080', false],
  ['127.0.0.1', 'http://127.0.0.1', true],
  ['bücher.example', 'https://xn--bcher-kva.example', true],
])('%s in the list and the address %s: %s', (entry, url, allowed) => {
  const host = parseAllowedHost(entry);
  expect(host).not.toBeNull();
  expect(isAllowed(host ? [host] : [], url)).toBe(allowed);
});

it.each([
  ...['', 'a b', ' acme.example', 'acme.example '],
  ...'https://acme.example *.acme.example acme.* acme.example/v2025 me@acme.example acme.example?x'.split(
    ' ',
  ),
  ...'acme.example#x acme: acme:123456 acme:80x x:80:90 ::1 [::1 ::1] [] [acme.example] [::1]x %'.split(' '),
])('%j is no host', (entry) => {
  expect(parseAllowedHost(entry)).toBeNull();
});

it('one of several hosts is enough, and an empty list allows none', () => {
  const hosts = ['a.example', 'b.example:99999'].flatMap((text) => parseAllowedHost(text) ?? []);
  expect(hosts).toEqual([
    { name: 'a.example', port: null },
    { name: 'b.example', port: '99999' },
  ]);
  expect(isAllowed(hosts, 'https://a.example')).toBe(true);
  expect(isAllowed(hosts, 'https://c.example')).toBe(false);
  expect(isAllowed([], 'https://a.example')).toBe(false);
});
