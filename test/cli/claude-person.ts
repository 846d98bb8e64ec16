import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { askRequest } from '../../src/cli/ask-options.ts';
import { jobOfStart } from '../../src/cli/job-plan.ts';
import { planAsk } from '../../src/cli/plan-ask.ts';
import { planStart } from '../../src/cli/plan-start.ts';
import { startRequest } from '../../src/cli/start-options.ts';
import { makeFolder, makeRepository } from '../helpers/repository.ts';
import { contextOf } from './context.ts';

/** What a client says that will do. */
export const NEW = '2.1.332 (Claude Code)';
/** What theirs says. */
export const PROFILE = {
  provider: 'anthropic-compatible',
  model: 'scripted',
  baseUrl: 'http://127.0.0.1:9',
  prices: { input: 1, output: 1 },
};

/** A person with a repository; `client`: what theirs says of its version, null: they have none. */
export function person(client: string | null, profile: object = {}, settings: object = {}) {
  const [userDir, bin] = [makeFolder(), makeFolder()];
  const repo = makeRepository({ 'a.txt': 'a\n' });
  const configure = (change: object): void =>
    writeFileSync(
      join(userDir, 'config.yaml'),
      JSON.stringify({
        defaultProfile: 'p',
        profiles: { p: { ...PROFILE, ...profile } },
        sandbox: { allowUnsandboxed: true },
        ...settings,
        ...change,
      }),
      { mode: 0o600 },
    );
  configure({});
  if (client !== null) writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho "${client}"\n`);
  if (client !== null) chmodSync(join(bin, 'claude'), 0o755);
  const others = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((each) => !existsSync(join(each, 'claude')));
  const env = { PATH: [bin, ...others].join(delimiter), CC_DELEGATE_STATE: join(userDir, 'state') };
  const context = (...args: string[]) => contextOf({ cwd: repo, userDir, args, env });
  const planned = async (...args: string[]) => {
    const made = context('do it', ...args);
    return jobOfStart(repo, await planStart(made, await startRequest(made)));
  };
  const plannedAsk = async (...args: string[]) => {
    const made = context('what?', ...args);
    return (await planAsk(made, await askRequest(made))).job;
  };
  return { repo, userDir, env, configure, context, planned, plannedAsk };
}
