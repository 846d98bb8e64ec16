import { describe, expect, it } from 'vitest';
import { applyResult } from '../../../src/workspace/apply/act.ts';
import { forecast } from '../../../src/workspace/apply/forecast.ts';
import { undoApply } from '../../../src/workspace/apply/undo.ts';
import { git, gitBytes } from '../../helpers/repository.ts';
import { BASE, disturb, randomChanges, seeded } from './random.ts';
import { contents, filesTree, indexTree, makeScene, mergedTree, snapshot } from './scene.ts';

// More by hand: CC_DELEGATE_TEST_SEEDS=200 CC_DELEGATE_TEST_FIRST_SEED=1000 npx vitest run …
const COUNT = Number(process.env.CC_DELEGATE_TEST_SEEDS ?? 12);
const FIRST = Number(process.env.CC_DELEGATE_TEST_FIRST_SEED ?? 1);
const SEEDS = Array.from({ length: COUNT }, (_, at) => FIRST + at);
const AUTOCRLF = ['false', 'false', 'true', 'input'];

describe('apply and undo on random checkouts', () => {
  it.each(SEEDS)(
    'does what git merge does, or nothing, and undo takes it back (seed %i)',
    { timeout: 240_000 },
    async (seed) => {
      const random = seeded(seed);
      const config = { 'core.autocrlf': AUTOCRLF[random(AUTOCRLF.length)] ?? 'false' };
      const { repository, request, base, result } = await makeScene(BASE, randomChanges(random, 5), config);
      disturb(repository, random);
      const before = snapshot(repository);
      const wantedIndex = mergedTree(repository, base, indexTree(repository), result);
      const wantedFiles = mergedTree(repository, base, filesTree(repository), result);
      const wanted = wantedIndex !== null && wantedFiles !== null;

      const seen = await forecast(request.repository, request);
      expect(seen.plan.verdict === 'conflict', JSON.stringify(seen.plan)).toBe(!wanted);
      expect(snapshot(repository)).toEqual(before);

      const applied = await applyResult(request);
      expect(applied.kind === 'conflict').toBe(!wanted);
      if (applied.kind !== 'applied') {
        expect(snapshot(repository)).toEqual(before);
        return;
      }
      expect(indexTree(repository)).toBe(wantedIndex);
      expect(filesTree(repository)).toBe(wantedFiles);
      expect(
        gitBytes(repository, 'grep', '--untracked', '-c', '-e', 'line', '-e', '^<<<<<<<').includes('<<<<'),
      ).toBe(false);

      const after = snapshot(repository);
      const again = await applyResult(request);
      expect(again.kind, JSON.stringify([applied.plan, again.plan])).toBe('already_applied');
      expect(snapshot(repository)).toEqual(after);

      if (random(2) === 0) git(repository, 'status');
      await undoApply(request);
      expect(contents(snapshot(repository))).toEqual(contents(before));
      expect(snapshot(repository)).toEqual(before);
    },
  );
});
