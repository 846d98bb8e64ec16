import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../src/job/version.ts';

const sources = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? sources(path) : path.endsWith('.ts') ? [path] : [];
  });

describe('the repository', () => {
  it('has one version', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ version: VERSION });
  });

  it('has no file of the program over 250 lines', () => {
    const long = sources('src').filter((path) => readFileSync(path, 'utf8').split('\n').length > 251);
    expect(long).toEqual([]);
  });

  it('does nothing when a module is loaded: no output, no file, no waiting', () => {
    // The entries are programs: to load one is to run it.
    const modules = sources('src').filter(
      (path) => !/src\/(cli|runner|workspace\/files-helper|engine\/claude\/inside)\/main\.ts$/.test(path),
    );
    const program = `${modules.map((path) => `await import(${JSON.stringify(join(process.cwd(), path))});`).join('\n')}\nprocess.stdout.write('end');`;
    const out = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      env: { PATH: process.env.PATH, HOME: '/nonexistent', CC_DELEGATE_HOME: '/nonexistent/user' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(out).toBe('end');
  });

  it('names no machine, no registry and no path of ours in its lock file', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
  });
});
