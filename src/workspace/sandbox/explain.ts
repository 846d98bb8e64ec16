import { existsSync, readFileSync } from 'node:fs';

/** Why there is no level `full` here, in words for people, and what to do. */
export interface NotFull {
  readonly why: string;
  readonly remedy: string;
}

/** What decides about user namespaces on this system. null: the system has no such switch. */
export interface HostFacts {
  readonly platform: NodeJS.Platform;
  readonly isContainer: boolean;
  /** /proc/sys/kernel/apparmor_restrict_unprivileged_userns: Ubuntu 23.10 and newer. */
  readonly apparmorRestricts: boolean;
  /** /proc/sys/kernel/unprivileged_userns_clone: Debian. */
  readonly unprivilegedClone: string | null;
  /** /proc/sys/user/max_user_namespaces: 0 on some servers. */
  readonly maxUserNamespaces: string | null;
}

export function readHostFacts(): HostFacts {
  return {
    platform: process.platform,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    apparmorRestricts: setting('kernel/apparmor_restrict_unprivileged_userns') === '1',
    unprivilegedClone: setting('kernel/unprivileged_userns_clone'),
    maxUserNamespaces: setting('user/max_user_namespaces'),
  };
}

function setting(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    // This kernel has no such setting, which is an answer.
    return null;
  }
}

/** Shipped by Ubuntu 24.04's apparmor-profiles, and switched on by itself from 25.04 on. */
const APPARMOR_REMEDY =
  'sudo apt-get install apparmor-profiles && sudo install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict';

/** Pure. `said` are the words of bwrap, or what the trial found wrong. */
export function explainNotFull(
  seen: HostFacts & { readonly program: 'missing' | 'there'; readonly said: string },
): NotFull {
  if (seen.platform !== 'linux') {
    return {
      why: `bubblewrap needs Linux, this is ${seen.platform}`,
      remedy: 'use Linux, WSL2 or a container',
    };
  }
  if (seen.program === 'missing') {
    const remedy = 'install it: sudo apt-get install bubblewrap (or: dnf, pacman, zypper, apk)';
    return { why: 'bubblewrap is not installed in /usr/bin or /bin', remedy };
  }
  const why = `bubblewrap does not work: ${seen.said}`;
  if (/unknown option/i.test(seen.said)) return { why, remedy: 'install bubblewrap 0.8.0 or newer' };
  if (seen.maxUserNamespaces === '0') {
    return { why, remedy: 'allow user namespaces: sudo sysctl -w user.max_user_namespaces=10000' };
  }
  if (seen.unprivilegedClone === '0') {
    return { why, remedy: 'allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1' };
  }
  if (seen.isContainer) {
    const remedy =
      'a container seldom lets one be made inside; if it is the boundary you want: cc-delegate config set sandbox.boundary container';
    return { why, remedy };
  }
  if (seen.apparmorRestricts)
    return { why, remedy: `give bubblewrap its AppArmor profile: ${APPARMOR_REMEDY}` };
  return { why, remedy: 'see that this user may make user namespaces (unshare --user --map-root-user true)' };
}
