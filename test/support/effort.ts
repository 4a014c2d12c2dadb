/**
 * `TENANTCTL_THOROUGH=4`: one in four cases is tried, as CI does, and others for another state of the files. `1` tries all.
 * Without it, one of sixteen, or eight of a set of hundreds, show a mistake, and nobody waits long.
 */
const oneIn = Number(process.env.TENANTCTL_THOROUGH ?? 0);

export const isThorough = oneIn > 0;

/** How often a property is tried. */
export const runs = (thoroughly: number): number => Math.ceil(thoroughly / (oneIn || 20));

/**
 * The cases that are tried.
 *
 * @param group how many cases in a row belong together, such as one fault at every request. Of each group another
 * part is tried: the stride shares no factor with it.
 */
export function casesOf<T>(all: readonly T[], group = 1): readonly T[] {
  let stride = oneIn || Math.max(16, Math.ceil(all.length / 8));
  while (commonFactor(stride, group) > 1) stride += 1;
  const first = Number(process.env.TENANTCTL_TEST_SEED ?? 0) % Math.min(stride, all.length);
  return all.filter((_, at) => at % stride === first);
}

const commonFactor = (a: number, b: number): number => (b === 0 ? a : commonFactor(b, a % b));
