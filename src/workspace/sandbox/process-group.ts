import { type Containment, signalGroup } from './containment.ts';

/**
 * Level `none`: a session and process group of its own and nothing more. A child that leaves the group is
 * found by the sweep, if it still carries the job's marker or works in the job's folders.
 */
export const PROCESS_GROUP: Containment = {
  level: 'none',
  backend: 'process-group',
  wrap: (argv) => argv,
  keepsStderr: false,
  read: (ended) => ended,
  kill: (leader) => signalGroup(leader, 'SIGKILL'),
  provesEnd: () => false,
};
