import type { JsonObject } from '../model/json.ts';
import { withValueAt } from '../model/pointer.ts';
import {
  type Arm,
  armsAround,
  type BranchedTemplate,
  type Choice,
  type Line,
  readBranches,
} from './branches.ts';
import type { Further, FurtherQuestion, FurtherRendering, Texts } from './outcome.ts';
import { sampleContext } from './sample.ts';
import { evaluate } from './velocity.ts';

/** Nobody compares more pictures than these. */
const maxRenderings = 4;
/** Where more arms are not reached, only the first are tried. */
const maxAttempts = 40;
const maxCondition = 80;

/** The texts of one side. */
type Side = ReadonlyMap<string, BranchedTemplate>;
type BothSides = readonly [before: Side | null, after: Side | null];

/** Values to render both sides with. */
interface Attempt {
  readonly title: string;
  readonly context: JsonObject;
  /** What conditions come to, whatever the context says. */
  readonly decided: ReadonlyMap<string, boolean>;
}

/**
 * Finds the changed lines that the usual sample values do not reach, and renders both sides with the fewest other values
 * that reach them: with lists of 0, 1 and 3 items, and with conditions that hold or do not. Throws what the library throws
 * for text that is not Velocity.
 *
 * @param maxCharacters of all renderings together
 */
export function renderFurther(question: FurtherQuestion, maxCharacters: number): Further {
  const sides: BothSides = [readSide(question.before), readSide(question.after)];
  const contextWith = (items: number) => {
    const trees = templatesIn(sides).map(({ tree }) => tree);
    return sampleContext(trees, { attributes: question.attributes, items });
  };
  const context = contextWith(2);
  const reached = findReached({ title: '', context, decided: new Map() }, sides);
  const missed = changedLines(sides).filter(({ arm }) => !reached.has(arm));
  if (missed.length === 0) return { renderings: [], unseen: 0 };
  const attempts = [...attemptsWithItems(sides, contextWith), ...attemptsFor(missed, context)];
  return renderFewest(attempts, missed, sides, maxCharacters);
}

/** Renders what reaches the most of the missed lines, then of those that are left, and so on up to the limits. */
function renderFewest(
  attempts: readonly Attempt[],
  missed: readonly Line[],
  sides: BothSides,
  maxCharacters: number,
): Further {
  const tried = attempts.map((attempt) => ({ attempt, arms: findReached(attempt, sides) }));
  let left = missed;
  const renderings: FurtherRendering[] = [];
  let characters = maxCharacters;
  while (renderings.length < maxRenderings) {
    const countShown = (arms: ReadonlySet<Arm>) => left.filter(({ arm }) => arms.has(arm)).length;
    const best = tried.toSorted((a, b) => countShown(b.arms) - countShown(a.arms))[0];
    if (!best || countShown(best.arms) === 0) break;
    const rendering = renderBoth(best.attempt, sides);
    characters -= lengthOf(rendering);
    if (characters < 0) break;
    renderings.push(rendering);
    left = left.filter(({ arm }) => !best.arms.has(arm));
  }
  return { renderings, unseen: left.length };
}

function readSide(texts: Texts | null): Side | null {
  return texts && new Map(Object.entries(texts).map(([name, text]) => [name, readBranches(text)]));
}

function templatesIn(sides: BothSides): BranchedTemplate[] {
  return sides.flatMap((side) => (side ? [...side.values()] : []));
}

/** The lines that only one side has. A line in another arm is another line. */
function changedLines([before, after]: BothSides): readonly Line[] {
  const linesOf = (side: Side | null) => (side ? [...side.values()].flatMap(({ lines }) => lines) : []);
  return [...without(linesOf(before), linesOf(after)), ...without(linesOf(after), linesOf(before))];
}

/** The lines less the others, each as often as it occurs. */
function without(lines: readonly Line[], others: readonly Line[]): readonly Line[] {
  const counts = new Map<string, number>();
  for (const key of others.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return lines.filter((line) => {
    const count = counts.get(keyOf(line)) ?? 0;
    counts.set(keyOf(line), count - 1);
    return count <= 0;
  });
}

function keyOf({ text, arm }: Line): string {
  return JSON.stringify([text, armsAround(arm).map(({ name, choices }) => [name, choices])]);
}

function attemptsWithItems(sides: BothSides, contextWith: (items: number) => JsonObject): readonly Attempt[] {
  if (!templatesIn(sides).some(({ hasLoops }) => hasLoops)) return [];
  return [
    { title: 'with no items', context: contextWith(0), decided: new Map() },
    { title: 'with one item', context: contextWith(1), decided: new Map() },
    { title: 'with three items', context: contextWith(3), decided: new Map() },
  ];
}

/** For each arm with such a line, values that lead into it. */
function attemptsFor(lines: readonly Line[], context: JsonObject): readonly Attempt[] {
  const arms = [...new Set(lines.map(({ arm }) => arm))].slice(0, maxAttempts);
  const attempts = arms.map((arm) => {
    const choices = armsAround(arm).flatMap((around) => around.choices);
    const decided = new Map(choices.map(({ condition, holds }) => [condition, holds]));
    const values = choices.reduce(
      (changed, { equals, holds }) =>
        equals && holds ? withValueAt(changed, equals.at, equals.value) : changed,
      context,
    );
    return { title: titleOf(arm), context: values, decided };
  });
  return [...new Map(attempts.map((attempt) => [attempt.title, attempt])).values()];
}

/** Of an `#elseif`, only its own condition is named; of an `#else`, all that fail. */
function titleOf(arm: Arm): string {
  const named = armsAround(arm).flatMap(({ choices }) => {
    const own = choices.filter(({ holds }) => holds);
    return own.length > 0 ? own : choices;
  });
  return `where ${[...new Set(named.map(wordsFor))].join(' and ')}`;
}

function wordsFor({ condition, holds }: Choice): string {
  const short = condition.length > maxCondition ? `${condition.slice(0, maxCondition)} …` : condition;
  const isReference = /^\$!?\{?[\w.]+\}?$/.test(condition);
  if (isReference) return `\`${short}\` is ${holds ? 'set' : 'not set'}`;
  return `\`${short}\`${holds ? '' : ' does not hold'}`;
}

/** The arms that are rendered. Values that lead to an error reach none. */
function findReached(attempt: Attempt, sides: BothSides): ReadonlySet<Arm> {
  const arms = new Set<Arm>();
  try {
    for (const template of templatesIn(sides)) render(template, attempt, (arm) => arms.add(arm));
    return arms;
  } catch {
    return new Set();
  }
}

function renderBoth(attempt: Attempt, [before, after]: BothSides): FurtherRendering {
  const texts = (side: Side | null) =>
    side && Object.fromEntries([...side].map(([name, template]) => [name, render(template, attempt)]));
  return { title: attempt.title, before: texts(before), after: texts(after) };
}

function render(template: BranchedTemplate, attempt: Attempt, onArm: (arm: Arm) => void = () => {}): string {
  onArm(template.outside);
  return evaluate(template.tree, attempt.context, {
    onNode(node) {
      const arm = template.marks.get(node);
      if (arm) onArm(arm);
    },
    decide: (condition) => attempt.decided.get(template.conditions.get(condition) ?? ''),
  });
}

function lengthOf({ before, after }: FurtherRendering): number {
  const texts = [...Object.values(before ?? {}), ...Object.values(after ?? {})];
  return texts.reduce((sum, text) => sum + text.length, 0);
}
