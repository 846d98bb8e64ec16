import { expect, it } from 'vitest';
import { makeFolder } from '../helpers/repository.ts';
import { killStore } from './fixtures/kill-harness.ts';

it('500 kills of a writer at random points tear, lose and leave nothing', async () => {
  const started = performance.now();
  const counts = await killStore(makeFolder(), makeFolder(), 500, { parallel: 3, random: Math.random });
  console.log(
    `store: ${JSON.stringify({ ...counts, seconds: Math.round((performance.now() - started) / 1000) })}`,
  );
  const faults = {
    torn: 0,
    wentBack: 0,
    lost: 0,
    gaps: 0,
    orphans: 0,
    tornMessages: 0,
    litterLeft: 0,
    stuck: 0,
  };
  expect(counts).toMatchObject({ kills: 500, ...faults });
  // A run in which the kills never met a writer at work would prove nothing.
  expect(counts.acknowledged).toBeGreaterThan(500);
  expect(counts.litter).toBeGreaterThan(0);
}, 900_000);
