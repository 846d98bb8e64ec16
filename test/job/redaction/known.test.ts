import { describe, expect, it } from 'vitest';
import {
  envFileSecrets,
  knownSecrets,
  ownSecrets,
  urlSecrets,
  variableSecrets,
} from '../../../src/job/redaction/known.ts';

const valuesOf = (secrets: readonly { value: string }[]): string[] => secrets.map(({ value }) => value);
const model = { apiKey: null, headers: {}, baseUrl: 'http://127.0.0.1:1/v1' };

describe('what a runner knows to be secret', () => {
  it('is keys, header values, and user and password of a URL', () => {
    const models = [
      {
        apiKey: 'sk-one-1234567',
        headers: { Authorization: 'Bearer abc.def.123', 'X-Title': 'demo', 'x-key': 'q1w2e3r4' },
        baseUrl: 'https://me:p%40ss-77@h/v1?key=abcdef1234',
      },
    ];
    expect(valuesOf(ownSecrets({ models }))).toEqual([
      'sk-one-1234567',
      'Bearer abc.def.123',
      'abc.def.123',
      'q1w2e3r4',
      'p%40ss-77',
      'p@ss-77',
      'abcdef1234',
    ]);
  });

  it('is also what the user passes to the worker, by the name of its variable', () => {
    const passEnv = { DATABASE_URL: 'postgres://u:hunter2x@h/d', GH_PAT: 'ghp_x1y2', NODE_ENV: 'production' };
    expect(knownSecrets({ models: [model], passEnv })).toEqual([
      { kind: 'DATABASE_URL', value: 'postgres://u:hunter2x@h/d' },
      { kind: 'url', value: 'hunter2x' },
      { kind: 'url', value: 'hunter2x' },
      { kind: 'GH_PAT', value: 'ghp_x1y2' },
    ]);
  });

  it.each([
    ['NODE_ENV', 'production'],
    ['CI', 'true'],
    ['PORT', '3000'],
    ['MAX_TOKENS', '4096'],
    ['LANG', 'en_US.UTF-8'],
    ['PATH', '/usr/local/bin:/usr/bin'],
    ['DATABASE_HOST', 'db.internal.example.com:5432'],
    ['BASE_URL', 'https://example.com/api'],
    ['VERSION', '1.2.3-beta.4'],
    ['API_KEY', 'none'],
    ['API_KEY', 'ollama'],
    ['API_KEY', 'not-needed'],
    ['SSH_KEY', '/home/me/.ssh/id_ed25519'],
    ['PASSWORD', 'aaaaaaaa'],
  ])('is not %s=%s, which stands in a thousand harmless places', (name, value) => {
    expect(variableSecrets({ [name]: value })).toEqual([]);
  });

  it.each([
    ['DB_PASSWORD', 'hunter2'],
    ['DB_PASSWORD', 'correct-horse-battery'],
    ['ANYTHING', 'planted-secret-value-0001'],
    ['ANYTHING', 'aB3dE6gH9jK2'],
    ['MYSQL_PWD', 'q1w2e3'],
    ['SENTRY_DSN', 'https://abcdef123456@h/1'],
  ])('is %s=%s', (name, value) => {
    expect(valuesOf(variableSecrets({ [name]: value }))).toContain(value);
  });

  it('is every line of a value that has several, but not the lines that all such values share', () => {
    const lines = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIabc123def456ghi789',
      'jkl012mno345pqr678',
      '-----END RSA PRIVATE KEY-----',
    ];
    expect(valuesOf(variableSecrets({ DEPLOY_KEY: lines.join('\n') }))).toEqual([
      lines.join('\n'),
      lines[1],
      lines[2],
    ]);
  });

  it('is what an env file assigns', () => {
    const text =
      "# A_TOKEN=comment99\nexport A_TOKEN='abc123xyz' # why\nDEBUG=false\nB_SECRET=x1y2z3w4 # tail\n\n=x\nPASS";
    expect(envFileSecrets(text)).toEqual([
      { kind: 'A_TOKEN', value: 'abc123xyz' },
      { kind: 'B_SECRET', value: 'x1y2z3w4' },
    ]);
  });

  it('is nothing in a URL without credentials, or in what is none', () => {
    expect(urlSecrets('https://example.com:8080/a?page=2')).toEqual([]);
    expect(urlSecrets('no url')).toEqual([]);
  });
});
