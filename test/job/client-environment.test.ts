import { expect, it } from 'vitest';
import { type ClientSurroundings, clientEnvironment } from '../../src/job/client-environment.ts';

const OF: ClientSurroundings = {
  baseUrl: 'http://127.0.0.1:4711',
  token: 'token-of-the-job',
  configFolder: '/home/.claude',
  models: { main: 'glm-4.6', small: 'glm-4.6@small', subAgents: 'glm-4.6' },
  commandTimeoutMs: 120_000,
  longestCommandMs: 600_000,
  contextWindow: 200_000,
  maxOutput: 8192,
  retries: 3,
};

it('points every slot of the client at names the gateway knows', () => {
  expect(clientEnvironment(OF)).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:4711',
    ANTHROPIC_AUTH_TOKEN: 'token-of-the-job',
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_MODEL: 'glm-4.6',
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'glm-4.6',
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'glm-4.6',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'glm-4.6@small',
    ANTHROPIC_SMALL_FAST_MODEL: 'glm-4.6@small',
    CLAUDE_CODE_SUBAGENT_MODEL: 'glm-4.6',
    CLAUDE_CONFIG_DIR: '/home/.claude',
    CC_DELEGATE_WORKER: '1',
    BASH_DEFAULT_TIMEOUT_MS: '120000',
    BASH_MAX_TIMEOUT_MS: '600000',
    CLAUDE_CODE_MAX_RETRIES: '3',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8192',
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  });
});

it('leaves it to us to end a silent answer', () => {
  expect(clientEnvironment(OF)).toMatchObject({
    CLAUDE_ENABLE_STREAM_WATCHDOG: '0',
    CLAUDE_ENABLE_BYTE_WATCHDOG: '0',
    API_TIMEOUT_MS: '86400000',
  });
});

it.each([
  { what: 'unknown sizes', given: { contextWindow: null, maxOutput: null } },
  { what: 'a window the client does not take', given: { contextWindow: 32_000, maxOutput: null } },
])('says nothing about $what', ({ given }) => {
  const names = Object.keys(clientEnvironment({ ...OF, ...given }));
  expect(names.filter((name) => /WINDOW|MAX_OUTPUT/.test(name))).toEqual([]);
});

it('is made of what it is told and nothing else', () => {
  const before = clientEnvironment(OF);
  const poison = { ANTHROPIC_API_KEY: 'sk-poison', OPENAI_API_KEY: 'sk-poison', CLAUDECODE: '1' };
  const kept = Object.fromEntries(Object.keys(poison).map((name) => [name, process.env[name]]));
  Object.assign(process.env, poison);
  try {
    expect(clientEnvironment(OF)).toEqual(before);
  } finally {
    for (const [name, value] of Object.entries(kept)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
