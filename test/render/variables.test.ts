import { describe, expect, it } from 'vitest';
import { isArray, isObject, type Json, mapMembers } from '../../src/model/json.ts';
import { sampleContext } from '../../src/render/sample.ts';

/** A sample with each value as its own name, and one item of each list. */
function named(sample: Json, way = ''): Json {
  if (isArray(sample)) return [named(sample[0] ?? null, way)];
  if (!isObject(sample)) return way;
  return mapMembers(sample, (value, name) => named(value, way === '' ? name : `${way}.${name}`));
}

const of = (...texts: string[]) => named(sampleContext(texts, null)) ?? {};

describe('the variables of a template', () => {
  it.each([
    ['$name', { name: 'name' }],
    ['${name}', { name: 'name' }],
    ['$!name', { name: 'name' }],
    ['$!{name}', { name: 'name' }],
    ['a$name.first_b', { name: { first_b: 'name.first_b' } }],
    ['$user.name $user.mail', { user: { name: 'user.name', mail: 'user.mail' } }],
    ['$user.toString()', { user: 'user' }],
    ['$user.name.substring(0, 3).length()', { user: { name: 'user.name' } }],
    ['$__global.mail', { __global: { mail: '__global.mail' } }],
    ['$5 and $ alone', {}],
    ['It costs $5 or $$ or ${', {}],
    ['$user.getName()', { user: { name: 'user.name' } }],
    ['$user.name.trim().length', { user: { name: 'user.name' } }],
    [
      '$__proto__.polluted $constructor',
      { ['__proto__']: { polluted: '__proto__.polluted' }, constructor: 'constructor' },
    ],
    ['no variables', {}],
  ])('are what %j reads', (text, expected) =>
    expect(JSON.stringify(of(text))).toBe(JSON.stringify(expected)),
  );

  it('are those of each of several texts, each by itself', () =>
    expect(of('Dear $name', 's of $company')).toEqual({ name: 'name', company: 'company' }));

  it('gives each item of a loop what its body reads', () => {
    expect(of('#foreach($task in $tasks)$task.name by $task.owner#end')).toEqual({
      tasks: [{ name: 'tasks.name', owner: 'tasks.owner' }],
    });
    expect(of('#foreach( $x in $list )$x#end')).toEqual({ list: ['list'] });
    expect(of('#{foreach}($x in ${a.b})$x.c#end')).toEqual({ a: { b: [{ c: 'a.b.c' }] } });
  });

  it('follows loops inside loops', () =>
    expect(of('#foreach($a in $all)#foreach($b in $a.inner)$b.c#end#end')).toEqual({
      all: [{ inner: [{ c: 'all.inner.c' }] }],
    }));

  it('ends where a loop is over its own item', () => {
    expect(of('#foreach($a in $a)$a.b#end')).toEqual({ a: [{ b: 'a.b' }] });
    expect(of('#foreach($a in $a.b)$a.c#end')).toEqual({ a: { b: [{ b: 'a.b.b', c: 'a.b.c' }] } });
  });

  it('leaves out what the template or its engine defines', () => {
    expect(of('#set($x = 1)$x.y $other')).toEqual({ other: 'other' });
    expect(of('#{set}( ${x} = 1)$x')).toEqual({});
    expect(of('$foreach.index $velocityCount $velocityHasNext $esc.html($a) $math.add(1)')).toEqual({
      a: 'a',
    });
  });

  it('stays small, whatever the text', () => {
    const many = Array.from({ length: 1500 }, (_, at) => `$v${at}`).join(' ');
    expect(Object.keys(of(many))).toHaveLength(1000);
    const loops = Array.from({ length: 150 }, (_, at) => `#foreach($i${at} in $l${at})$i${at}#end`).join('');
    expect(Object.values(of(loops)).filter(Array.isArray)).toHaveLength(100);
    let depth = 0;
    for (
      let at: unknown = of(`$a${'.a'.repeat(40)}`);
      typeof at === 'object' && at !== null;
      at = Object.values(at)[0]
    )
      depth += 1;
    expect(depth).toBe(16);
  });
});

describe('names for other values', () => {
  it.each([
    ['#set($u = $user.manager)$u.name', { user: { manager: { name: 'user.manager.name' } } }],
    [
      '#foreach($i in $a)$i.x#end#foreach($i in $b)$i.y#end',
      { a: [{ x: 'a.x', y: 'a.y' }], b: [{ x: 'b.x', y: 'b.y' }] },
    ],
    ['#set($n = $n + 1)$n', {}],
    [
      '$list[0].name $map["key"] $map.get("other")',
      { list: [{ name: 'list.name' }], map: { key: 'map.key', other: 'map.other' } },
    ],
    ['#macro(m $p)$p.x#end #define($block)$y#end $block', { y: 'y' }],
    ['#set($a = $user.name)$a #foreach($d in [1..2])$d#end', { user: { name: 'user.name' } }],
  ])('%s', (text, context) => expect(of(text)).toEqual(context));

  it('end where they name each other, and stay few', () => {
    expect(of('#set($a = $b)#set($b = $a.x)$a.y')).toBeTypeOf('object');
    const crossed = Array.from({ length: 60 }, (_, at) => `#foreach($i in $i.l${at})#end`).join('');
    expect(JSON.stringify(of(`${crossed}$i.x`)).length).toBeLessThan(100_000);
  });
});

it.each(['$a.', '${a', '$a(', '#foreach($a in ', '#set(', '$a.b(('])(
  'a long text of "%s" takes no long time',
  (part) => {
    // Whoever makes one of the expressions slow makes this run for minutes.
    expect(of(part.repeat(200_000))).toBeTypeOf('object');
  },
);
