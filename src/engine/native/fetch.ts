/**
 * A fetch for streaming requests. Some endpoints answer 200 with a JSON body, an error mostly, where a stream was
 * asked for; the library would see an empty stream and lose the reason. It becomes the HTTP error it is.
 */
export function streamingFetch(options: { readonly dropHeaders: readonly string[] }): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of options.dropHeaders) headers.delete(name);
    const response = await fetch(input, { ...init, headers });
    const json = response.headers.get('content-type')?.includes('application/json') ?? false;
    if (!response.ok || !json) return response;
    const text = await response.text();
    return new Response(text, { status: statusIn(text), headers: { 'content-type': 'application/json' } });
  };
}

const BAD_GATEWAY = 502;

/** The error's own code where it is an HTTP status, as OpenRouter gives it. */
function statusIn(text: string): number {
  const found = /"(?:code|status)"\s*:\s*"?([45]\d\d)\b/.exec(text);
  return found ? Number(found[1]) : BAD_GATEWAY;
}
