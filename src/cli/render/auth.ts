import { oneLine, trimLine } from '../../job/format.ts';
import type { LoginFlow } from '../../provider/login/flow-file.ts';
import { NAMES } from '../../provider/login/headers.ts';
import type { Access } from '../auth/status.ts';

const WIDTH = 80;
const NAME_MAX = 16;
const PROVIDER_MAX = 20;

/** The table of `auth status`: one line an access, and what to type below those that need it. */
export function renderStatus(accesses: readonly Access[], checked: boolean): string {
  if (accesses.length === 0) {
    return 'no profile, key or login yet; begin with:\n  cc-delegate config profile set NAME --provider P --model M';
  }
  const names = widthOf(
    accesses.map(({ name }) => name),
    NAME_MAX,
  );
  const providers = widthOf(
    accesses.map(({ provider }) => provider),
    PROVIDER_MAX,
  );
  const lines = accesses.flatMap((access) => {
    const start = `${cell(access.name, names)}  ${cell(access.provider, providers)}  `;
    const line = trimLine(stateText(access), WIDTH - names - providers - 4);
    const remedy = access.remedy === null ? [] : [trimLine(access.remedy, WIDTH - 4)];
    return [`${start}${line}`, ...remedy.map((text) => `    ${text}`)];
  });
  const untried = !checked && accesses.some(({ state, how }) => state === 'present' && how !== 'login');
  return [...lines, ...(untried ? ['', 'Keys were not tried: cc-delegate auth status --check'] : [])].join(
    '\n',
  );
}

function widthOf(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(...texts.map((text) => text.length)));
}

function cell(text: string, width: number): string {
  return trimLine(text, width).padEnd(width);
}

function stateText({ how, state, detail, expiresAt }: Access): string {
  const more = detail === null ? '' : `: ${oneLine(detail)}`;
  if (how === 'login') return loginText(state, more, expiresAt);
  const key = how === 'saved key' || how === 'cloud' ? how : `key in ${how}`;
  switch (state) {
    case 'valid':
      return `${key}, accepted`;
    case 'present':
      return key;
    case 'unknown':
      return `${key}, cannot be told${more}`;
    case 'refused':
      return `${key}, refused${more}`;
    case 'missing':
      return 'nothing yet';
    case 'unneeded':
      return 'no key needed';
  }
}

function loginText(state: Access['state'], more: string, expiresAt: string | null): string {
  switch (state) {
    case 'valid':
      return `logged in${expiresAt === null ? '' : `; renews ${minute(expiresAt)}`}`;
    case 'refused':
      return `login ended${more}`;
    case 'unknown':
      return `logged in, not checked${more}`;
    default:
      return `login${more}`;
  }
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

/** What the person reads before the waiting: whose terms decide, the address, the code. */
export function invitation({ kind, userCode, verificationUri }: LoginFlow): string[] {
  return [...TERMS[kind], '', `  Open   ${verificationUri}`, `  Enter  ${userCode}`, ''];
}

const TERMS: Readonly<Record<LoginFlow['kind'], readonly string[]>> = {
  copilot: [
    `This lets cc-delegate use your plan for ${NAMES.copilot}. Many programs log`,
    "in this way, but cc-delegate is not GitHub's: your plan's terms decide.",
  ],
  chatgpt: [
    `This lets cc-delegate use your plan for ${NAMES.chatgpt}. OpenAI lists other`,
    "programs that do, but cc-delegate is not OpenAI's: your plan's terms decide.",
  ],
};
