import { parse } from 'velocityjs';
import { isObject, type Json, own, textOf } from '../model/json.ts';
import { type Pointer, pointer } from '../model/pointer.ts';
import { asJson, isReference, nodesIn, type Tree, typeOf } from './velocity.ts';

/** A part of a template that a directive guards: an arm of an `#if`, or the body of a `#foreach` or a `#macro`. */
export interface Arm {
  /** The arm around it; `null` for the template itself. */
  readonly above: Arm | null;
  /** The directive, to compare lines by where they stand. */
  readonly name: string;
  /** The conditions that decide about it. */
  readonly choices: readonly Choice[];
}

/** A condition, and whether it holds. */
export interface Choice {
  /** The condition as it is written. */
  readonly condition: string;
  readonly holds: boolean;
  /** What the condition compares with a text or a number, where it is such a comparison. */
  readonly equals: { readonly at: Pointer; readonly value: Json } | null;
}

/** A line of a template, or the part of it in one arm. */
export interface Line {
  readonly text: string;
  readonly arm: Arm;
}

/** A template whose arms can be told from each other while it is rendered. */
export interface BranchedTemplate {
  /** With a mark at the beginning of each arm. */
  readonly tree: Tree;
  /** Marks are comments, which render to nothing. */
  readonly marks: ReadonlyMap<unknown, Arm>;
  /** The conditions of the tree, each as it is written. */
  readonly conditions: ReadonlyMap<unknown, string>;
  /** Lines that are not blank. */
  readonly lines: readonly Line[];
  readonly hasLoops: boolean;
  /** The template itself, outside of all directives. */
  readonly outside: Arm;
}

/** Reads the arms of a template. Throws what the library throws for text that is not Velocity. */
export function readBranches(text: string): BranchedTemplate {
  const tree = parse(text);
  const reader = new Reader(text.split('\n'));
  const outside: Arm = { above: null, name: '', choices: [] };
  reader.read(tree, outside);
  reader.endLine(outside);
  const { marks, conditions, lines, hasLoops } = reader;
  return { tree, marks, conditions, lines, hasLoops, outside };
}

/** The arms around a line, and itself, from the outside to the inside. */
export function armsAround(arm: Arm): readonly Arm[] {
  return arm.above === null ? [arm] : [...armsAround(arm.above), arm];
}

class Reader {
  readonly marks = new Map<unknown, Arm>();
  readonly conditions = new Map<unknown, string>();
  readonly lines: Line[] = [];
  hasLoops = false;
  readonly #source: readonly string[];
  #line = '';

  constructor(source: readonly string[]) {
    this.#source = source;
  }

  /** Reads a list of the tree: the text of an arm, or a block, which begins with its directive. */
  read(list: unknown[], arm: Arm): void {
    let within = arm;
    let failed: readonly Choice[] = [];
    // The list gets longer by the marks.
    for (let at = 0; at < list.length; at += 1) {
      const node = list[at];
      if (Array.isArray(node)) this.read(node, within);
      else if (typeof node === 'string') this.#addText(node, within);
      else if (!opensArm(node)) this.#addText(JSON.stringify(node, withoutPlace), within);
      else {
        this.endLine(within);
        within = this.#armOf(node, arm, failed);
        failed = within.choices.map((choice) => ({ ...choice, holds: false }));
        list.splice(at + 1, 0, this.#markOf(within));
        at += 1;
      }
    }
    if (within !== arm) this.endLine(within);
  }

  endLine(arm: Arm): void {
    if (this.#line.trim() !== '') this.lines.push({ text: this.#line.trim(), arm });
    this.#line = '';
  }

  /** @param failed the conditions of the same `#if` before this arm */
  #armOf(node: unknown, above: Arm, failed: readonly Choice[]): Arm {
    const type = typeOf(node);
    if (type === 'foreach') this.hasLoops = true;
    const name = `#${type}${JSON.stringify(node, withoutPlace)}`;
    const condition = conditionOf(node);
    if (condition === undefined) return { above, name, choices: type === 'else' ? failed : [] };
    const written = this.#textOf(node);
    this.conditions.set(condition, written);
    const choice = { condition: written, holds: true, equals: comparisonIn(asJson(condition)) };
    return { above, name, choices: [...failed, choice] };
  }

  /** What stands in the parentheses of a directive. */
  #textOf(node: unknown): string {
    const directive = asJson(node);
    const place = isObject(directive) ? own(directive, 'pos') : undefined;
    const at = (name: string) => (isObject(place) ? Number(own(place, name)) : 0);
    const lines = this.#source.slice(at('first_line') - 1, at('last_line'));
    const last = lines.length - 1;
    const written = lines
      .map((line, index) => (index === last ? line.slice(0, at('last_column')) : line))
      .map((line, index) => (index === 0 ? line.slice(at('first_column')) : line))
      .join(' ');
    return written.slice(written.indexOf('(') + 1, written.lastIndexOf(')')).trim();
  }

  #markOf(arm: Arm): unknown {
    const mark = { type: 'comment', value: '' };
    this.marks.set(mark, arm);
    return mark;
  }

  #addText(text: string, arm: Arm): void {
    const [first = '', ...rest] = text.split('\n');
    this.#line += first;
    for (const line of rest) {
      this.endLine(arm);
      this.#line = line;
    }
  }
}

/** `$state == "APPROVED"` as a path and a value. */
function comparisonIn(condition: Json): Choice['equals'] {
  if (!isObject(condition) || textOf(condition, 'operator') !== '==') return null;
  const [left = null, right = null] = nodesIn(own(condition, 'expression'));
  const at = pathOf(left);
  const value = isObject(right) ? own(right, 'value') : undefined;
  if (at === null || value === undefined) return null;
  return { at, value: typeOf(right) === 'integer' ? Number(value) : value };
}

/** `/user/name` for `$user.name`; `null` for a reference with calls or items. */
function pathOf(reference: Json): Pointer | null {
  if (!isReference(reference)) return null;
  const steps = nodesIn(own(reference, 'path')).map((step) =>
    typeOf(step) === 'property' && isObject(step) ? textOf(step, 'id') : null,
  );
  const names = [textOf(reference, 'id'), ...steps];
  return names.every((name) => name !== null) ? pointer(...names) : null;
}

function opensArm(node: unknown): boolean {
  return ['if', 'elseif', 'else', 'foreach', 'macro', 'define'].includes(typeOf(node));
}

function conditionOf(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'condition' in node ? node.condition : undefined;
}

function withoutPlace(name: string, value: unknown): unknown {
  return name === 'pos' ? undefined : value;
}
