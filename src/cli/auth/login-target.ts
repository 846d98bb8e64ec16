import { EXIT, UserError } from '../../job/user-error.ts';
import type { LoginKind } from '../../provider/access.ts';
import { readConfig } from '../../provider/config-file.ts';
import { loginKindOf } from '../../provider/login/saved-logins.ts';
import { findProvider } from '../../provider/providers.ts';
import { ownProfile } from '../../provider/reference.ts';
import { usage } from '../parse.ts';

/** What is logged in to, and for whom the login is saved: a profile, or the provider for all of its profiles. */
export interface LoginTarget {
  readonly kind: LoginKind;
  readonly owner: string;
}

/** Whose terms forbid that another program logs in with their subscriptions. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  claude: 'Anthropic',
  google: 'Google',
  gemini: 'Google',
  vertex: 'Google',
};

/** Throws UserError: exit 2 for what is not logged in to, exit 5 where the provider's terms forbid it. */
export function loginTarget(env: NodeJS.ProcessEnv, name: string): LoginTarget {
  const profiles = readConfig(env).profiles ?? {};
  const provider = ownProfile(profiles, name)?.provider ?? name;
  const kind = loginKindOf(provider);
  if (kind !== null) return { kind, owner: name };
  const whose = Object.hasOwn(FORBIDDEN, provider) ? FORBIDDEN[provider] : undefined;
  if (whose !== undefined) throw forbidden(name, whose);
  if (findProvider(provider) === undefined) {
    const known = Object.keys(profiles);
    const list = known.length === 0 ? '' : `; profiles: ${known.join(', ')}`;
    throw usage('there is no profile or provider of this name', name, `copilot or chatgpt${list}`);
  }
  throw usage(
    `${provider} takes a key, and has no login`,
    name,
    `type in a terminal: cc-delegate config key set ${name}`,
  );
}

function forbidden(name: string, whose: string): UserError {
  return new UserError({
    code: 'login_forbidden',
    what: `${whose}'s terms forbid other programs to log in with its subscriptions, so cc-delegate does not`,
    value: name,
    remedy: `use a key, paid by use: cc-delegate config key set ${name}`,
    exit: EXIT.refused,
  });
}
