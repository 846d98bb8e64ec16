import { type Backend, type Containment, signalGroup } from './containment.ts';

const held: Omit<Containment, 'environment'> = {
  level: 'none',
  backend: 'process-group',
  wrap: (argv) => argv,
  keepsStderr: false,
  feeds: [],
  read: (ended) => ended,
  terminate: (leader) => signalGroup(leader, 'SIGTERM'),
  kill: (leader) => signalGroup(leader, 'SIGKILL'),
  provesEnd: () => false,
};

/**
 * Level `none`: a session and process group of its own and nothing more. A child that leaves the group is
 * found by the sweep, if it still carries the job's marker or works in the job's folders.
 */
export const PROCESS_GROUP: Backend = {
  level: held.level,
  backend: held.backend,
  proves: [],
  contain: ({ environment }) => ({ ...held, environment }),
};
