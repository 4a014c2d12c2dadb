import type { Diagnostic } from '../model/diagnostic.ts';
import { type LintCode, type LintLevels, lintRules } from '../model/lint.ts';
import type { Pointer } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';

/** Something that a rule has to say. */
export interface Finding {
  readonly code: LintCode;
  readonly message: string;
  readonly hint?: string | null;
  readonly resource: Resource;
  readonly at: Pointer;
  /** Characters into the text at `at`. */
  readonly offset?: number;
  /** Its line is not shown: a credential may stand there. */
  readonly isUnshown?: true;
}

/** The finding at the level its rule has; nothing where that is `off`. */
export function diagnosticsOf(finding: Finding, levels: LintLevels): Diagnostic[] {
  const { code, message, hint, resource, at, offset, isUnshown } = finding;
  const severity = levels[code] ?? lintRules[code].level;
  if (severity === 'off') return [];
  const { source, excerpt } = resource.point(at, offset);
  return [
    {
      code,
      severity,
      message,
      source,
      ...(excerpt === '' || isUnshown ? {} : { excerpt }),
      ...(hint ? { hint } : {}),
      address: resource.address,
    },
  ];
}

/** Text of unknown origin, short enough for a message. */
export function brief(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** `a, b and c`; of many only the first ten. */
export function listed(words: readonly string[]): string {
  const shown = words.length > 10 ? [...words.slice(0, 10), `${words.length - 10} more`] : words;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
