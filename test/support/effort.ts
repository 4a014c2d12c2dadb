/**
 * Whether every case is tried, as CI does (`TENANTCTL_THOROUGH=1`). Elsewhere one of sixteen, or eight of a set of hundreds,
 * show a mistake, and nobody waits long.
 */
export const isThorough = Boolean(process.env.TENANTCTL_THOROUGH);

/** How often a property is tried. */
export const runs = (thoroughly: number): number => (isThorough ? thoroughly : Math.ceil(thoroughly / 20));

/**
 * The cases that are tried.
 *
 * @param group how many cases in a row belong together, such as one fault at every request. Of each group another
 * part is tried: the stride shares no factor with it.
 */
export function casesOf<T>(all: readonly T[], group = 1): readonly T[] {
  if (isThorough) return all;
  let stride = Math.max(16, Math.ceil(all.length / 8));
  while (commonFactor(stride, group) > 1) stride += 1;
  return all.filter((_, at) => at % stride === 0);
}

const commonFactor = (a: number, b: number): number => (b === 0 ? a : commonFactor(b, a % b));
