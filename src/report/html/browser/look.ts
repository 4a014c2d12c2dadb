/** How an e-mail is shown. */
export interface Look {
  readonly isDark: boolean;
  readonly hasImages: boolean;
}

const schemes = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;

/** Media conditions as the e-mail has them. */
const original = new WeakMap<CSSMediaRule, string>();

/**
 * Shows an e-mail as a mail program does that is dark or loads no images. Returns whether the e-mail has a dark style of its
 * own; one without stays light.
 */
export function applyLook(of: Document, { isDark, hasImages }: Look): boolean {
  const root = of.documentElement;
  const hasDark = mediaRulesOf(of)
    .map((rule) => chooseScheme(rule, isDark))
    .includes(true);
  root.style.colorScheme = isDark && hasDark ? 'dark' : 'light';
  root.dataset.images = hasImages ? 'on' : 'off';
  const [from, to] = hasImages ? ['data-src', 'src'] : ['src', 'data-src'];
  for (const image of root.querySelectorAll(`img[${from}]`)) {
    image.setAttribute(to, image.getAttribute(from) ?? '');
    image.removeAttribute(from);
  }
  return hasDark;
}

/** The rules with a condition about the color scheme. The browser's own scheme does not count for them. */
function mediaRulesOf({ styleSheets, defaultView }: Document): CSSMediaRule[] {
  const Media = defaultView?.CSSMediaRule;
  const Group = defaultView?.CSSGroupingRule;
  if (!Media || !Group) return [];
  const within = (rules: CSSRuleList): CSSMediaRule[] =>
    [...rules].flatMap((rule) => [
      ...(rule instanceof Media && (original.get(rule) ?? rule.media.mediaText).match(schemes) ? [rule] : []),
      ...(rule instanceof Group ? within(rule.cssRules) : []),
    ]);
  return [...styleSheets].flatMap((sheet) => within(sheet.cssRules));
}

/** Returns whether the rule is for dark mail programs. */
function chooseScheme(rule: CSSMediaRule, isDark: boolean): boolean {
  const text = original.get(rule) ?? rule.media.mediaText;
  original.set(rule, text);
  rule.media.mediaText = text.replace(schemes, (_all, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? '(min-width: 0px)' : '(max-width: 0px)',
  );
  return /scheme\s*:\s*dark/i.test(text);
}
