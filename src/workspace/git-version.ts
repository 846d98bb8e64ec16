import { execa } from 'execa';
import { gitProgram } from './git-program.ts';

/** The version of the git we use, and whether it is 2.38 or newer, which the clone and the collection need. */
export async function gitVersion(): Promise<{ readonly text: string; readonly enough: boolean }> {
  const { stdout } = await execa(gitProgram('/', process.env.PATH ?? ''), ['--version']);
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  const enough = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38);
  return { text: stdout.replace(/^git version /, ''), enough };
}
