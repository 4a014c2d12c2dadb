import { describe, expect, it } from 'vitest';
import { looksSecret, namesSecret } from '../../src/model/sensitive.ts';

describe('a name', () => {
  it.each([
    'password',
    'Password',
    'passwd',
    'pass',
    'dbPass',
    'passphrase',
    'userPassword2',
    'client_secret',
    'clientSecret',
    'apiToken',
    'credentials',
    'api_key',
    'api-key',
    'apiKey',
    'accessKey',
    'privateKey',
    'encryptionKey',
    'sharedKey',
    'key',
    'KEY',
  ])('%s is that of a credential', (name) => {
    expect(looksSecret(name)).toBe(true);
  });

  it.each([
    'url',
    'user',
    'bypassed',
    'passenger',
    'compass_direction',
    'keyboard',
    'monkey',
    'publicKeyId',
    'primaryKeys',
  ])('%s is an ordinary one', (name) => {
    expect(looksSecret(name)).toBe(false);
  });
});

describe('a text', () => {
  it.each([
    'https://x.example/?token=abc',
    'https://x.example/?user=u&api_key=abc',
    'password: hunter2',
    'password = hunter2',
    'user=x, password=y',
    '"clientSecret": "abc"',
    "'secret':'abc'",
    'key=abc',
  ])('%j gives a credential a value', (text) => {
    expect(namesSecret(text)).toBe(true);
  });

  it.each([
    'https://x.example/?page=2',
    'Your password expires soon',
    'password:',
    'password=',
    'token',
    'keyboard=qwerty',
    'monkey: banana',
    'secret == true',
  ])('%j does not', (text) => {
    expect(namesSecret(text)).toBe(false);
  });
});
