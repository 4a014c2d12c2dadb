import type { Plan } from './plan.ts';

declare const TENANTCTL_VERSION: string | undefined;

/** The version in package.json, filled in by the build. */
export const version = typeof TENANTCTL_VERSION === 'string' ? TENANTCTL_VERSION : '0.0.0-source';

export const tool: Plan['tool'] = { name: 'tenantctl', version };
