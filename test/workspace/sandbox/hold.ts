import { isJobId } from '../../../src/job/ids.ts';
import { openSandbox } from '../../../src/workspace/sandbox/open.ts';

// A stand-in for the runner, to be killed: opens a sandbox in folder argv[2] at level argv[3] for the job
// argv[4] and runs the rest of its arguments in it.
const [folder = '', level = '', jobId = '', program = '', ...args] = process.argv.slice(2);
if (!isJobId(jobId) || (level !== 'full' && level !== 'process' && level !== 'none'))
  throw new Error('bad arguments');
const sandbox = await openSandbox({
  jobId,
  workspace: `${folder}/work`,
  home: `${folder}/home`,
  temp: `${folder}/temp`,
  levelWanted: level,
  passEnv: {},
});
await sandbox.run({ argv: [program, ...args], cwd: `${folder}/work`, timeoutMs: 60_000 });
