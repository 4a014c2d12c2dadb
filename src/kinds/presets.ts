import type { ApiSettings } from '../model/tenant.ts';
import type { Service } from './http.ts';

/** The known settings for the hosts of a product, under one name in the project file (api-notes, "Presets"). */
interface Preset {
  readonly service: Service;
  readonly product: string;
  /** The ends of the names of its hosts. A tenant may also have a domain of its own. */
  readonly hosts: readonly string[];
  readonly settings: Partial<ApiSettings>;
}

export const presets = {
  'sailpoint-isc': {
    service: 'identity',
    product: 'SailPoint Identity Security Cloud',
    hosts: ['.api.identitynow.com', '.api.identitynow-demo.com'],
    settings: {
      experimentalHeader: 'X-SailPoint-Experimental',
      jsonText: 'object',
      sendTest: 'extended',
      mailFrom: 'path',
      preferences: 'write',
      templateVariables: 'listed',
    },
  },
  'sailpoint-nerm': {
    service: 'profiles',
    product: 'SailPoint Non-Employee Risk Management',
    hosts: ['.nonemployee.com'],
    settings: { profileSearchObjectType: 'attribute_class', collectionQuery: 'named' },
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

export const presetNames: readonly PresetName[] = ['sailpoint-isc', 'sailpoint-nerm'];
