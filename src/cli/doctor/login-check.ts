import type { Login } from '../../provider/access.ts';
import { freshLogin } from '../../provider/login/fresh-login.ts';
import { loginCommand, NAMES } from '../../provider/login/headers.ts';
import type { Finding } from './finding.ts';

/** Whether a subscription's login is good, as its service sees it. No model is asked: that would use up the plan. */
export async function loginCheck(login: Login, env: NodeJS.ProcessEnv): Promise<Finding> {
  const fresh = await freshLogin(login, env, { force: login.kind === 'copilot' });
  const name = NAMES[login.kind];
  switch (fresh.kind) {
    case 'ok':
      return `the login to ${name} is good; no model was asked`;
    case 'unclear':
      return {
        text: `the login to ${name} could not be checked: ${fresh.why}`,
        remedy: 'see that the network and its proxy work, and try again',
      };
    case 'refused':
      return {
        text: `the login to ${name} is refused: ${fresh.why}`,
        remedy: `type in a terminal: ${loginCommand(login.owner)}`,
      };
    case 'missing':
      return {
        text: `nobody is logged in to ${name}`,
        remedy: `type in a terminal: ${loginCommand(login.owner)}`,
      };
  }
}
