import { describe, expect, it } from 'vitest';
import { explainNotFull, type HostFacts } from '../../../src/workspace/sandbox/explain.ts';

const PLAIN: HostFacts = {
  platform: 'linux',
  isContainer: false,
  apparmorRestricts: false,
  unprivilegedClone: null,
  maxUserNamespaces: '63000',
};
const UID_MAP = 'bwrap: setting up uid map: Permission denied';

describe('why there is no level full, and what to do', () => {
  it.each<[string, Partial<HostFacts>, 'missing' | 'there', string, RegExp]>([
    ['another system', { platform: 'darwin' }, 'missing', '', /Linux, WSL2 or a container/],
    ['no bubblewrap', {}, 'missing', '', /apt-get install bubblewrap/],
    ['an old bubblewrap', {}, 'there', 'bwrap: Unknown option --disable-userns', /0\.8\.0 or newer/],
    ['no user namespaces at all', { maxUserNamespaces: '0' }, 'there', UID_MAP, /user\.max_user_namespaces/],
    [
      'none for plain users',
      { unprivilegedClone: '0' },
      'there',
      UID_MAP,
      /kernel\.unprivileged_userns_clone=1/,
    ],
    ['a container', { isContainer: true }, 'there', UID_MAP, /sandbox\.boundary container/],
    [
      'Ubuntu 24.04',
      { apparmorRestricts: true },
      'there',
      UID_MAP,
      /extra-profiles\/bwrap-userns-restrict \/etc\/apparmor\.d\/ && sudo apparmor_parser -r/,
    ],
    ['something else', {}, 'there', 'a file of the host is seen: /x', /user namespaces/],
  ])('%s', (_, facts, program, said, remedy) => {
    const found = explainNotFull({ ...PLAIN, ...facts, program, said });
    expect(found.remedy).toMatch(remedy);
    expect(found.why).toContain(program === 'there' ? said : 'bubblewrap');
  });
});
