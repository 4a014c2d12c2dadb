import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { pointer } from '../../src/model/pointer.ts';

/** A line of a manifest and the value it belongs to. */
export interface Line {
  readonly text: string;
  readonly owner: string;
  /** Whether the line holds the value, is the key of the value below, or is a comment or blank line above it. */
  readonly role: 'value' | 'lead' | 'remark';
}

/** Draws a number below `limit`. */
export type Dice = (limit: number) => number;

/** Tags that may stand for a text: the text by what is written. */
export type Stand = ReadonlyMap<string, string>;

/** A document as one of many people might have written it: own comments, quotes, styles, margins. */
export function printStyled(value: JsonObject, dice: Dice, stands: Stand): Line[] {
  const lines: Line[] = [];
  if (dice(3) === 0) lines.push({ text: '# a manifest', owner: '/', role: 'remark' });
  lines.push(...members(value, '', '', dice, stands));
  if (dice(4) === 0) lines.push({ text: '# the end', owner: '/', role: 'remark' });
  return lines;
}

function members(value: JsonObject, at: string, margin: string, dice: Dice, stands: Stand): Line[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const place = `${at}${pointer(name)}`;
    const key = /^[a-z_]\w*$/i.test(name) && !reserved.test(name) && dice(4) > 0 ? name : quoted(name, dice);
    return [...remarks(margin, place, dice), ...entry(`${margin}${key}:`, item, place, margin, dice, stands)];
  });
}

function items(value: readonly Json[], at: string, margin: string, dice: Dice, stands: Stand): Line[] {
  return value.flatMap((item, index) => {
    const place = `${at}${pointer(index)}`;
    const before = remarks(margin, place, dice);
    if (isObject(item) && Object.keys(item).length > 0 && dice(2) === 0) {
      const [first, ...rest] = members(item, place, `${margin}  `, () => 1, stands);
      if (first) return [...before, { ...first, text: `${margin}- ${first.text.trimStart()}` }, ...rest];
    }
    return [...before, ...entry(`${margin}-`, item, place, margin, dice, stands)];
  });
}

/** What follows `key:` or `-`. */
function entry(lead: string, value: Json, at: string, margin: string, dice: Dice, stands: Stand): Line[] {
  const deeper = margin + ['  ', '    '][dice(2)];
  const isFull = (isArray(value) && value.length > 0) || (isObject(value) && Object.keys(value).length > 0);
  if (isFull && dice(3) > 0) {
    const below = isArray(value)
      ? items(value, at, lead.trim() === '-' || dice(2) === 0 ? deeper : margin, dice, stands)
      : members(value, at, deeper, dice, stands);
    return [{ text: lead + aside(dice), owner: at, role: 'lead' }, ...below];
  }
  if (typeof value === 'string' && isBlock(value) && dice(2) === 0) {
    const chomp = value.endsWith('\n') ? '' : '-';
    const body = value.replace(/\n$/, '').split('\n');
    return [
      { text: `${lead} |${chomp}${aside(dice)}`, owner: at, role: 'value' as const },
      ...body.map((text) => ({ text: text === '' ? '' : deeper + text, owner: at, role: 'value' as const })),
    ];
  }
  return [
    {
      text: `${lead}${' '.repeat(1 + dice(2))}${flow(value, dice, stands)}${aside(dice)}`,
      owner: at,
      role: 'value' as const,
    },
  ];
}

function flow(value: Json, dice: Dice, stands: Stand): string {
  if (isArray(value)) {
    const inner = value.map((item) => flow(item, dice, stands)).join([', ', ',  '][dice(2)]);
    return dice(2) === 0 ? `[${inner}]` : `[ ${inner} ]`;
  }
  if (isObject(value)) {
    const inner = Object.entries(value).map(
      ([name, item]) => `${quoted(name, dice)}: ${flow(item, dice, stands)}`,
    );
    return `{ ${inner.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  const stand = stands.get(value);
  if (stand !== undefined && dice(2) === 0) return stand;
  if (/^[a-z][a-z0-9 ]*$/i.test(value) && !value.endsWith(' ') && !reserved.test(value) && dice(2) === 0)
    return value;
  return quoted(value, dice);
}

function quoted(text: string, dice: Dice): string {
  const simple = /^[\x20-\x7e]*$/.test(text);
  return simple && dice(2) === 0 ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}

const isBlock = (text: string): boolean =>
  /^[^\s].*\n/.test(text) && /^[\x20-\x7e\n]*$/.test(text) && !/ (\n|$)|\n\n$/.test(text);

function remarks(margin: string, owner: string, dice: Dice): Line[] {
  const drawn = dice(8);
  if (drawn === 0) return [{ text: '', owner, role: 'remark' }];
  if (drawn === 1) return [{ text: `${margin}# remark: { on, what follows }`, owner, role: 'remark' }];
  return [];
}

const aside = (dice: Dice): string => (dice(5) === 0 ? '  # aside' : '');

const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i;
