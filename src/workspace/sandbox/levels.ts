import type { SandboxLevel } from '../../job/record.ts';
import { EXIT, UserError } from '../../job/user-error.ts';
import { bubblewrapBackend } from './bubblewrap.ts';
import type { Backend } from './containment.ts';
import { explainNotFull, type NotFull, readHostFacts } from './explain.ts';
import { namespaceBackends } from './namespace.ts';
import { whatLeaks } from './probe.ts';
import { PROCESS_GROUP } from './process-group.ts';
import { sandboxRuntimeBackend } from './sandbox-runtime.ts';

export interface BestLevel {
  readonly level: SandboxLevel;
  readonly backend: string;
  /** Why it is not `full`, and what can be done about it; null when it is. */
  readonly notFull: NotFull | null;
}

/**
 * The best level this system has, for `doctor` and the rule of consent. Tried once, then remembered. `runtime`
 * is the user's own sandbox runtime, if they have named one: below `full` it comes first.
 */
export async function bestLevel(runtime: string | null = null): Promise<BestLevel> {
  const full = await tried.full();
  if (full.backend !== null) return { ...named(full.backend), notFull: null };
  const program = bubblewrapBackend() === null ? 'missing' : 'there';
  const notFull = explainNotFull({ program, said: full.said, ...readHostFacts() });
  const lower = [tryRuntime(runtime), tried.process()];
  for (const { backend } of await Promise.all(lower)) {
    if (backend !== null) return { ...named(backend), notFull };
  }
  return { ...named(PROCESS_GROUP), notFull };
}

/**
 * Exactly the wanted level, by the user's runtime if the job was started with one. Throws a UserError (exit 6)
 * when it is not to be had: never a lower one instead.
 */
export async function backendFor(wanted: SandboxLevel, runtime: string | null = null): Promise<Backend> {
  if (wanted === 'none') return PROCESS_GROUP;
  const viaRuntime = wanted === 'process' && runtime !== null;
  const { backend, said } = viaRuntime ? await tryRuntime(runtime) : await tried[wanted]();
  if (backend !== null) return backend;
  throw new UserError({
    code: 'sandbox_unavailable',
    what: `the sandbox this job was started with, level "${wanted}", is not to be had any more`,
    value: said,
    remedy: 'see what is missing: cc-delegate doctor',
    exit: EXIT.environment,
  });
}

function named({ level, backend }: Backend): Pick<BestLevel, 'level' | 'backend'> {
  return { level, backend };
}

/** The first candidate that works, or why the last one does not. */
interface Tried {
  readonly backend: Backend | null;
  readonly said: string;
}

const tried = {
  full: once(() => {
    const backend = bubblewrapBackend();
    return tryAll(backend === null ? [] : [backend], 'bwrap was not found in /usr/bin or /bin');
  }),
  process: once(() => tryAll(namespaceBackends(), 'setpriv, unshare or bash was not found')),
};

async function tryAll(candidates: readonly Backend[], otherwise: string): Promise<Tried> {
  let said = otherwise;
  for (const backend of candidates) {
    const leak = await whatLeaks(backend);
    if (leak === null) return { backend, said: '' };
    said = leak;
  }
  return { backend: null, said };
}

const runtimes = new Map<string, () => Promise<Tried>>();

function tryRuntime(program: string | null): Promise<Tried> {
  if (program === null) return Promise.resolve({ backend: null, said: 'no sandbox runtime is named' });
  const look = runtimes.get(program) ?? once(() => tryAll([sandboxRuntimeBackend(program)], ''));
  runtimes.set(program, look);
  return look();
}

function once(look: () => Promise<Tried>): () => Promise<Tried> {
  let found: Promise<Tried> | null = null;
  return () => {
    found ??= look();
    return found;
  };
}
