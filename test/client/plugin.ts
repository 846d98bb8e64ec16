import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../helpers/repository.ts';

/** What of the repository is the plugin, beside the built program. */
const PARTS = ['.claude-plugin', 'bin', 'commands', 'hooks', 'package.json', 'skills'];

/** The plugin as a built checkout has it, with the program of this test run: for `--plugin-dir`. Not to be changed. */
export function makePlugin(): string {
  const plugin = join(makeFolder('cc-delegate-plugin-'), 'cc-delegate');
  mkdirSync(plugin);
  for (const part of PARTS) {
    if (existsSync(part)) cpSync(part, join(plugin, part), { recursive: true });
  }
  symlinkSync(resolve(process.env.CC_DELEGATE_TEST_DIST ?? 'dist'), join(plugin, 'dist'));
  return plugin;
}
