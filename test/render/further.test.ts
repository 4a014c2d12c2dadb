import { afterAll, describe, expect, it } from 'vitest';
import { Renderer } from '../../src/render/renderer.ts';
import { renderTemplate } from '../../src/render/template.ts';

const renderer = new Renderer();
afterAll(() => renderer.close());

/** The further pictures of a body that changes: title, before and after. */
async function pictures(before: string, after: string) {
  const sides = { before: { subject: 's', body: before }, after: { subject: 's', body: after } };
  const rendered = await renderTemplate(renderer, 'EMAIL', sides, { from: 'samples', attributes: null });
  const bodyOf = (side: (typeof rendered.further)[number]['after']) =>
    side?.is === 'rendered' && side.value.is === 'email' ? side.value.html : null;
  const further = rendered.further.map((each) => [each.title, bodyOf(each.before), bodyOf(each.after)]);
  return { further, remark: rendered.remark };
}

describe('changed texts below conditions', () => {
  it('are shown where no condition holds, or where every one does', async () => {
    const other = (words: string) => `Dear $user.name #if($user.isManager)lead#{else}${words}#end!`;
    expect(await pictures(other('colleague'), other('friend'))).toEqual({
      further: [['where no condition holds', 'Dear Ann Example colleague!', 'Dear Ann Example friend!']],
      remark: '',
    });
    const many = (words: string) => `#foreach($item in $items)[$item]#end#if($items.size() > 2)${words}#end`;
    expect(await pictures(many('plenty'), many('more'))).toEqual({
      further: [['where every condition holds', '[Item 1][Item 2]plenty', '[Item 1][Item 2]more']],
      remark: '',
    });
    const nested = (words: string) => `#if(!$a)#if($b.c > 5 && $d)${words}#end#end`;
    expect((await pictures(nested('old'), nested('new'))).further).toEqual([
      ['where every condition holds', 'old', 'new'],
    ]);
  });

  it('are not shown again where the usual values show them', async () => {
    const text = (words: string) => `#if($user.isManager)${words}#{else}c#end#foreach($i in $items)$i#end`;
    expect(await pictures(text('a'), text('b'))).toEqual({ further: [], remark: '' });
    expect(await pictures(`x ${text('a')}`, `y ${text('a')}`)).toEqual({ further: [], remark: '' });
  });

  it('are shown in both where both are needed', async () => {
    const text = (words: string) => `#if($n > 99)${words} many#end#if($n < 99)few#{else}${words} none#end`;
    const { further, remark } = await pictures(text('old'), text('new'));
    expect(further).toEqual([
      ['where no condition holds', 'old none', 'new none'],
      ['where every condition holds', 'old manyfew', 'new manyfew'],
    ]);
    expect(remark).toBe('');
  });

  it('are shown where the arm is new', async () => {
    const { further } = await pictures('#if($x)a#{else}b#end', '#if($x)a#{else}b#end#if(!$z)brand new#end');
    expect(further).toEqual([['where every condition holds', 'a', 'abrand new']]);
  });

  it('are counted where they are in no picture', async () => {
    const arms = (words: string) =>
      `#if($kind == "a")x#elseif($kind == "b")${words} b\n${words} more#{else}y#end`;
    const { further, remark } = await pictures(arms('old'), arms('new'));
    expect(further).toEqual([]);
    // Each side has two lines that the other one has not.
    expect(remark).toBe(
      '4 changed texts are not in any of these pictures, because of the conditions around them: read the template.',
    );
    const unused = (words: string) => `#macro(unused)${words}#end text`;
    expect((await pictures(unused('first'), unused('second'))).remark).toMatch(/^2 changed texts/);
  });

  it('are not looked for where somebody has chosen the values', async () => {
    const sides = {
      before: { subject: 's', body: '#if($a)old#end' },
      after: { subject: 's', body: '#if($a)new#end' },
    };
    const choice = { from: 'user', context: { a: false } } as const;
    expect(await renderTemplate(renderer, 'EMAIL', sides, choice)).toMatchObject({ further: [], remark: '' });
  });

  it('leave `#set` alone, whose expressions are no conditions', async () => {
    const text = (words: string) => `#set($n = 1 + 2)#if($x)a#{else}${words} $n#end`;
    expect((await pictures(text('old'), text('new'))).further).toEqual([
      ['where no condition holds', 'old 3', 'new 3'],
    ]);
  });
});

it('a value that is looked up has words in its place', async () => {
  const subject = { $lookup: { from: 'roles', where: { name: 'A' }, take: 'id' } };
  const sides = { before: null, after: { subject, body: 'b' } };
  const { after } = await renderTemplate(renderer, 'EMAIL', sides, { from: 'samples', attributes: null });
  expect(after).toMatchObject({ value: { subject: '(looked up)' } });
});
