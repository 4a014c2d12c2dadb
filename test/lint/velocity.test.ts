import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scanVelocity } from '../../src/lint/velocity.ts';
import type { JsonObject } from '../../src/model/json.ts';

const problemsIn = (text: string) =>
  scanVelocity(text).problems.map(
    ({ code, offset }) => `${code} ${JSON.stringify(text.slice(offset, offset + 8))}`,
  );
const namesIn = (text: string) => [
  ...new Set(
    scanVelocity(text).references.map(({ name, member }) => (member === null ? name : `${name}.${member}`)),
  ),
];

const mail = `<style>
  a { color: #fff; background: #ABCDEF } #wide-if { margin: 0 } #set-up:hover { color: #00f }
  @media (max-width: 600px) { #text-end { display: none } }
</style>
<p>$5 or $19.99, US$ 3, 100$, &#8364;, &#x20AC;, C#, F#minor, #1, # if, \\#if, \\#end</p>
<a href="https://acme.example/#top">x</a> <a href="#footer">y</a>
<script>$(function () { $.ajax("#endpoint"); $('#list').each(() => {}); });</script>
#if($a == "x)" || $b.isOpen('(') && !$c)
  #foreach( $item in $items ) $foreach.index #if ($item.ok)1#elseif(!$item.ok)2#{else}3#{end} #end
#else
  #set ($n = "it's $m") ## a comment with #if( and #end
  #* another #foreach #end *# #[[ unparsed #if( $z ]]#
#end`;

describe('texts without a mistake', () => {
  it.each([
    ['an HTML mail with colours, scripts, prices and anchors', mail],
    ['nothing', ''],
    ['a comment on the last line', 'a ## #if($x'],
    ['formal directives', '#{if}($a)x#{else}-y#{end}-z#{foreach}($a in $b)z#{end}'],
    [
      'words that only begin like directives',
      '#endless #iffy #elsewhere #setting(a #end_of #if2 #foreachItem',
    ],
    ['directives before a hyphen', '#if($a)b#else-c#{end}-d#if($a)#elseif($b)#end-e #set-up'],
    [
      'white space before parentheses',
      '#if\n($a)b#elseif \r\n\t($c)d#end#foreach\n\n($a in $b)#end#macro\n(m)#end#define\n($x)#end#set  ($a = 1)',
    ],
    ['blocks of all kinds', '#macro(row $a)$a#end #define($x)y#end #@row("b")z#end#@row ($a, 1)z#end'],
    ['macros', '#macro(a)#end#macro( b $x, ${y} $!z )#end#macro(c $x = "a" $y=2)#end'],
    [
      'loops',
      '#foreach(${a} in [1..3])#end#foreach($a in [-1 .. $b.size()])#end#foreach($a of {"k": $b})#end#foreach($a, in, $b.c(1).d)#end',
    ],
    [
      'assignments',
      '#set($a.b = 1)#set(${a}=-1)#set($!a["k"] = $b.c)#set($a = [])#set($a = {})#set($a = $b || "c")#set($a\n=\n1.5)',
    ],
    ['directives without arguments', '#foreach($a in $b)#break#end#stop'],
    ['a loop with an else', '#foreach($a in $b)$a#{else}none#end'],
    ['a text over many lines', '#set($a = "line\n\n(line")\n#if(\n$a\n)\nb#end'],
    [
      'conditions',
      [
        'true',
        '!$a && !(! $b) || not $c',
        '$a == -1 && $b eq 1.5 and "a" != \'b\' or ${c} >= .5e3',
        '($a)and($b.c)',
        '$a.b("$c", [1, $d], {"e": [], $f: $g.h()}).i[0]["j"].k > $l.size() - 1',
        '"it""s" == \'it\'\'s\'',
        '$a.b-c == $d-1 - $e * -2 / (3 % $f)',
        '${a|$b.c} == ${d.e|"f"}',
        '[1..2] == [$a, "(", [true]]',
        '$a.get(name) && $a.b($c == 1 && !$d, $e + 1)',
      ]
        .map((condition) => `#if(${condition})#elseif( ${condition}\n)#end`)
        .join(''),
    ],
    ['calls in JSON', '{"text": "$a.get(\\"b\\") #if($c == \\"d\\")#end"}'],
    ['what is no call', '$a(b c $a.b (c d ${a}(b c ${a.b}[c d $a.[b c'],
    ['an end in a block, or of all', '#if($a)#stop#end#foreach($a in $b)#if($a)#break#end#end b#stop\n'],
    ['an escaped backslash before a directive', '\\\\#if($a)b\\\\#end'],
    ['an alternate value', '${name|\'none\'} ${a.b.get("}")}'],
    ['no Velocity at all', '# Heading\n## Heading\n#hash #tag @#! #{no} #( #) $'],
    ['line ends of Windows', '#if($a)\r\nb\r\n#end\r\n## c\r\n'],
  ])('%s', (_name, text) => {
    expect(problemsIn(text)).toEqual([]);
  });
});

describe('texts with a mistake', () => {
  it.each([
    ['a #if($x) b', ['velocity-unclosed "#if($x) "']],
    ['#foreach($a in $b)#if($a)x#end', ['velocity-unclosed "#foreach"']],
    ['#@row()x', ['velocity-unclosed "#@row()x"']],
    ['a #end', ['velocity-unopened "#end"']],
    ['#if($a)b#end#end', ['velocity-unopened "#end"']],
    ['#else', ['velocity-unopened "#else"']],
    ['#if($a)b#else c#else d#end', ['velocity-unopened "#else d#"']],
    ['#if($a)b#{else}c#elseif($d)e#end', ['velocity-unopened "#elseif("']],
    ['#macro(a)#else#end', ['velocity-unopened "#else#en"']],
    ['\\\\#end', ['velocity-unopened "#end"']],
    ['see #if you can#end', ['velocity-syntax "#if you "']],
    ['see #if you can', ['velocity-syntax "#if you "', 'velocity-unclosed "#if you "']],
    ['#if($a b#end', ['velocity-syntax "#if($a b"']],
    ['#if($a == "b)x#end', ['velocity-syntax "#if($a ="']],
    ['<a href="#end-notes">', ['velocity-unopened "#end-not"']],
    ['#else-where', ['velocity-unopened "#else-wh"']],
    ['#if-wide', ['velocity-syntax "#if-wide"', 'velocity-unclosed "#if-wide"']],
    ['#set $a = 1', ['velocity-syntax "#set $a "']],
    ['a #stop-here', ['velocity-unopened "#stop-he"']],
    ['#if($a)b#end#break c', ['velocity-unopened "#break c"']],
    ['#* never closed #end', ['velocity-syntax "#* never"']],
    ['#[[ never closed #end', ['velocity-syntax "#[[ neve"']],
    ['${name and more\n#if($a)b#end', ['velocity-syntax "${name a"']],
    ['$a.b(c', ['velocity-syntax "$a.b(c"']],
    ['#if($a) $b.c(d', ['velocity-syntax "$b.c(d"']],
    ['${name\n} b', ['velocity-syntax "${name\\n}"']],
  ])('%s', (text, expected) => {
    expect(problemsIn(text)).toEqual(expected);
  });
});

describe('brackets that Velocity cannot read', () => {
  const conditions = [
    ...[
      '$a = 1',
      '',
      'a',
      'null',
      '$a AND $b',
      '$a &&',
      '&& $a',
      '!',
      '$a !$b',
      '$a not $b',
      '$a $b',
      '$a, $b',
    ],
    ...[
      '$a == b',
      '$a == “b”',
      '$a === 1',
      '$a => 1',
      '$a & $b',
      '$a in $b',
      '$a ? 1 : 2',
      '$a &lt; 1',
      '+1',
    ],
    ...[
      '$a -1',
      '1L',
      '()',
      '$a ($b)',
      '$a.b ($c)',
      '($a).b()',
      '[1].size()',
      '"a" "b"',
      '"a".b()',
      '($a,$b)',
    ],
    ...[
      '[1,]',
      '[1 2]',
      '[a]',
      '[1..]',
      '{a: 1}',
      '{"a"}',
      '{"a": 1,}',
      '$a[]',
      '$a[b]',
      '$a.b(1,)',
      '$a.b(1 2)',
    ],
    ...['$a.b(c.d)', '${a b}', '${a|}', '$a.b([)', '$a]', '"a', `${'('.repeat(200)}$a${')'.repeat(200)}`],
  ];
  it.each(
    [
      ...conditions.map((condition) => `#if(${condition})x#end`),
      ...[
        '$a',
        '',
        '$a == 1',
        'a = 1',
        '"a" = 1',
        '$a =',
        '$a = 1 2',
        '$a = $b = 1',
        '$a += 1',
        '$a = b',
      ].map((assignment) => `#set(${assignment})`),
      ...['', '$a', '$a in', 'a in $b', '$a in b', '$a = $b', '$a in $b + $c', '$a in !$b'].map(
        (loop) => `#foreach(${loop})x#end`,
      ),
      ...['', '$a', '"a"', '1', 'a b', 'a-b $c', 'a.b'].map((macro) => `#macro(${macro})x#end`),
      ...['', 'a', '$a $b', '$a = 1'].map((define) => `#define(${define})x#end`),
      ...[
        '#@a(b)x#end',
        '#@a($b + 1)x#end',
        '$a.b(c d)',
        '$a[b c]',
        '$a.b("c").d(e f)',
        '${a.b(c d)}',
        '${a b}',
      ],
    ].map((text) => `${text} $after`),
  )('%s', (text) => {
    expect(problemsIn(text)).toEqual([`velocity-syntax ${JSON.stringify(text.slice(0, 8))}`]);
    expect(namesIn(text)).toContain('after');
  });
});

describe('references', () => {
  it.each([
    ['$a ${b} $!c $!{d} $_e $f1', ['a', 'b', 'c', 'd', '_e', 'f1']],
    ['$user.name.first, $user.name. $user.', ['user.name', 'user']],
    ['$__global.productName', ['__global.productName']],
    ['$a.b("$c", \'$no\').d($e) $f', ['a.b', 'c', 'e', 'f']],
    ['${a.b($c)} ${d|"$e"}', ['a.b', 'c', 'd', 'e']],
    ['\\$no \\\\$yes $$twice', ['yes', 'twice']],
    ['$5 $1,000 $ $( $.x ${} ${5} $-x', []],
    ['## $no\n#* $no *# #[[ $no ]]# $yes', ['yes']],
    ['$a[$b] $a.b[0].c', ['a', 'b', 'a.b']],
    ['#if($a && ${b.c})#end', ['a', 'b.c']],
  ])('%s', (text, expected) => {
    expect(namesIn(text)).toEqual(expected);
  });

  it('lists what a text defines itself', () => {
    const text = '#set($a = 1)#foreach(${b} in $c)#end#macro(m $d $e)#end#define($f)#end#{set}(${g}=2)';
    expect([...scanVelocity(text).defined]).toEqual(['a', 'b', 'd', 'e', 'f', 'g']);
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...'#if #if($a) #end #else #{end} #set( #* *# ## #[[ ]]# $a ${a } ( ) " \' \\ # $ .b( x [ ] #@m('.split(
      ' ',
    ),
    ...['\n', ' ', '#foreach($a in $b)'],
  );

  it('is read to its end, each problem at a place in it', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }).map((each) => each.join('')),
        (text) => {
          const { problems, references } = scanVelocity(text);
          for (const { offset } of problems) expect(text[offset]).toMatch(/[#$]/);
          for (const { name, offset } of references) expect(text.slice(offset)).toContain(name);
        },
      ),
    );
  });

  it('is balanced when it is made of balanced parts', () => {
    const { block } = fc.letrec<{ block: string }>((tie) => ({
      block: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('x', '$a', '#fff', ' ', '## c\n', '\\#if', "it's"),
        fc.tuple(tie('block'), tie('block')).map(([a, b]) => `${a} ${b}`),
        tie('block').map((inner) => `#if($a == ")")${inner}#{else}${inner}#end`),
        tie('block').map((inner) => `#foreach($i in $l.of('('))${inner}#{end}`),
      ),
    }));
    fc.assert(
      fc.property(block, (text) => {
        expect(problemsIn(text)).toEqual([]);
        expect(problemsIn(`${text}#end`)).toHaveLength(1);
        expect(problemsIn(`#if($a)${text}`)).toHaveLength(1);
      }),
    );
  });

  // A scanner that starts again at each place would take hours.
  it.each(
    [
      '#if(~$a.b(~${a~${a|${~$a.b($a.~#foreach($a in $b)~#end~\\~"~#if(\'~#*~#[['.split('~'),
      '$a[~$$~##~#{~#@m(~$a.a~#set($a=~#macro(a ~#set( ~#foreach($a ~x'.split('~'),
    ].flat(),
  )('takes time in proportion to its length: %s', (piece) => {
    const text = piece.repeat(400_000 / piece.length);
    expect(scanVelocity(text).problems.length).toBeLessThanOrEqual(20);
    expect(scanVelocity(`#if(${text}`).problems.length).toBeLessThanOrEqual(20);
  });
});

it("finds no problems in the vendor's texts", () => {
  const seed: { templateDefaults: JsonObject[]; templates: JsonObject[] } = parse(
    readFileSync(new URL('../../examples/sandbox.seed.yaml', import.meta.url), 'utf8'),
  );
  const texts = [...seed.templateDefaults, ...seed.templates].flatMap((fields) =>
    Object.values(fields).filter((value) => typeof value === 'string'),
  );
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.flatMap((text) => scanVelocity(text).problems)).toEqual([]);
});
