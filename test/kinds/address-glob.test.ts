import { describe, expect, it } from 'vitest';
import { globProblem, unknownKind } from '../../src/kinds/address-glob.ts';

import { builtInKinds } from '../../src/kinds/index.ts';

describe('a glob of addresses', () => {
  it.each([
    'SenderAddress/a@a.example',
    'SenderAddress/*',
    'NotificationTemplate/*/EMAIL/en',
    'NotificationTemplate/**',
    'NotificationTemplate/a/**',
    'NotificationTemplate/{a/EMAIL/en,b/EMAIL/de}',
    'NotificationTemplate/@(a/EMAIL/en)',
    '**',
    '*/x',
    'S?nder/x',
    '{SenderAddress,MailFrom}/x',
    '[SM]*/x',
    '!SenderAddress/x',
    'SenderAddress/with/too/many/parts',
    'NotificationTemplate/*a*b*/*a*b*/*a*b*',
    'SenderAddress/a****b',
  ])('%s can match', (glob) => {
    expect(globProblem(glob, builtInKinds)).toBeNull();
  });

  it.each([
    'NotificationTemplate/a',
    'NotificationTemplate/a/EMAIL',
    'NotificationTemplate',
    'NotificationTemplate/*/en',
  ])('%s is too short, and the message shows the parts', (glob) => {
    expect(globProblem(glob, builtInKinds)).toEqual({
      code: 'address-glob',
      message: `\`${glob}\` cannot be an address: addresses of this kind are NotificationTemplate/KEY/MEDIUM/LOCALE.`,
      hint: 'Write `NotificationTemplate/**` for all of them.',
    });
  });

  it.each([
    ['SenderAddress/*', 'NotificationTemplate/**'],
    ['SenderAddress/a,b', 'MailFrom/x,y'],
  ])('%s,%s looks like two, which have to be named each by itself', (first, second) => {
    expect(globProblem(`${first}, ${second}`, builtInKinds)).toEqual({
      code: 'address-glob',
      message: `\`${first}, ${second}\` is a single address, since keys may have commas, and looks like several.`,
      hint: `Name each by itself: \`${first}\` and \`${second}\`. Write a comma in a key as \`%2C\`.`,
    });
  });

  it.each([
    'ProfileSearch/Smith, John',
    'ProfileSearch/a,b/c',
    'ProfileSearch/a%2CSenderAddress/b',
    '{SenderAddress/*,NotificationTemplate/**}',
    '{SenderAddress/{a,b},NotificationTemplate/**}',
    '@(SenderAddress/*|x,MailFrom/*)',
  ])('may have commas: %s', (glob) => {
    expect(globProblem(glob, builtInKinds)).toBeNull();
  });

  it('of an unknown kind is a typo', () => {
    expect(globProblem('SenderAdress/x', builtInKinds)).toEqual({
      code: 'unknown-kind',
      message: 'There is no kind `SenderAdress`.',
      hint: 'Did you mean `SenderAddress`?',
    });
    expect(globProblem('', builtInKinds)?.code).toBe('unknown-kind');
    expect(unknownKind('Xyz', builtInKinds).hint).toMatch(
      /^The kinds are Identity, .*NotificationTemplate, .*AuthProfile\. A project describes others in `kinds\/NAME\.kind\.yaml`/,
    );
  });
});

it.each([
  '*a*b*c*d',
  'SenderAddress/*a*b*c*',
  '{SenderAddress,MailFrom}/x*a*b*c*d',
  'x/y/*a*b*c*d/z',
  'SenderAddress/+(a*)x',
  'SenderAddress/((a+)+)x',
  'SenderAddress/(a|a)+x',
  'SenderAddress/[a]+[b]+[c]+[d]+x',
  'SenderAddress/(a+b+c+d+)x',
  `SenderAddress/${'!(b)'.repeat(4)}x`,
  `SenderAddress/${'{a,aa}'.repeat(32)}x`,
  `SenderAddress/${'(a)?'.repeat(32)}x`,
  `SenderAddress/${'{a,a/}'.repeat(32)}x`,
  `SenderAddress/${'{a,[)}]}'.repeat(32)}x`,
  'SenderAddress/**/a/**/a/**/a/**/x',
  `SenderAddress/${'a'.repeat(70_000)}`,
  '/'.repeat(4_000_000),
  `(${'+'.repeat(4_000_000)}`,
  '['.repeat(4_000_000),
])('%.80s would take too long to compare', (glob) => {
  const problem = globProblem(glob, builtInKinds);
  expect(problem).toMatchObject({ code: 'slow-glob' });
  expect(problem?.message.length).toBeLessThan(400);
});

it.each([
  'SenderAddress/*a*b*c',
  'NotificationTemplate/*a*/*b*/*c*',
  'NotificationTemplate/**/{EMAIL,SLACK}/**',
  'SenderAddress/{eu,us}-*-{test,live}*@{acme,other}.example',
  'SenderAddress/first+second+third+fourth@acme.example',
  'SimIntegration/C++ (old) (two) (A|B)',
])('%s does not', (glob) => {
  expect(globProblem(glob, builtInKinds)).toBeNull();
});
