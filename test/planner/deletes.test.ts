import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/model/digest.ts';
import { isRefused, type Plan } from '../../src/model/documents.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { findUndeclared } from '../../src/planner/deletes.ts';
import { type Answer, answers, inputOf, liveObjects, planOf, resource } from '../support/plan.ts';

const { search } = answers;
const sender = (id: string | null, email: string): Answer => ({ kind: 'SenderAddress', raw: { id, email } });
const template = (parts: JsonObject) => answers.template('welcome', parts, 'n1');
const gone = (kind: string, ...key: string[]) => resource(kind, key, {}, { ensure: 'absent' });
const prune = (...kinds: string[]) => ({ policy: { prune: { kinds, keep: [] } }, scope: { prune: true } });
const renamed = resource('ProfileSearch', ['New'], { rules: [] }, { lifecycle: { renamedFrom: ['Old'] } });
const changesOf = ({ changes }: Plan) => changes.map(({ action, address }) => `${action} ${address}`);
const errorsOf = ({ diagnostics }: Plan) =>
  diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);

describe('--prune', () => {
  it.each([
    ['a medium', template({ medium: 'PUSH' })],
    ['a locale', template({ locale: '!' })],
    ['a key', template({ key: '' })],
    ['a rule', search(1, 'Risky', [{ type: 'NoSuchRule', comparison_operator: '==', value: 'x' }])],
  ])('leaves an object with %s that no manifest could declare, and says so', (_what, answer) => {
    const settings = { profileSearchDelete: true };
    const other = answer.kind === 'ProfileSearch' ? search(2, 'Left') : template({ id: 'n2', key: 'left' });
    const plan = planOf({ declared: [], live: [answer, other], settings, ...prune(answer.kind) });
    expect(plan.changes).toMatchObject([{ action: 'delete', id: String(other.raw.id) }]);
    const message = expect.stringContaining('no manifest could declare');
    const kept = expect.objectContaining({ code: 'kept', severity: 'info', message });
    expect(plan.diagnostics).toContainEqual(kept);
  });

  it('plans the same, in whatever order the tenant lists its objects', () => {
    const left = ['c', 'a', 'd', 'b'].map((key) => template({ id: key, key }));
    const kept = [{ locale: '!' }, { medium: 'PUSH' }].map((odd, at) => template({ id: `${at}`, ...odd }));
    const digestOf = (live: readonly Answer[]) =>
      planOf({ declared: [], live, ...prune('NotificationTemplate') }).digest;
    expect(digestOf([...left, ...kept])).toBe(digestOf([...left, ...kept].toReversed()));
    expect(digestOf(left)).toBe(digestOf(left.toReversed()));
  });

  it('leaves an object that it could only delete by an id that the tenant does not show', () => {
    const live = [sender(null, 'a@acme.example'), sender('2', 'b@acme.example')];
    const plan = planOf({ declared: [], live, ...prune('SenderAddress') });
    expect(changesOf(plan)).toEqual(['delete SenderAddress/b%40acme.example']);
    expect(plan.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'kept', message: expect.stringContaining('no id') }),
    );
  });

  it('leaves objects that share a key, since no manifest could say which one it means', () => {
    const live = [search(1, 'Leavers'), search(2, 'Leavers'), search(3, 'Joiners')];
    const settings = { profileSearchDelete: true };
    const plan = planOf({ declared: [], live, settings, ...prune('ProfileSearch') });
    expect(plan.changes).toMatchObject([{ action: 'delete', id: '3' }]);
    expect(plan.diagnostics).toEqual([
      expect.objectContaining({ code: 'kept', message: expect.stringContaining('2 objects with this key') }),
    ]);
  });

  it('needs no id where the API deletes by key, or has to be asked by hand', () => {
    const plan = planOf({ declared: [], live: [template({ id: null })], ...prune('NotificationTemplate') });
    expect(changesOf(plan)).toEqual(['delete NotificationTemplate/welcome/EMAIL/en']);
    const domain = { kind: 'VerifiedDomain', raw: { id: null, domain: 'acme.example' } };
    const byHand = planOf({ declared: [], live: [domain], ...prune('VerifiedDomain') });
    expect(changesOf(byHand)).toEqual(['manual VerifiedDomain/acme.example']);
  });

  it('does not delete an object under the name that a manifest renames', () => {
    const declared = [renamed];
    const live = [search(1, 'Old'), search(2, 'Other')];
    const settings = { profileSearchDelete: true };
    const pruned = prune('ProfileSearch');
    const deletes = (...only: string[]) => {
      const plan = planOf({ declared, live, settings, ...pruned, scope: { ...pruned.scope, only } });
      return changesOf(plan).filter((change) => change.startsWith('delete'));
    };
    expect(deletes()).toEqual(['delete ProfileSearch/Other']);
    expect(deletes('ProfileSearch/Old')).toEqual([]);
    expect(deletes('ProfileSearch/*')).toEqual(['delete ProfileSearch/Other']);
  });

  it('does not delete what a manifest would rename, had its new name not been taken', () => {
    const live = [search(1, 'Old'), search(2, 'New'), search(3, 'Other')];
    const settings = { profileSearchDelete: true };
    const plan = planOf({ declared: [renamed], live, settings, ...prune('ProfileSearch') });
    expect(changesOf(plan)).toEqual(['delete ProfileSearch/Other']);
  });

  it('does not delete what an earlier revision declared under the name that a manifest renames', () => {
    const declared = [renamed];
    const previous = [resource('ProfileSearch', ['Old'], { rules: [] })];
    const settings = { profileSearchDelete: true };
    const plan = planOf({ declared, previous, live: [search(1, 'Old'), search(2, 'Other')], settings });
    expect(changesOf(plan)).toEqual(['update ProfileSearch/New']);
  });

  it('deletes nothing that --except names, beside --only', () => {
    const live = ['a', 'b', 'c'].map((name) => sender(name, `${name}@acme.example`));
    const { policy } = prune('SenderAddress');
    const scope = { prune: true, only: ['SenderAddress/{a,b}@*'], except: ['SenderAddress/a@*'] };
    const deleted = ['delete SenderAddress/b%40acme.example'];
    expect(changesOf(planOf({ declared: [], live, policy, scope }))).toEqual(deleted);
    const declared = live.map(({ raw }) => gone('SenderAddress', String(raw.email)));
    expect(changesOf(planOf({ declared, live, scope: { ...scope, prune: false } }))).toEqual(deleted);
  });
});

describe('--only', () => {
  it('with the new name of an object still renames it', () => {
    const declared = [renamed];
    const scope = { only: ['ProfileSearch/New'] };
    expect(planOf({ declared, live: [search(1, 'Old')], scope }).changes).toMatchObject([
      { action: 'update', id: '1', address: 'ProfileSearch/New' },
    ]);
  });

  it('with the address of a plan takes that object, although its name is a glob', () => {
    const names = ['Desk*', 'Desk 2', 'Other'];
    const live = names.map((name, at) => answers.integration(`${at + 1}`, name));
    const declared = names.map((name) => gone('SimIntegration', name));
    const all = planOf({ declared, live, choices: { allowDeleteAll: ['SimIntegration'] } });
    const address = all.changes.find(({ id }) => id === '1')?.address ?? '';
    expect(planOf({ declared, live, scope: { only: [address] } }).changes).toMatchObject([{ id: '1' }]);
  });
});

describe('guards', () => {
  it('protect an object whatever its name is', () => {
    for (const name of ['..', '.', '*', '.hidden', 'a/b']) {
      const live = ['Other', name].map((each, at) => answers.integration(`i${at}`, each));
      const policy = { protect: ['SimIntegration/*'] };
      const plan = planOf({ declared: [gone('SimIntegration', name)], live, policy });
      expect(errorsOf(plan), name).toEqual(['protected']);
    }
  });

  it('protect and keep an address in whatever case the tenant writes it', () => {
    const live = [sender('1', 'boss@ACME.example'), sender('2', 'kept@acme.example'), sender('3', 'x@y.de')];
    const { scope } = prune('SenderAddress');
    const pruned = { kinds: ['SenderAddress'], keep: ['SenderAddress/KEPT@acme.example'] };
    const policy = { protect: ['SenderAddress/BOSS@acme.example'], prune: pruned };
    const choices = { allowDeleteAll: ['SenderAddress'] };
    const plan = planOf({ declared: [], live, policy, scope, choices });
    expect(errorsOf(plan)).toEqual(['protected']);
    expect(changesOf(plan)).toHaveLength(2);
  });

  it('allow all of a kind to go where a tombstone has its replacement in the same plan', () => {
    const live = [sender('1', 'old@acme.example')];
    const both = [gone('SenderAddress', 'old@acme.example'), resource('SenderAddress', ['new@acme.example'])];
    expect(isRefused(planOf({ declared: both, live }))).toBe(false);
    expect(errorsOf(planOf({ declared: both.slice(0, 1), live }))).toEqual(['deletes-all']);
  });

  it('refuse to prune all of a kind although one is created', () => {
    const live = [sender('1', 'a@acme.example'), sender('2', 'b@acme.example')];
    const declared = [resource('SenderAddress', ['new@acme.example'])];
    expect(errorsOf(planOf({ declared, live, ...prune('SenderAddress') }))).toEqual(['deletes-all']);
  });

  it('refuse to delete all that a revision declared although one is created', () => {
    const live = [sender('1', 'a@acme.example')];
    const previous = [resource('SenderAddress', ['a@acme.example'])];
    const declared = [resource('SenderAddress', ['new@acme.example'])];
    expect(errorsOf(planOf({ declared, previous, live }))).toEqual(['deletes-all']);
  });

  it('count no replacement of another kind, and none made by hand', () => {
    const live = [sender('1', 'old@acme.example')];
    const declared = [
      gone('SenderAddress', 'old@acme.example'),
      resource('VerifiedDomain', ['acme.example']),
      resource('MailFrom', ['old@acme.example'], {}),
    ];
    expect(errorsOf(planOf({ declared, live }))).toEqual(['deletes-all']);
  });
});

describe('what is declared no more', () => {
  const declared = (email: string, more: Parameters<typeof resource>[3] = {}) => ({
    ...resource('SenderAddress', [email], {}, more),
    declaration: { digest: () => `digest of ${email}`, differsHere: () => [], isEnsuredHere: false },
  });
  const removed = (email: string) => sha256({ removed: `digest of ${email}` });

  it('is proven by its deletion, and by a tenant that has no such object', () => {
    const kept = declared('kept@acme.example');
    const previous = [
      ...['Gone', 'deleted', 'elsewhere'].map((name) => declared(`${name}@acme.example`)),
      ...[kept, declared('absent@acme.example', { ensure: 'absent' })],
    ];
    const live = [sender('1', 'DELETED@acme.example'), sender('2', 'kept@acme.example')];
    const scope = { since: 'HEAD~1', except: ['SenderAddress/elsewhere*'] };
    const plan = planOf({ declared: [kept], previous, live, scope });
    expect(changesOf(plan)).toEqual(['delete SenderAddress/DELETED%40acme.example']);
    expect(plan.desired).toEqual({
      'SenderAddress/Gone%40acme.example': removed('Gone@acme.example'),
      'SenderAddress/DELETED%40acme.example': removed('deleted@acme.example'),
      'SenderAddress/kept%40acme.example': 'digest of kept@acme.example',
    });
  });

  it('is told apart from what only the environment declares, or declares absent', () => {
    const here = (email: string, isEnsuredHere: boolean) => {
      const made = declared(email);
      return { ...made, declaration: { ...made.declaration, isEnsuredHere } };
    };
    const plan = planOf({ declared: [here('a@acme.example', true), here('b@acme.example', false)] });
    expect(plan.ensuredHere).toEqual(['SenderAddress/a%40acme.example']);
  });

  it('is not proven by an object that lives on under another name', () => {
    const previous = [{ ...resource('ProfileSearch', ['Old']), declaration: declared('old').declaration }];
    expect(planOf({ declared: [renamed], previous, live: [search(1, 'Old')] }).desired).toEqual({});
  });
});

describe('undeclared objects', () => {
  const undeclared = (given: Parameters<typeof inputOf>[0], others: readonly Answer[] = []) =>
    findUndeclared(inputOf(given), liveObjects(others)).map(({ address }) => address);
  const [a, b, c] = [sender('1', 'a@x.example'), sender('2', 'b@x.example'), sender('3', 'c@x.example')];

  it('are those of declared kinds that no manifest names, wherever they were read', () => {
    const declared = [resource('SenderAddress', ['A@x.example'])];
    expect(undeclared({ declared, live: [a, b] }, [c, search(1, 'Other')])).toEqual([
      'SenderAddress/b%40x.example',
      'SenderAddress/c%40x.example',
    ]);
    expect(undeclared({ declared: [], live: [a] })).toEqual([]);
  });

  it('are not those that a manifest declares absent, or that are kept or out of scope; the plan may delete them', () => {
    const declared = [resource('SenderAddress', ['a@x.example']), gone('SenderAddress', 'b@x.example')];
    const given = { declared, live: [a, b, c] };
    expect(undeclared(given)).toEqual(['SenderAddress/c%40x.example']);
    const keep = { policy: { prune: { kinds: ['SenderAddress'], keep: ['SenderAddress/C@x.example'] } } };
    expect(undeclared({ ...given, ...keep })).toEqual([]);
    expect(undeclared({ ...given, ...prune('SenderAddress') })).toEqual(['SenderAddress/c%40x.example']);
    expect(undeclared({ ...given, scope: { except: ['SenderAddress/c%40x.example'] } })).toEqual([]);
  });
});
