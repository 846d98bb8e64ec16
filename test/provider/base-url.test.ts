import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/job/duration.ts';
import { isLoopback, maskUrl, requestBase } from '../../src/provider/base-url.ts';
import { PROVIDERS } from '../../src/provider/providers.ts';

describe('base URLs', () => {
  it.each([
    ['https://h/v1/', 'openai-chat', 'https://h/v1'],
    ['https://h/api/paas/v4', 'openai-chat', 'https://h/api/paas/v4'],
    ['https://h', 'openai-chat', 'https://h'],
    ['https://openrouter.ai/api', 'anthropic', 'https://openrouter.ai/api/v1'],
    ['https://h/anthropic/v1//', 'anthropic', 'https://h/anthropic/v1'],
  ])('%s for %s is requested below %s', (url, api, base) => {
    expect(requestBase(url, api)).toBe(base);
  });

  it.each([
    ['http://127.0.0.1:1/v1', true],
    ['http://localhost/', true],
    ['http://[::1]:8/', true],
    ['http://127.8.9.10:1/', true],
    ['http://localhost.example/', false],
    ['https://127.evil.example/', false],
    ['https://127.0.0.1.example/', false],
    ['https://10.0.0.1/', false],
  ])('%s is on this machine: %s', (url, expected) => {
    expect(isLoopback(url)).toBe(expected);
  });

  it('are shown without what may be secret', () => {
    const shown = maskUrl('https://user:hunter2@h/v1?key=hunter2&b=hunter2');
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('h/v1');
  });
});

describe('the table of providers', () => {
  it('has one row an id, one key variable a provider, and base URLs in the form requests use', () => {
    const ids = PROVIDERS.map(({ id }) => id);
    const variables = PROVIDERS.flatMap(({ keyEnv }) => (keyEnv === null ? [] : [keyEnv]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(variables).size).toBe(variables.length);
    for (const { endpoints, needsKey, keyEnv, keyUrl } of PROVIDERS) {
      expect(endpoints.length).toBeGreaterThan(0);
      for (const { api, baseUrl } of endpoints)
        if (baseUrl !== null) expect(requestBase(baseUrl, api)).toBe(baseUrl);
      expect([keyEnv === null, keyUrl === null]).toEqual([needsKey !== 'always', needsKey !== 'always']);
    }
  });
});

describe('durations', () => {
  it.each([
    ['90', 90],
    ['30m', 1800],
    ['1.5h', 5400],
    ['0', 0],
    ['250ms', 0.25],
    ['2 d', 172_800],
    ['', null],
    ['-1', null],
    ['1h30m', null],
    ['m', null],
    ['1e3', null],
  ])('%j is %s seconds', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });
});
