import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadVerb } from '../../src/cli/verbs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const pages = [
  'README.md',
  'SECURITY.md',
  ...['commands', 'skills'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
].map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

const commands = pages.filter(({ name }) => name.startsWith('commands/'));
const skills = pages.filter(({ name }) => name.endsWith('SKILL.md'));

/** Every `cc-delegate verb … --flag` of a page: what stands in code, so that prose may speak freely. */
function calls(text: string): { verb: string; flags: string[] }[] {
  const code = [...text.matchAll(/`([^`\n]+)`|^ {4,}(.*)$|^(?:\$ )?(cc-delegate .*)$/gm)].map(
    ([, inline, block, line]) => inline ?? block ?? line ?? '',
  );
  return code.flatMap((piece) =>
    [...piece.matchAll(/(?<![\w/.-])cc-delegate ([a-z][\w-]*)([^|;&]*)/g)].map(
      ([, verb = '', rest = '']) => ({
        verb,
        flags: [...rest.replace(/'[^']*'/g, '').matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => flag),
      }),
    ),
  );
}

it.each(pages)('names only verbs and flags that exist: $name', async ({ text }) => {
  for (const { verb, flags } of calls(text)) {
    const { help } = await loadVerb(verb);
    for (const flag of flags) expect(help, `${verb} ${flag}`).toMatch(new RegExp(`${flag}(?![\\w-])`));
  }
});

it('would notice a verb or a flag that does not exist', async () => {
  const [one, other] = calls('Run `cc-delegate statusses` and\n\n    cc-delegate status --no-such-flag x\n');
  await expect(loadVerb(one?.verb ?? '')).rejects.toThrow('no such verb');
  expect((await loadVerb(other?.verb ?? '')).help).not.toContain(other?.flags[0]);
});

it('names only flags on their own that some verb has', async () => {
  const verbs = ['start', 'ask', 'followup', 'resume', 'retry', 'cleanup', 'apply', 'wait'];
  const helps = (await Promise.all(verbs.map(async (verb) => (await loadVerb(verb)).help))).join('\n');
  for (const { name, text } of pages.filter((page) => /^(commands|skills)/.test(page.name))) {
    for (const [flag] of text.replace(/^---[\s\S]*?^---/m, '').matchAll(/(?<![\w-])--[a-z][\w-]*/g)) {
      if (calls(text).some(({ flags }) => flags.includes(flag))) continue;
      expect(helps, `${name}: ${flag}`).toContain(flag);
    }
  }
});

it.each(commands)('is a short page with a name of its own: $name', ({ name, text }) => {
  const file = name.replace(/^commands\/|\.md$/g, '');
  expect(text).toMatch(new RegExp(`^---\\nname: ${file}\\n`));
  expect(text).toContain('disable-model-invocation: true');
  expect(text.split('\n').length).toBeLessThanOrEqual(21);
  // What the user typed is never spliced into a shell.
  for (const [injected] of text.matchAll(/!`[^`]*`/g)) expect(injected).not.toMatch(/\$/);
  expect(text).not.toMatch(/\$ARGUMENTS|\$\d/);
});

it('has the slash commands that were promised', () => {
  const names = commands.map(({ name }) => name.replace(/^commands\/|\.md$/g, ''));
  for (const name of [
    '',
    '-status',
    '-result',
    '-answer',
    '-steer',
    '-cancel',
    '-followup',
    '-ask',
    '-apply',
  ]) {
    expect(names).toContain(`delegate${name}`);
  }
  for (const name of ['-undo', '-cleanup', '-setup', '-models', '-report'])
    expect(names).toContain(`delegate${name}`);
});

it.each(skills)('is under 500 words: $name', ({ text }) => {
  expect(text.split(/\s+/).length).toBeLessThan(500);
});

it.each([
  ['delegate-heavy-dev', ['delegate this', 'run this on a cheaper model', 'use openrouter']],
  ['ask-another-model', ['ask gemini', 'second opinion', 'ask deepseek']],
])('says in its description when it is meant: %s', (name, phrases) => {
  const text = skills.find((page) => page.name.includes(name))?.text ?? '';
  const description = /^description: (.*)$/m.exec(text)?.[1]?.toLowerCase() ?? '';
  for (const phrase of phrases) expect(description).toContain(phrase);
});
