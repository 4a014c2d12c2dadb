import type { Resource } from '../../src/kinds/resource.ts';
import { type LintKnowledge, lint } from '../../src/lint/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { liveFrom, resource } from '../support/plan.ts';

export const template = (fields: JsonObject, key = ['welcome', 'EMAIL', 'en']) =>
  resource('NotificationTemplate', key, fields);

/** The vendor's default of a template. */
export const standard = (
  fields: JsonObject,
  [key = '', medium = '', locale = ''] = ['welcome', 'EMAIL', 'en'],
) => liveFrom({ kind: 'NotificationTemplate', raw: { key, medium, locale, ...fields } });

export const liveSender = (email: string, verificationStatus = 'SUCCESS') =>
  liveFrom({ kind: 'SenderAddress', raw: { id: email, email, verificationStatus } });

export const liveDomain = (name: string, dkimVerificationStatus = 'SUCCESS') =>
  liveFrom({ kind: 'VerifiedDomain', raw: { id: name, address: name, dkimVerificationStatus } });

export const codes = (resources: readonly Resource[], known: LintKnowledge | null = null) =>
  lint({ resources, known, levels: {} }).map(({ code }) => code);
