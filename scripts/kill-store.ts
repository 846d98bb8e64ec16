// Kills a writer of the job store again and again: `tsx scripts/kill-store.ts 10000`. Prints the counts; ends
// with 1 when anything was torn, lost or left.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killStore } from '../test/store/fixtures/kill-harness.ts';

const kills = Number(process.argv[2] ?? '10000');
if (!Number.isSafeInteger(kills) || kills < 1) throw new Error('usage: kill-store.ts <number of kills>');
const folder = mkdtempSync(join(tmpdir(), 'cc-delegate-kill-'));
try {
  let sum = 0;
  // In portions, each in a repository of its own, so that the auditing does not grow with the run.
  for (let done = 0; done < kills; done += 500) {
    const repo = join(folder, `repo-${done}`);
    mkdirSync(repo);
    const amount = Math.min(500, kills - done);
    const counts = await killStore(folder, repo, amount, { parallel: 2, random: Math.random });
    console.log(JSON.stringify(counts));
    const { torn, wentBack, lost, gaps, orphans, tornMessages, litterLeft, stuck } = counts;
    sum += torn + wentBack + lost + gaps + orphans + tornMessages + litterLeft + stuck;
    rmSync(repo, { recursive: true, force: true });
  }
  console.log(sum === 0 ? `${kills} kills: nothing torn, lost or left` : `${sum} faults`);
  process.exitCode = sum === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
