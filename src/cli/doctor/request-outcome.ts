import type { Finding } from './finding.ts';

/** What came of one request: an answer, or why there was none. */
export type RequestOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly said: string; readonly seconds: number }
  | { readonly kind: 'failed'; readonly code: string }
  /** The proxy failed, in our own words. */
  | { readonly kind: 'proxy'; readonly said: string };

export interface RequestTarget {
  /** `provider:model`. */
  readonly name: string;
  /** The profile, else the provider: whose key it is. */
  readonly owner: string;
  readonly host: string;
  /** Where a person gets a key and sees the account; null where nobody knows. */
  readonly keyUrl: string | null;
}

/** Pure: what it means for the user, and what to do about it. */
export function explainRequest(target: RequestTarget, outcome: RequestOutcome): Finding {
  if (outcome.kind === 'failed') return explainFailure(target, outcome.code);
  if (outcome.kind === 'proxy') {
    return {
      text: outcome.said,
      remedy: `correct the variable, or name ${target.host} in NO_PROXY if it is to be asked directly`,
    };
  }
  const { status, seconds, said } = outcome;
  if (status >= 200 && status < 300) return `${target.name} answered in ${seconds.toFixed(1)} s`;
  const text = `${target.host} answered ${status}${said === '' ? '' : `: ${said}`}`;
  return { text, remedy: remedyFor(target, status) };
}

function remedyFor({ name, owner, host, keyUrl }: RequestTarget, status: number): string {
  const page = keyUrl === null ? `the account at ${host}` : keyUrl;
  switch (status) {
    case 401:
    case 403:
      return `the key is refused; put another one in a terminal: cc-delegate config key set ${owner} (${page})`;
    case 402:
      return `the account has no credit: top it up (${page}), or use another profile`;
    case 404:
      return `there is no ${name} at this address: check model and URL with cc-delegate config profile show ${owner}`;
    case 429:
      return 'too many requests just now: try again in a minute, or use another profile';
    default:
      if (status >= 300 && status < 400)
        return `it sends requests elsewhere, which is not followed: correct the baseUrl (cc-delegate config profile show ${owner})`;
      return status >= 500
        ? 'the endpoint has a problem of its own: try again later, or use another profile'
        : `check the profile: cc-delegate config profile show ${owner}`;
  }
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL/;

function explainFailure({ host, owner }: RequestTarget, code: string): Finding {
  const text = `${host} cannot be reached (${code})`;
  if (CERTIFICATE.test(code)) {
    return {
      text,
      remedy:
        'its certificate is not trusted here: set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to the file of your authority',
    };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { text, remedy: `the name is not known: check the network, and the URL of ${owner}` };
  }
  if (code === 'ECONNREFUSED') {
    return {
      text,
      remedy: `nobody listens there: start the endpoint, or correct the URL of ${owner}`,
    };
  }
  return { text, remedy: `check the network, and the URL of ${owner}` };
}
