import { trimLine } from '../../job/format.ts';
import { hostOf } from '../../provider/base-url.ts';
import { findProvider } from '../../provider/providers.ts';
import type { ModelResolution } from '../../provider/resolve-model.ts';
import type { Finding } from './finding.ts';
import { explainRequest, type RequestOutcome } from './request-outcome.ts';

const LIMIT_MS = 30_000;
const SAID_CHARACTERS = 120;

/** One tiny request, by the same means as a job's: the same fetch, certificates and network. Costs a few tokens. */
export async function requestCheck(resolution: ModelResolution, env: NodeJS.ProcessEnv): Promise<Finding> {
  const { endpoint } = resolution.primary;
  const provider = findProvider(endpoint.provider);
  const proxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => env[name]) ?? null;
  const target = {
    name: resolution.name,
    owner: resolution.profile ?? endpoint.provider,
    host: hostOf(endpoint.baseUrl),
    keyUrl: provider?.keyUrl ?? null,
    proxy,
  };
  const question = questionFor(resolution);
  if (question === null)
    return { text: `${endpoint.api} cannot be asked yet`, remedy: 'use another profile' };
  return explainRequest(target, await ask(question, resolution.primary.key));
}

interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function questionFor({ primary }: ModelResolution): Question | null {
  const { endpoint, key } = primary;
  const { api, baseUrl, model } = endpoint;
  const body = { model, max_tokens: 16, messages: [{ role: 'user', content: 'Say: ok' }] };
  if (api === 'openai-chat') {
    const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...endpoint.headers };
    return { url: `${baseUrl}/chat/completions`, headers, body };
  }
  if (api === 'anthropic') {
    const version = { 'anthropic-version': '2023-06-01' };
    const headers = { ...version, ...(key !== null && { 'x-api-key': key }), ...endpoint.headers };
    return { url: `${baseUrl}/messages`, headers, body };
  }
  return null;
}

async function ask({ url, headers, body }: Question, key: string | null): Promise<RequestOutcome> {
  const started = performance.now();
  try {
    const response = await fetch(url, {
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
