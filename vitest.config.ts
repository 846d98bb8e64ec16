import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, so that none of them runs alone at the end. */
const LONGEST = [/end-to-end\/kills/, /store\/kill/, /client\//, /end-to-end\//, /workspace\//, /store\//];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((pattern) => pattern.test(moduleId));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/build.ts'],
    pool: 'forks',
    // Many tests start several jobs of their own. On two cores the gate took 28 minutes with one file at a time and 25
    // with three, where each test took up to five times as long.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
