import { expect, it } from 'vitest';
import { reportAsk } from '../../src/cli/report-ask.ts';
import { openStore } from '../../src/store/open.ts';
import { makeFolder } from '../helpers/repository.ts';
import { jobOf } from '../notify/jobs.ts';
import { contextOf } from './context.ts';

it.each([
  [false, ['cc-delegate: files go to x']],
  [true, []],
])(
  'says what is to be known of an ask before it waits, and if it then lets go: json %s',
  async (json, said) => {
    const [repo, userDir] = [makeFolder(), makeFolder()];
    const record = jobOf(repo, null, userDir, { kind: 'ask' });
    const heard: string[] = [];
    const context = {
      ...contextOf({ cwd: repo, userDir }),
      json,
      stderr: (line: string) => void heard.push(line),
    };
    const waiting = reportAsk(
      context,
      { store: openStore(repo, { create: false }), record },
      ['files go to x'],
      0.2,
    );
    expect(heard).toEqual(said);
    expect((await waiting).json).toMatchObject({ notices: ['files go to x'] });
    expect(heard).toEqual(said);
  },
);
