import type { SandboxLevel } from '../../job/record.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import type { Containment } from './containment.ts';
import { namespaceCandidates } from './namespace.ts';
import { PROCESS_GROUP } from './process-group.ts';
import { DEFAULT_PACE, runCommand } from './run-command.ts';

/** The best level this system has, for `doctor` and the rule of consent. Tried once, then remembered. */
export async function bestLevel(): Promise<{ readonly level: SandboxLevel; readonly backend: string }> {
  const { level, backend } = await bestContainment();
  return { level, backend };
}

/** Without a wish the best there is; throws a UserError (exit 6) when the wanted level is not to be had. */
export async function containmentFor(wanted: 'process' | 'none' | undefined): Promise<Containment> {
  if (wanted === 'none') return PROCESS_GROUP;
  const best = await bestContainment();
  if (wanted === undefined || best.level === wanted) return best;
  throw new UserError({
    code: 'sandbox_unavailable',
    what: 'this system cannot hold commands in a process namespace of their own',
    value: `wanted ${wanted}, there is ${best.level}`,
    remedy: 'allow user namespaces and install util-linux 2.38 or newer, or consent to level none',
    exit: EXIT.environment,
  });
}

let best: Promise<Containment> | null = null;

function bestContainment(): Promise<Containment> {
  best ??= tryAll();
  return best;
}

async function tryAll(): Promise<Containment> {
  for (const candidate of namespaceCandidates()) {
    if (await works(candidate)) return candidate;
  }
  return PROCESS_GROUP;
}

/** Inside, there is a /proc of its own, in which the first process is the parent of the command. */
const PROBE = ['sh', '-c', '[ "$PPID" = 1 ] && [ -d /proc/1 ] && [ ! -d "/proc/$1" ]', 'probe'] as const;
const PROBE_LIMIT_MS = 5_000;

async function works(containment: Containment): Promise<boolean> {
  try {
    const { exitCode } = await runCommand({
      command: { argv: [...PROBE, String(process.pid)], cwd: '/', timeoutMs: PROBE_LIMIT_MS, sockets: true },
      containment,
      environment: { PATH: '/usr/bin:/bin' },
      pace: DEFAULT_PACE,
      clear: async () => undefined,
    });
    return exitCode === 0;
  } catch {
    // Refused by the kernel, a container or an old util-linux: this system has not got the level.
    return false;
  }
}
