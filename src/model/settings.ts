import {
  defaultIdentityService,
  defaultProfileManagementService,
  type IdentityService,
  type ProfileManagementService,
} from '../generated/schemas/project.ts';

type Details<T> = Required<Omit<T, 'baseUrl' | 'tokenUrl' | 'auth' | 'tls' | 'preset'>>;

/** How a tenant differs from the documented API, as its environment declares it (api-notes; docs/environments.md). */
export interface ApiSettings extends Details<IdentityService>, Details<ProfileManagementService> {}

export const contractSettings: ApiSettings = {
  ...defaultIdentityService,
  ...defaultProfileManagementService,
};
