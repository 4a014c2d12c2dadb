import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/kinds/index.ts';
import { globProblem, unknownKind } from '../../src/kinds/project.ts';
import { matchAddresses, slowGlob } from '../../src/model/address.ts';

describe('a glob of addresses', () => {
  const template = (...below: string[]) => below.map((each) => `NotificationTemplate/${each}`);
  const sender = (...below: string[]) => below.map((each) => `SenderAddress/${each}`);

  it.each([
    ...sender('a@a.example', '*', 'with/too/many/parts', 'a****b', '*a*b*c'),
    ...template('*/EMAIL/en', '**', 'a/**', '{a/EMAIL/en,b/EMAIL/de}'),
    ...template('*a*b*/*a*b*/*a*b*', '*a*/*b*/*c*', '**/{EMAIL,SLACK}/**'),
    ...['**', '*/x', 'S*nder/x', '{SenderAddress,MailFrom}/x'],
    // It may have commas.
    ...['ProfileSearch/Smith, John', 'ProfileSearch/a,b/c', 'ProfileSearch/a%2CSenderAddress/b'],
    ...['{SenderAddress/*,NotificationTemplate/**}', '{SenderAddress/{a,b},NotificationTemplate/**}'],
    // It takes no long time to compare.
    ...sender('{eu,us}-*-{test,live}*@{acme,other}.example', 'first+second+third+fourth@acme.example'),
    'SimIntegration/C++ (old) (two) (A|B)',
  ])('%s can match', (glob) => expect(globProblem(glob, builtInKinds)).toBeNull());

  it.each(['NotificationTemplate', ...template('a', 'a/EMAIL', '*/en')])(
    '%s is too short, and the message shows the parts',
    (glob) =>
      expect(globProblem(glob, builtInKinds)).toEqual({
        code: 'address-glob',
        message: `\`${glob}\` cannot be an address: addresses of this kind are NotificationTemplate/KEY/MEDIUM/LOCALE.`,
        hint: 'Write `NotificationTemplate/**` for all of them.',
      }),
  );

  it.each([
    ['SenderAddress/*', 'NotificationTemplate/**'],
    ['SenderAddress/a,b', 'MailFrom/x,y'],
  ])('%s,%s looks like two, which have to be named each by itself', (first, second) =>
    expect(globProblem(`${first}, ${second}`, builtInKinds)).toEqual({
      code: 'address-glob',
      message: `\`${first}, ${second}\` is a single address, since keys may have commas, and looks like several.`,
      hint: `Name each by itself: \`${first}\` and \`${second}\`. Write a comma in a key as \`%2C\`.`,
    }),
  );

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
  ...['*a*b*c*d', '{SenderAddress,MailFrom}/x*a*b*c*d', 'x/y/*a*b*c*d/z'],
  ...['*a*b*c*', '**/a/**/a/**/a/**/']
    .concat(...['{a,aa}', '{a,a/}', '{a,[)}]}'].map((part) => part.repeat(32)), 'a'.repeat(70_000))
    .concat(`${'('.repeat(4000)}*a*b*c*d`)
    .map((key) => `SenderAddress/${key}x`),
  ...['/'.repeat(400_000), `(${'+'.repeat(400_000)}`, '['.repeat(400_000)],
])('%.80s would take too long to compare', (glob) => {
  const problem = globProblem(glob, builtInKinds);
  expect([problem, slowGlob(glob)]).toMatchObject([{ code: 'slow-glob' }, { code: 'slow-glob' }]);
  expect(problem?.message.length).toBeLessThan(400);
});

it.each(
  ['+(a*)', '((a+)+)', '(a|a)+', '[a]+[b]+[c]+[d]+', '(a+b+c+d+)', '!(b)'.repeat(4), '(a)?'.repeat(32)].map(
    (key) => `SenderAddress/${key}x`,
  ),
)('%s would as a glob of files, and is text in one of addresses', (glob) => {
  expect(slowGlob(glob)).toMatchObject({ code: 'slow-glob' });
  expect(globProblem(glob, builtInKinds)).toBeNull();
  expect(matchAddresses([glob])(glob.replaceAll('*', 'b'))).toBe(true);
});
