import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { VerbContext } from '../verb.ts';
import { PROJECT } from './project.ts';

/** Where the demo plays: a repository, a home and a state folder of its own. Yours are not touched. */
export interface Stage {
  readonly folder: string;
  readonly repository: string;
  readonly env: Record<string, string>;
  /** Runs a command as a person would, in the repository; resolves with what it printed on stdout. */
  run(file: string, args: readonly string[], options?: { readonly expect?: 'any' }): Promise<string>;
  /** Runs `cc-delegate` itself. */
  delegate(args: readonly string[]): Promise<string>;
  remove(): void;
}

/** Makes the demo's repository with its first commit. */
export async function setStage(context: VerbContext): Promise<Stage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cc-delegate-demo-')));
  const repository = join(folder, 'kitchen-timer');
  const env = {
    PATH: context.env.PATH ?? '/usr/bin:/bin',
    HOME: join(folder, 'home'),
    CC_DELEGATE_HOME: join(folder, 'home', '.cc-delegate'),
    CC_DELEGATE_STATE: join(folder, 'state'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'You',
    GIT_AUTHOR_EMAIL: 'you@example.invalid',
    GIT_COMMITTER_NAME: 'You',
    GIT_COMMITTER_EMAIL: 'you@example.invalid',
  };
  mkdirSync(env.HOME, { recursive: true });
  for (const [path, content] of Object.entries(PROJECT)) {
    const target = join(repository, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const run: Stage['run'] = async (file, args, options) => {
    const settings = {
      cwd: repository,
      env,
      extendEnv: false,
      reject: options?.expect !== 'any',
      stdin: 'ignore',
    } as const;
    return (await execa(file, args, settings)).stdout;
  };
  await run('git', ['init', '-q', '-b', 'main']);
  await run('git', ['add', '-A']);
  await run('git', ['commit', '-q', '-m', 'kitchen-timer 1.0.0']);
  const program = join(context.program, 'cli.js');
  return {
    folder,
    repository,
    env,
    run,
    delegate: (args) => run(process.execPath, [program, ...args]),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
