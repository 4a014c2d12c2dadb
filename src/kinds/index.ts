import { authProfile } from './auth-profile.ts';
import { kindFrom } from './described-kind.ts';
import { descriptorFrom } from './descriptor.ts';
import { identityResource } from './http.ts';
import { mailFrom } from './mail-from.ts';
import { notificationPreference, notificationTemplate } from './notifications.ts';
import { profileSearch } from './profile-search.ts';
import { catalogOf, type Kinds } from './project.ts';
import { senderAddress } from './sender-address.ts';
import { simIntegration } from './sim-integration.ts';
import { verifiedDomain } from './verified-domain.ts';

/** Kinds that tenantctl only reads, as the vendor describes them. A project's own descriptor of such a name replaces it. */
const readOnlyKinds = [
  descriptorFrom({
    kind: 'Identity',
    summary: 'A person, by the technical name (alias); read only, for references.',
    path: '/v2025/identities',
    // The display name is not unique. According to users, not the documents, the alias is.
    key: 'alias',
    list: { pageSize: 250, counts: true, filter: true },
  }),
  descriptorFrom({
    kind: 'Source',
    summary: 'A source of accounts; read only, for references.',
    path: '/v2025/sources',
    list: { pageSize: 250, counts: true, filter: true },
  }),
  descriptorFrom({
    kind: 'Cluster',
    summary: 'A cluster of virtual appliances; read only, for references.',
    path: '/v2025/managed-clusters',
    list: { pageSize: 250 },
  }),
];

/** The successor of SimIntegration, fully described by data (the vendor's public API description). */
const serviceDesk = descriptorFrom({
  kind: 'ServiceDeskIntegration',
  summary:
    'A service-desk integration that turns provisioning into tickets; the successor of SimIntegration.',
  path: '/v2025/service-desk-integrations',
  list: { pageSize: 250, filter: true },
  update: 'json-patch',
  fields: {
    description: 'text',
    type: 'value',
    ownerRef: { is: 'reference', to: 'Identity', type: 'IDENTITY' },
    clusterRef: { is: 'reference', to: 'Cluster', type: 'CLUSTER' },
    // A kind of that name exists if a project describes it.
    beforeProvisioningRule: { is: 'reference', to: 'ConnectorRule', type: 'RULE' },
    provisioningConfig: { is: 'json', declares: 'members' },
    attributes: { is: 'json', declares: 'members' },
  },
  places: {
    'provisioningConfig/managedResourceRefs': 'set',
    'provisioningConfig/managedResourceRefs/*/id': { is: 'reference', by: 'type', to: { SOURCE: 'Source' } },
    'provisioningConfig/universalManager': 'serverOwned',
  },
  // The description calls the last two deprecated: they repeat `clusterRef` and `provisioningConfig`.
  serverOwned: ['id', 'created', 'modified', 'cluster', 'managedSources'],
  write: { patchOps: 'replace', required: ['description', 'type', 'attributes'] },
});

/** Referenced kinds come first, AuthProfile last: a change to one can cut off the credentials that the run still needs. */
export const builtInKinds: Kinds = catalogOf([
  ...readOnlyKinds.map((each) => kindFrom(each)),
  verifiedDomain,
  mailFrom,
  senderAddress,
  notificationTemplate,
  notificationPreference,
  simIntegration,
  kindFrom(serviceDesk, {
    resource: identityResource('ServiceDeskIntegration', 'v2025', 'service-desk-integrations'),
  }),
  profileSearch,
  authProfile,
]);
