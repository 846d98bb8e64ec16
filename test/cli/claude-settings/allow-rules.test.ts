import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addRules,
  OFFERED_RULES,
  removeRules,
  rulesState,
} from '../../../src/cli/claude-settings/allow-rules.ts';
import { UserError } from '../../../src/job/user-error.ts';
import { makeFolder } from '../../helpers/repository.ts';

const STATUS = 'Bash(cc-delegate status:*)';

function person(settings?: string) {
  const home = makeFolder();
  mkdirSync(join(home, '.claude'));
  const file = join(home, '.claude/settings.json');
  if (settings !== undefined) writeFileSync(file, settings);
  const env = { HOME: home, CC_DELEGATE_HOME: join(home, '.cc-delegate') };
  return {
    env,
    file,
    text: () => readFileSync(file, 'utf8'),
    values: () => JSON.parse(readFileSync(file, 'utf8')),
  };
}

const FILES = [
  '{}',
  '{\n  "permissions": {},\n  "model": "opus"\n}\n',
  '{\n  "permissions": {\n    "deny": ["Bash(rm:*)"],\n    "allow": []\n  }\n}\n',
  '{\n    "permissions": {\n        "allow": [\n            "Bash(ls:*)",\n            "Bash(cat:*)"\n        ]\n    }\n}\n',
  '{"permissions":{"allow":["Bash(ls:*)"],"defaultMode":"plan"}}',
  `{ "permissions": { "allow": ["${STATUS}", "Bash(ls:*)"] } }`,
];

describe('the allow rules', () => {
  it('are for reading alone', () => {
    expect(OFFERED_RULES).toContain(STATUS);
    expect(OFFERED_RULES.join()).not.toMatch(
      /apply|config|start|cleanup|undo|discard|answer|auth|\(cc-delegate:/,
    );
  });

  it.each(FILES)('are added to %j, and removing puts every byte back', async (before) => {
    const { env, text, values } = person(before);
    const had = JSON.parse(before).permissions?.allow ?? [];
    const added = await addRules(env);
    expect(added).toEqual(OFFERED_RULES.filter((rule) => !had.includes(rule)));
    expect(values().permissions.allow).toEqual([...had, ...added]);
    expect(await addRules(env)).toEqual([]);
    expect(await removeRules(env)).toEqual(added);
    expect(text()).toBe(before);
    expect(await removeRules(env)).toEqual([]);
  });

  it.each(FILES)('leave %j alone but for what others changed meanwhile', async (before) => {
    const { env, file, values } = person(before);
    await addRules(env);
    const meanwhile = { ...values(), theme: 'dark' };
    meanwhile.permissions.allow.push('Bash(make:*)');
    writeFileSync(file, JSON.stringify(meanwhile, null, 2));
    await removeRules(env);
    const had = JSON.parse(before);
    const allow = [...(had.permissions?.allow ?? []), 'Bash(make:*)'];
    expect(values()).toEqual({ ...had, theme: 'dark', permissions: { ...had.permissions, allow } });
  });

  it('do not take a rule away that the user had, nor one the user has taken away', async () => {
    const { env, file, values } = person(JSON.stringify({ permissions: { allow: [STATUS] } }));
    await addRules(env);
    const kept = values().permissions.allow.filter((rule: string) => !rule.includes('wait'));
    writeFileSync(file, JSON.stringify({ permissions: { allow: kept } }));
    expect(rulesState(env).ours).not.toContain(STATUS);
    const removed = await removeRules(env);
    expect(removed).not.toContain(STATUS);
    expect(removed.join()).not.toContain('wait');
    expect(values()).toEqual({ permissions: { allow: [STATUS] } });
  });

  it('make settings where there are none, and take them away again', async () => {
    const { env, file } = person();
    await addRules(env);
    await removeRules(env);
    expect(existsSync(file)).toBe(false);
  });

  it.each(['{"permissions": []}', '{"permissions": {"allow": "all"}}', '{"permissions": {"allow": [}}'])(
    'are not forced into %s',
    async (before) => {
      const { env, text } = person(before);
      await expect(addRules(env)).rejects.toThrow(UserError);
      expect(text()).toBe(before);
    },
  );
});
