/** Notification texts that YAML would cut, because it reads ` #` as the beginning of a comment. */
import { describe, expect, it } from 'vitest';
import { errors, failureOf, refusalOf, resource } from './fixture.ts';

const template = (line: string) =>
  `kind: NotificationTemplate\nkey: k\nmedium: EMAIL\nlocale: en\n${line}\ndescription: d\n`;

describe('a text that goes on behind a blank and a directive', () => {
  it.each([
    ['subject: Noch $n #if($n > 1)Tage#end', 18],
    ['subject: Noch $n #foreach($a in $b)$a#end', 18],
    ['subject: Noch $n #foreach ($a in $b)$a', 18],
    ['subject: Noch#if($n) $n #end', 25],
    ['subject: Noch#if($n) $n #end of it', 25],
    ['subject: #if($n > 1)Tage#end', 10],
    ['subject: Noch $n #else', 18],
    ['subject: Noch $n #else Tage #end', 18],
    ['subject: Noch $n #{else}Tage', 18],
    ['subject: Noch#{if}($n) $n #{end}', 27],
    ['subject: Noch#{if}($n) $n #end of it', 27],
    ['subject: Noch $n #{if}($n > 1)Tage#{end}', 18],
    ['subject: Noch #set($n = 1)$n', 15],
    ['subject: Noch #define($day)Tag#end', 15],
    ['subject: Noch #macro(day)Tag#end', 15],
    ['subject: Noch #parse("days.vm")', 15],
    ['subject: Noch #include("days.txt")', 15],
    ['slackTemplate: { text: Noch $n #if($n)Tage#end\n  }', 32],
  ])('is an error: %s', (line, column) => {
    expect(errors(failureOf({ 'config/a.yaml': template(line) }))).toEqual([
      `cut-text config/a.yaml:5:${column}`,
    ]);
  });

  it('is one in a variable too, and the message says what to do', () => {
    const variables = 'variables:\n      days: Noch $n #if($n)Tage#end';
    const files = {
      'tenantctl.yaml': `version: 1\nenvironments:\n  test:\n    sandbox: {}\n    ${variables}\n`,
      'config/a.yaml': template('subject: !var days'),
    };
    expect(refusalOf(files)).toMatchObject([
      {
        code: 'cut-text',
        source: { file: 'tenantctl.yaml', line: 6, column: 21 },
        hint: 'Put the whole text in quotes, or in a block after `|`.',
      },
    ]);
  });

  it.each([
    ['subject: "Noch $n #if($n > 1)Tage#end"', 'Noch $n #if($n > 1)Tage#end'],
    ['subject: Noch#if($n > 1) Tage#end', 'Noch#if($n > 1) Tage#end'],
    ['subject: Noch # if it is late (or not)', 'Noch'],
    ['subject: Noch #end of the subject', 'Noch'],
    ['subject: "Noch" #end', 'Noch'],
    ['subject: |-\n  Noch $n #if($n)Tage#end', 'Noch $n #if($n)Tage#end'],
  ])('is none where the text is whole, or the comment is one: %s', (line, subject) => {
    expect(resource(template(line)).fields.subject).toBe(subject);
  });
});
