import { expect, it } from 'vitest';
import { loadVerb } from '../../src/cli/verbs.ts';
import { refusal } from '../provider/user-error-of.ts';

/** As the refusal of an unknown one lists them. */
async function verbNames(): Promise<string[]> {
  const { remedy } = await refusal(() => loadVerb('no-such-verb'));
  return (remedy ?? '').replace('one of: ', '').split(' ');
}

it('the help of every verb fits 80 columns', async () => {
  const names = await verbNames();
  expect(names.length).toBeGreaterThan(25);
  const help = await Promise.all(names.map(async (name) => (await loadVerb(name)).help.split('\n')));
  expect(help.flat().filter((line) => [...line].length > 80)).toEqual([]);
});
