import { afterAll, describe, expect, it } from 'vitest';
import { Renderer } from '../../src/render/renderer.ts';
import { renderTemplate } from '../../src/render/template.ts';

const renderer = new Renderer();
afterAll(() => renderer.close());

/** The further pictures of a body that changes: title, before and after. */
async function pictures(before: string, after: string) {
  const sides = { before: { subject: 's', body: before }, after: { subject: 's', body: after } };
  const rendered = await renderTemplate(renderer, 'EMAIL', sides, { from: 'samples', attributes: null });
  const bodyOf = (message: (typeof rendered.further)[number]['after']) =>
    message?.is === 'email' ? message.html : null;
  const further = rendered.further.map((each) => [each.title, bodyOf(each.before), bodyOf(each.after)]);
  return { further, remark: rendered.remark };
}

describe('changed lines below conditions', () => {
  it('are shown with values that lead to them, and both sides with the same values', async () => {
    const text = (words: string) => `Dear $user.name #if($user.isManager)lead#{else}${words}#end!`;
    expect(await pictures(text('colleague'), text('friend'))).toEqual({
      further: [
        ['where `$user.isManager` is not set', 'Dear Ann Example colleague!', 'Dear Ann Example friend!'],
      ],
      remark: '',
    });
  });

  it('are not shown again where the usual values show them', async () => {
    const text = (words: string) => `#if($user.isManager)${words}#{else}c#end#foreach($i in $items)$i#end`;
    expect(await pictures(text('a'), text('b'))).toEqual({ further: [], remark: '' });
    expect(await pictures(`x ${text('a')}`, `y ${text('a')}`)).toEqual({ further: [], remark: '' });
  });

  it('take the value of a comparison, and every condition of an `#elseif`', async () => {
    const text = (words: string) =>
      `#if($state == "APPROVED")yes#elseif($state == "REJECTED")${words} $state#{else}open#end`;
    expect((await pictures(text('no'), text('sorry,'))).further).toEqual([
      ['where `$state == "REJECTED"`', 'no REJECTED', 'sorry, REJECTED'],
    ]);
    const nested = (words: string) => `#if(!$a)#if($b.c > 5 && $d)${words}#end#end`;
    expect((await pictures(nested('old'), nested('new'))).further).toEqual([
      ['where `!$a` and `$b.c > 5 && $d`', 'old', 'new'],
    ]);
  });

  it('are shown with no, one or three items where that is enough', async () => {
    const text = (words: string) =>
      `#if($items.size() == 0)${words}#end#foreach($item in $items)[$item.name]#end#if($items.size() > 2)$!more#end`;
    expect((await pictures(text('none'), text('nothing'))).further).toEqual([
      ['with no items', 'none', 'nothing'],
    ]);
    const many = (words: string) => text('none').replace('$!more', words);
    expect((await pictures(many('a'), many('b'))).further).toEqual([
      ['with three items', '[Item 1][Item 2][Item 3]a', '[Item 1][Item 2][Item 3]b'],
    ]);
  });

  it('are shown where only the condition has changed, or the arm is new', async () => {
    const { further } = await pictures('#if($x)a#{else}b#end', '#if($y)a#{else}b#end#if(!$z)new#end');
    expect(further).toContainEqual(['where `$y` is not set', 'a', 'b']);
    expect(further).toContainEqual(['where `!$z`', 'a', 'anew']);
  });

  it('are counted where they are in no picture', async () => {
    const arms = (words: string) =>
      Array.from({ length: 7 }, (_, at) => `#if($kind == "k${at}")${words} ${at}\n#end\n`).join('');
    const { further, remark } = await pictures(arms('old'), arms('new'));
    expect(further).toHaveLength(4);
    // The usual value is k0. Each arm has a line that was removed and one that was added.
    expect(remark).toBe('4 changed lines are in none of these pictures: read the text for them.');
    const unused = (words: string) => `#macro(unused)${words}#end text`;
    expect((await pictures(unused('a'), unused('b'))).remark).toMatch(/^2 changed lines/);
  });
});
