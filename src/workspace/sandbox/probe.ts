import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../job/user-error.ts';
import type { Backend, Proof } from './containment.ts';
import { DEFAULT_PACE, runCommand } from './run-command.ts';

const LIMIT_MS = 10_000;

/** Inside, there is a /proc of its own, in which the first process is the parent of the command. */
const OWN_PROCESSES = `
[ "$PPID" = 1 ] && [ -d /proc/1 ] && [ ! -d "/proc/$2" ] || fail 'there is no process namespace of its own'`;

/** What level `full` is for, in one look; $1 is a file of the host that nobody may see. */
const SEALED = `
while read -r name value; do
  case $name in
    CapPrm:|CapEff:|CapBnd:) [ "$value" = 0000000000000000 ] || fail "capabilities are left: $name $value";;
    NoNewPrivs:) [ "$value" = 1 ] || fail 'privileges can be gained';;
  esac
done </proc/self/status
while read -r device _; do
  case $device in *:*) [ "\${device%%:*}" = lo ] || fail "a network device is there: $device";; esac
done </proc/net/dev
[ ! -e "$1" ] || fail "a file of the host is seen: $1"
[ -d "\${1%/*}/work" ] || fail 'the workspace is not seen'
[ ! -w /usr ] && [ ! -w / ] || fail 'the system can be written to'
[ ! -w /proc/sys/kernel/core_pattern ] || fail "the kernel's settings can be written"
if mount -o remount,bind,rw /usr; then fail 'a read-only mount can be made writable'; fi
if unshare --user true; then fail 'a user namespace can be made'; fi`;

/**
 * What the sandbox runtime is for: what is not the job's cannot be read, what is can be written. Where it shows an
 * empty folder in place of a hidden one a file can be made in that; from outside it must not be seen.
 */
const HIDDEN = `
[ ! -r "$1" ] || fail "a file of the user can be read: $1"
: >"\${1%/*}/work/probe" || fail 'the workspace cannot be written to'
(: >"\${1%/*}/probe")`;

const SCRIPTS: Record<Proof, string> = { processes: OWN_PROCESSES, sealed: SEALED, hidden: HIDDEN };

/** Tries a backend once, on a folder of its own. Returns what is wrong with it in words, or null. */
export async function whatLeaks(backend: Backend): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cc-delegate-probe-')));
  try {
    const places = { workspace: `${folder}/work`, home: `${folder}/home`, temp: `${folder}/temp` };
    for (const place of Object.values(places)) mkdirSync(place);
    const secret = `${folder}/secret`;
    writeFileSync(secret, '');
    const environment = { PATH: '/usr/bin:/bin', HOME: places.home };
    const proofs = backend.proves.map((proof) => SCRIPTS[proof]).join('');
    const script = `fail() { echo "$1"; exit 1; }${proofs}\nexit 0`;
    const argv = ['bash', '-c', script, 'probe', secret, String(process.pid)] as const;
    const { exitCode, stdout } = await runCommand({
      command: { argv, cwd: places.workspace, timeoutMs: LIMIT_MS, sockets: true },
      containment: backend.contain({ ...places, readable: [], network: 'none', environment }),
      pace: DEFAULT_PACE,
      clear: async () => undefined,
    });
    if (existsSync(`${folder}/probe`)) return 'what is none of the job can be written to';
    if (exitCode === 0) return null;
    return Buffer.from(stdout.bytes).toString().trim() || `a trial ended with ${exitCode ?? 'a signal'}`;
  } catch (error) {
    // Refused by the kernel, a container or an old version: this system has not got the level.
    if (error instanceof UserError) return error.explanation.value ?? error.message;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
