/**
 * Whether every case is tried, as CI does (`TENANTCTL_THOROUGH=1`). Elsewhere a sixth of them show a mistake, and
 * nobody waits long.
 */
export const isThorough = Boolean(process.env.TENANTCTL_THOROUGH);

/** How often a property is tried. */
export function runs(thoroughly: number): number {
  return isThorough ? thoroughly : Math.ceil(thoroughly / 5);
}

/** The cases that are tried. */
export function casesOf<T>(all: readonly T[]): readonly T[] {
  return isThorough ? all : all.filter((_, at) => at % 6 === 0);
}
