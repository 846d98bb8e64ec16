import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  installStatusLine,
  statusLineState,
  uninstallStatusLine,
} from '../../../src/cli/claude-settings/status-line.ts';
import { UserError } from '../../../src/job/user-error.ts';
import { bakeLine } from '../../../src/notify/line/bake.ts';
import { refreshLauncher } from '../../../src/notify/line/launcher.ts';
import { openStore } from '../../../src/store/open.ts';
import { makeFolder, makeRepository } from '../../helpers/repository.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';

const PLUGIN = fileURLToPath(new URL('../../..', import.meta.url));

function person(settings?: string, name = 'home') {
  const home = join(makeFolder(), name);
  mkdirSync(join(home, '.claude'), { recursive: true });
  const file = join(home, '.claude/settings.json');
  if (settings !== undefined) writeFileSync(file, settings);
  const env = { HOME: home, CC_DELEGATE_HOME: join(home, '.cc-delegate') };
  return {
    env,
    file,
    userDir: env.CC_DELEGATE_HOME,
    text: () => readFileSync(file, 'utf8'),
    line: () => JSON.parse(readFileSync(file, 'utf8')).statusLine,
    install: (wrap?: string) => installStatusLine(env, PLUGIN, wrap),
    uninstall: () => uninstallStatusLine(env),
  };
}

/** Runs the command of the settings as the client does. */
function run(command: string, cwd: string, input = '{"session_id":"s"}'): string {
  const answer = spawnSync('/bin/sh', ['-c', command], {
    cwd,
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect(answer.status).toBe(0);
  return answer.stdout;
}

function repositoryWithJob(): string {
  const repo = makeRepository();
  openStore(repo, { create: true });
  bakeLine(sampleRecord({ repo, state: 'running', updatedAt: new Date().toISOString() }));
  return repo;
}

const FILES: readonly (readonly [string, string])[] = [
  ['an empty object', '{}'],
  ['an empty object over two lines', '{\n}\n'],
  ['other settings', '{\n  "model": "opus",\n  "env": { "A": "1" },\n  "zeta": [1, 2.50, "\\u00e9"]\n}\n'],
  ['four blanks and no last line break', '{\n    "model": "opus"\n}'],
  ['tabs and CRLF', '{\r\n\t"model": "opus"\r\n}\r\n'],
  ['one line', '{"model":"opus","permissions":{"allow":["Bash(ls)"]}}'],
  [
    'a line of their own',
    '{\n  "statusLine": {"type": "command",\n    "command": "echo mine", "padding": 0},\n  "model": "opus"\n}\n',
  ],
  ['a line of another kind', '{\n  "statusLine": null,\n  "model": "opus"\n}\n'],
];

describe('installing the status line', () => {
  it.each(FILES)('keeps %s, and uninstalling puts every byte back', async (_name, before) => {
    const { install, uninstall, text, file, line } = person(before);
    chmodSync(file, 0o644);
    await install();
    const { statusLine: _ours, ...others } = JSON.parse(text());
    const { statusLine: _theirs, ...othersBefore } = JSON.parse(before);
    expect(others).toEqual(othersBefore);
    expect(Object.keys(JSON.parse(text())).filter((key) => key !== 'statusLine')).toEqual(
      Object.keys(othersBefore),
    );
    expect(line()).toMatchObject({ type: 'command', refreshInterval: 2 });
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(await uninstall()).toBe('removed');
    expect(text()).toBe(before);
  });

  it.each(FILES)('leaves %s as they were, but for what others changed meanwhile', async (_name, before) => {
    const { install, uninstall, text, file } = person(before);
    await install();
    writeFileSync(file, JSON.stringify({ ...JSON.parse(text()), theme: 'dark' }, null, 2));
    await uninstall();
    expect(JSON.parse(text())).toEqual({ ...JSON.parse(before), theme: 'dark' });
  });

  it('makes settings where there are none, and takes them away again', async () => {
    const { install, uninstall, file, userDir } = person();
    await install();
    expect(existsSync(file)).toBe(true);
    await uninstall();
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(userDir)).toEqual([]);
  });

  it('does nothing the second time, and still knows what was there at first', async () => {
    const before = '{ "statusLine": { "type": "command", "command": "echo mine" } }';
    const { install, uninstall, text } = person(before);
    expect((await install()).changed).toBe(true);
    const once = text();
    expect(await install()).toMatchObject({ changed: false, wraps: 'echo mine' });
    expect(text()).toBe(once);
    await uninstall();
    expect(text()).toBe(before);
    expect(await uninstall()).toBe('absent');
  });

  it('runs the line there was with the same input, and ours below it', async () => {
    const repo = repositoryWithJob();
    const mine = `printf '%s\\n\\n' "first 'quoted' $((1 + 1))"; cat`;
    const before = JSON.stringify({ statusLine: { type: 'command', command: mine, padding: 3 } });
    const { install, line } = person(before, "a home with blanks, 'quotes' and $(touch pwned)");
    await install();
    expect(line()).toMatchObject({ padding: 3 });
    const [first, second, payload, ours, ...rest] = run(line().command, repo, '{"session_id":"s"}').split(
      '\n',
    );
    expect([first, second, payload]).toEqual(["first 'quoted' 2", '', '{"session_id":"s"}']);
    expect(ours).toMatch(/^⏳ delegate /);
    expect(rest).toEqual(['']);
    expect(run(line().command, makeFolder())).not.toContain('delegate');
  });

  it('wraps the command the user names, and changes it later', async () => {
    const { install, line, env } = person('{}');
    await install('echo one');
    await install('echo two');
    expect(run(line().command, makeFolder())).toBe('two\n');
    expect(statusLineState(env)).toEqual({ kind: 'ours', wraps: 'echo two' });
  });

  it('alone prints one line, or nothing at all', async () => {
    const { install, line } = person();
    await install();
    expect(run(line().command, repositoryWithJob())).toMatch(/^⏳ delegate [^\n]+\n$/);
    expect(run(line().command, makeFolder())).toBe('');
  });

  it.each(['{"a": 1,}', '[1]', 'not json', '"text"', '{"a": "secret'])(
    'never overwrites settings that are no JSON object: %s',
    async (broken) => {
      const { install, text } = person(broken);
      const error = await install().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UserError);
      expect(error).toMatchObject({ explanation: { exit: 6 } });
      expect(String(error)).toContain('settings.json');
      expect(String(error)).not.toContain('secret');
      expect(text()).toBe(broken);
    },
  );

  it('follows a symbolic link and leaves it one', async () => {
    const { install, uninstall, file } = person();
    const real = join(makeFolder(), 'dotfiles.json');
    writeFileSync(real, '{"model":"opus"}');
    symlinkSync(real, file);
    await install();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8')).statusLine).toBeDefined();
    await uninstall();
    expect(readFileSync(real, 'utf8')).toBe('{"model":"opus"}');
  });

  it('goes where CLAUDE_CONFIG_DIR says', async () => {
    const { env } = person('{}');
    const config = makeFolder();
    await installStatusLine({ ...env, CLAUDE_CONFIG_DIR: config }, PLUGIN, undefined);
    expect(readdirSync(config)).toEqual(['settings.json']);
  });

  it('leaves a line that somebody has put in place of ours', async () => {
    const { install, uninstall, file, text } = person('{}');
    await install();
    writeFileSync(file, '{"statusLine":{"type":"command","command":"echo theirs"}}');
    expect(await uninstall()).toBe('replaced');
    expect(text()).toContain('echo theirs');
  });
});

describe('the copy of the reader', () => {
  it('is brought up to date only where there is one', async () => {
    const { install, userDir } = person();
    expect(refreshLauncher(userDir, PLUGIN)).toBe(false);
    expect(existsSync(userDir)).toBe(false);
    await install();
    expect(refreshLauncher(userDir, PLUGIN)).toBe(false);
    const copy = join(userDir, 'bin/cc-delegate-statusline');
    writeFileSync(copy, '# old\n');
    expect(refreshLauncher(userDir, PLUGIN)).toBe(true);
    expect(readFileSync(copy, 'utf8')).toContain('find_lines');
    expect(refreshLauncher(userDir, '/nonexistent')).toBe(false);
  });
});
