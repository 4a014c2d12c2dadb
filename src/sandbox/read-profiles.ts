import { Fields, type Read, reader } from './shape.ts';
import {
  attributeKinds,
  type ConditionRule,
  type NeAttribute,
  type Profile,
  type ProfileSearch,
  type ProfileType,
  profileStates,
  ruleTypes,
  type User,
  uuid,
} from './state.ts';

export const readUser = reader<User>((fields) => {
  const login = fields.text('login');
  return {
    id: fields.textOr('id', uuid('User', login)),
    uid: fields.textOr('uid', login),
    name: fields.text('name'),
    login,
    email: fields.text('email'),
    status: fields.textOr('status', 'Active'),
  };
});

export const readProfileType = reader<ProfileType>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('ProfileType', uid)),
    uid,
    name: fields.text('name'),
    category: fields.textOrNull('category'),
  };
});

export const readNeAttribute = reader<NeAttribute>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('NeAttribute', uid)),
    uid,
    label: fields.text('label'),
    data_type: fields.choice('data_type', attributeKinds, 'text'),
    date_format: fields.textOrNull('date_format'),
  };
});

export const readProfile = reader<Profile>((fields) => {
  const uid = fields.text('uid');
  return {
    id: fields.textOr('id', uuid('Profile', uid)),
    uid,
    name: fields.text('name'),
    status: fields.choice('status', profileStates, 'Active'),
    profile_type_id: fields.text('profile_type_id'),
    attributes: { ...fields.objectOrNull('attributes') },
  };
});

export const readProfileSearch: Read<ProfileSearch> = (value, at) => {
  const fields = new Fields(value, at);
  const label = fields.text('label');
  const id = fields.textOr('id', uuid('ProfileSearch', label));
  let number = 0;
  const readRule = reader<ConditionRule>((rule) => {
    number += 1;
    return {
      id: rule.textOr('id', uuid('ConditionRule', id, String(number))),
      type: rule.choice('type', ruleTypes),
      comparison_operator: rule.text('comparison_operator'),
      value: rule.text('value'),
      condition_object_id: rule.textOrNull('condition_object_id'),
    };
  });
  const search: ProfileSearch = {
    id,
    uid: fields.textOr('uid', uidOf(label)),
    label,
    rules: fields.list('rules', readRule),
  };
  fields.done();
  return search;
};

/** The uid a tenant makes from a label. */
export function uidOf(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}
