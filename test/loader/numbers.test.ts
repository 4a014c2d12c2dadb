/** Numbers that JSON cannot hold are refused, or the tenant would get others than the manifest says. */
import { describe, expect, it } from 'vitest';
import { errors, failureOf, resource } from './fixture.ts';

const manifest = (number: string) => `kind: SimIntegration\nname: a\nattributes: { n: ${number} }\n`;

describe('a number in a manifest', () => {
  it.each<[string, number]>([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740994', 9007199254740994],
    ['100000000000000000000', 1e20],
    ['1e21', 1e21],
    ['-1.5E+30', -1.5e30],
    ['12e22', 12e22],
    ['0.1', 0.1],
    ['0x1F', 31],
  ])('is sent as it is: %s', (text, value) => {
    expect(resource(manifest(text)).fields).toMatchObject({ attributes: { n: value } });
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '0x20000000000001',
    '0x1E0000000000001',
  ])('is refused where JSON would round it: %s', (text) => {
    expect(errors(failureOf({ 'config/a.yaml': manifest(text) }))).toEqual([
      expect.stringMatching(/^inexact-number config\/a\.yaml:3:18$/),
    ]);
  });
});
