import { trimLine } from '../../job/format.ts';
import { hostOf } from '../../provider/base-url.ts';
import { httpFetch, ProxyError } from '../../provider/http.ts';
import { findProvider } from '../../provider/providers.ts';
import type { ModelResolution } from '../../provider/resolve-model.ts';
import type { Finding } from './finding.ts';
import { loginCheck } from './login-check.ts';
import { type Question, questionFor } from './question.ts';
import { explainRequest, type RequestOutcome } from './request-outcome.ts';

const LIMIT_MS = 30_000;
const SAID_CHARACTERS = 120;

/** One tiny request, by the same means as a job's: the same fetch, certificates and network. Costs a few tokens. */
export async function requestCheck(resolution: ModelResolution, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { endpoint } = resolution.primary;
  if (endpoint.login !== undefined) return loginCheck(endpoint.login, env);
  const provider = findProvider(endpoint.provider);
  const target = {
    name: resolution.name,
    owner: resolution.profile ?? endpoint.provider,
    host: hostOf(endpoint.baseUrl),
    keyUrl: provider?.keyUrl ?? null,
  };
  const question = questionFor(resolution.primary);
  if (question === null)
    return `${resolution.name} is set up; its requests are signed, and a job's is the first`;
  return explainRequest(target, await ask(question, resolution.primary.key, env));
}

async function ask(
  { url, headers, body }: Question,
  key: string | null,
  env: NodeJS.ProcessEnv,
): Promise<RequestOutcome> {
  const started = performance.now();
  try {
    const response = await httpFetch(env)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // A key goes where the user sent it and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const said = response.ok ? '' : reasonIn(await response.text(), key);
    const seconds = (performance.now() - started) / 1000;
    return { kind: 'answered', status: response.status, said, seconds };
  } catch (error) {
    if (error instanceof ProxyError) return { kind: 'proxy', said: error.message };
    return { kind: 'failed', code: codeOf(error) };
  }
}

/** The endpoint's own words, short, on one line, and never with the key it may have repeated. */
function reasonIn(text: string, key: string | null): string {
  const found = /"message"\s*:\s*"((?:[^"\\]|\\.){1,400})"/.exec(text)?.[1] ?? '';
  return trimLine(key === null ? found : found.replaceAll(key, '…'), SAID_CHARACTERS);
}

/** fetch hides the system's error in its cause, and that of several addresses one deeper. */
function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at instanceof AggregateError && at.errors[0] instanceof Error) return codeOf(at.errors[0]);
    if (at.name === 'TimeoutError') return `no answer in ${LIMIT_MS / 1000} s`;
  }
  return error instanceof Error ? error.name : 'unknown';
}
