import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { Renderer } from '../../src/render/renderer.ts';
import { sampleContext } from '../../src/render/sample.ts';
import { renderTemplate } from '../../src/render/template.ts';

const renderer = new Renderer();
afterAll(() => renderer.close());

async function rendered(text: string, context: JsonObject = {}): Promise<string> {
  const outcome = await renderer.render({ text }, context);
  if (outcome.is === 'failed') throw new Error(outcome.reason);
  return outcome.value.texts.text ?? '';
}

const sample = (...texts: string[]) => sampleContext(texts, null);

describe('rendering', () => {
  it('carries out directives and references', async () => {
    const text = '#if($n > 1)$n tasks#else${one} task#end:#foreach($t in $list) $foreach.count. $t.name#end';
    expect(await rendered(text, { n: 2, list: [{ name: 'a' }, { name: 'b' }] })).toBe('2 tasks: 1. a 2. b');
    expect(await rendered(text, { n: 1, one: 'one' })).toBe('one task:');
  });

  it('gives each text the context as it was, whatever another one sets in it', async () => {
    const texts = { first: '#set($user.name = "Bob")$user.name', second: '$user.name' };
    expect(await renderer.render(texts, { user: { name: 'Ann' } })).toMatchObject({
      value: { texts: { first: 'Bob', second: 'Ann' } },
    });
  });

  it('takes nothing from the environment: neither secrets nor options of Node', async () => {
    vi.stubEnv('NODE_OPTIONS', '--require ./there-is-no-such-file.cjs');
    const own = new Renderer();
    onTestFinished(() => {
      own.close();
      vi.unstubAllEnvs();
    });
    expect(await own.render({ text: 'a' }, {})).toEqual({
      is: 'rendered',
      value: { texts: { text: 'a' }, literals: ['a'] },
    });
  });

  it('leaves what it cannot resolve as it is written', async () =>
    expect(await rendered('$a ${b.c} $!d $5.00 #ff0000 $x.go($y)', { b: {} })).toBe(
      '$a ${b.c}  $5.00 #ff0000 $x.go($y)',
    ));

  it('knows the methods of Java that templates call', async () => {
    const context = { s: 'Abc', list: [1, 2], none: [] };
    const text =
      '$s.toUpperCase() $s.length() $list.size() $none.isEmpty() $s.equals("Abc") $s.equalsIgnoreCase("abc") $s.contains("b")';
    expect(await rendered(text, context)).toBe('ABC 3 2 true true true true');
  });

  it('divides whole numbers into whole numbers, as Java does', async () => {
    const text = '#set($a = $n / 2)$a #set($b = -7 / $n)$b #set($c = 29 / 5 / 2)$c #set($d = 5.5 / 2)$d';
    expect(await rendered(`${text}#if($n / 2 == 1) yes#end`, { n: 3 })).toBe('1 -2 2 2.75 yes');
    const decimals = '#set($a = 7 / 2.0)$a #set($b = (7.0) / 2)$b #set($c = 7 / 2 / 2.0)$c';
    expect(await rendered(decimals, {})).toBe('3.5 3.5 1.5');
  });

  it.each(['#if($n)#stop#end b', 'a #{stop}', '#stop() b', '#foreach($i in [1, 2])$i#break#end'])(
    'refuses what it cannot do as the tenant does: %s',
    async (text) => {
      const name = /stop|break/.exec(text)?.[0];
      expect(await renderer.render({ subject: '$n', text }, { n: 1 })).toEqual({
        is: 'failed',
        reason: `It cannot be rendered: \`#${name}\` works only in the tenant. Try \`send-test\`.`,
      });
      expect(await rendered('#stopped $n', { n: 1 })).toBe('#stopped 1');
    },
  );

  it('reaches nothing that objects inherit', async () => {
    const before = process.env.HOME;
    const texts = [
      '$x.constructor',
      '$x["constructor"]',
      '$x.__proto__',
      '$s.constructor.constructor',
      '$toString',
      '$x.hasOwnProperty("a")',
      '$x.get("constructor")',
      '$list.map($s)',
      '$list.push(1)',
      '#set($k = "constructor")$x[$k]',
    ];
    const context = { x: { a: 1 }, s: 'text', list: [1] };
    for (const text of texts) {
      expect(await rendered(text, context), text).not.toMatch(/function|native|object/i);
    }
    expect(
      await rendered('$x.constructor.constructor("return process")() done', context).catch(String),
    ).not.toContain('[object');
    expect(await rendered('#set($x.__proto__.polluted = "yes")$y.polluted', { x: {}, y: {} })).toBe(
      '$y.polluted',
    );
    expect(process.env.HOME).toBe(before);
  });

  it('changes neither the context nor the next template', async () => {
    const context = { list: [1], x: { a: 'old' } };
    await rendered('#set($x.a = "new")$list.add(2)#macro(m)macro#end', context);
    expect(await rendered('$x.a $list.size() #m()', context)).toBe('old 1 ');
  });
});

describe('limits', () => {
  const small = new Renderer({ milliseconds: 400, megabytes: 48, characters: 50_000 });

  /** Takes its time on a busy machine: only a template that never ends has to exceed a short one. */
  const patient = new Renderer({ milliseconds: 20_000, megabytes: 48, characters: 50_000 });
  afterAll(() => {
    small.close();
    patient.close();
  });

  const reasonOf = async (text: string, renderer = small): Promise<string> => {
    const outcome = await renderer.render({ text }, { s: 'x' });
    return outcome.is === 'failed'
      ? outcome.reason
      : `rendered ${outcome.value.texts.text?.length} characters`;
  };
  const loop = '#foreach($a in [1..9999])#foreach($b in [1..9999])#set($c = $b)#end#end';

  it.each([
    ['a loop without end', loop, /longer than 0.4 s/],
    ['a list too long', '#set($a = [1..99999999])#set($b = [1..99999999])$a', /memory|longer than/],
    [
      'lists of lists',
      '#set($a = [1..1000])#foreach($i in [1..60])#set($a = [$a, $a])#end$a',
      /memory|longer than|too long/,
    ],
    ['a text doubled', '#set($a = "xxxx")#foreach($i in [1..60])#set($a = "$a$a")#end$a', /too long|memory/],
    ['a macro that calls itself', '#macro(m)#m()#end#m()', /without end/],
    ['a long result', '#foreach($a in [1..60000])x#end', /more than 50000 characters/],
    ['a long template', 'x'.repeat(50_001), /more than 50000 characters/],
    ['text that is no Velocity', '#foreach($a in )', /cannot be rendered/],
  ])('says why it gives up: %s', async (_what, text, reason) => {
    const renderer = text === loop ? small : patient;
    expect(await reasonOf(text, renderer)).toMatch(reason);
    expect(await renderer.render({ text: 'still $s' }, { s: 'here' })).toEqual({
      is: 'rendered',
      value: { texts: { text: 'still here' }, literals: ['still'] },
    });
  });

  it('renders those that wait behind a template that never ends', async () => {
    expect(await Promise.all([reasonOf(loop), reasonOf('ok'), reasonOf(loop), reasonOf('fine')])).toEqual([
      'It takes longer than 0.4 s.',
      'rendered 2 characters',
      'It takes longer than 0.4 s.',
      'rendered 4 characters',
    ]);
  });

  it('says so of a context that is nested without end, and renders the next one', async () => {
    const context: JsonObject = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(await small.render({ text: '$a' }, context)).toEqual({
      is: 'failed',
      reason: 'Its values are nested too deeply.',
    });
    expect(await reasonOf('ok')).toBe('rendered 2 characters');
  });

  it('ends what is under way when it is closed', async () => {
    const closing = new Renderer();
    const running = closing.render({ text: loop }, {});
    closing.close();
    expect((await running).is).toBe('failed');
    expect((await closing.render({ text: 'x' }, {})).is).toBe('failed');
  });
});

describe('sample values', () => {
  it.each<[string, JsonObject]>([
    [
      'Hello ${user.name}, $!{user.email}',
      { user: { name: 'Ann Example', email: 'ann.example@acme.example' } },
    ],
    ['$numberOfTasks $daysLeft', { numberOfTasks: 3, daysLeft: 3 }],
    ['$campaignName by $dueDate', { campaignName: 'Example campaign', dueDate: '1 December 2026' }],
    ['#if($state == "APPROVED")x#end #if($x.size > 3)y#end', { state: 'APPROVED', x: { size: 3 } }],
    ['#if($isUrgent)x#end', { isUrgent: true }],
    [
      '$requester.name $requester.email $recipient.name $reviewerName',
      {
        requester: { name: 'Bob Sample', email: 'bob.sample@acme.example' },
        recipient: { name: 'Ann Example' },
        reviewerName: 'Cleo Specimen',
      },
    ],
    ['$user.getManager().name', { user: { manager: { name: 'Cleo Specimen' } } }],
    ['$items.get(0).name $items.size()', { items: [{ name: 'Item 1' }, { name: 'Item 2' }] }],
  ])('%s', (text, context) => expect(sample(text)).toEqual(context));

  it('gives lists two items with what the loop uses of them', () =>
    expect(
      sample('#foreach($t in $task.steps)$foreach.count $t.owner.name #foreach($n in $t.notes)$n#end#end'),
    ).toEqual({
      task: {
        steps: [
          { owner: { name: 'Ann Example' }, notes: ['Note 1', 'Note 2'] },
          { owner: { name: 'Bob Sample' }, notes: ['Note 1', 'Note 2'] },
        ],
      },
    }));

  it("takes the tenant's attributes as they are", () => {
    const attributes: Json = { productName: 'ACME Identity' };
    const context = sampleContext(['$__global.productName $__global.missing'], attributes);
    expect(context).toEqual({ __global: attributes });
    expect(sample('$__global.helpDeskPhone')).toEqual({ __global: { helpDeskPhone: '+1 555 0100' } });
  });

  it('passes over a text that cannot be read', () =>
    expect(sample('#foreach($a in )', '$days')).toEqual({ days: 3 }));
});

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
