import type { EngineHost } from '../engine/engine.ts';
import { askPause, pauseLeft } from '../provider/backoff.ts';
import { userDirectory } from '../store/paths.ts';
import type { JobLog } from './job-log.ts';

/** The longest by which jobs are spread, so that they do not all come back in the same moment. */
const SPREAD_MS = 5000;
/** A wait that is over but for the clock's grain is over. */
const GRAIN_MS = 20;

/** What an engine is told of the pauses that the user's other jobs were asked for, and tells them of its own. */
export function sharedPauses(
  log: Pick<JobLog, 'complain'>,
  env: NodeJS.ProcessEnv = process.env,
): Required<Pick<EngineHost, 'pauseBefore' | 'pauseAsked'>> {
  const folder = userDirectory(env);
  return {
    pauseBefore(model) {
      const left = pauseLeft(folder, model, Date.now());
      return left <= GRAIN_MS ? 0 : Math.ceil(left + Math.random() * Math.min(SPREAD_MS, left / 4));
    },
    pauseAsked(model, ms) {
      const why = askPause(folder, model, ms, Date.now());
      if (why !== null) log.complain(`other jobs are not told of this pause: ${why}`);
    },
  };
}
