import type { Resource } from '../kinds/resource.ts';
import { type Diagnostic, noteOverlay } from '../model/diagnostic.ts';
import { type LintCode, type LintLevels, lintRules } from '../model/lint.ts';
import type { Pointer } from '../model/pointer.ts';

/** What a rule reports about a resource. */
export interface Finding {
  readonly code: LintCode;
  readonly message: string;
  readonly hint?: string | null;
  readonly resource: Resource;
  readonly at: Pointer;
  /** Characters from the start of the text at `at`. */
  readonly offset?: number;
  /** Its line is not shown, because it may contain a credential. */
  readonly isUnshown?: true;
}

/** The finding with the level of its rule; empty if the level is `off`. */
export function toDiagnostics(finding: Finding, levels: LintLevels): Diagnostic[] {
  const { code, message, hint, resource, at, offset, isUnshown } = finding;
  const severity = levels[code] ?? lintRules[code].level;
  if (severity === 'off') return [];
  const { source, excerpt } = resource.point(at, offset);
  return [
    {
      code,
      severity,
      message: noteOverlay(message, resource.overlayAt(at) !== null),
      source,
      ...(excerpt === '' || isUnshown ? {} : { excerpt }),
      ...(hint ? { hint } : {}),
      address: resource.address,
    },
  ];
}

/** Shortens text of unknown origin for a message. */
export function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
