import { estimateTokens } from '../../http/usage.ts';
import { isObject } from './clean-body.ts';
import type { RequestBody } from './request-body.ts';

/** The largest picture there is, as Anthropic counts it: about 1.15 megapixels, 750 to a token. */
const IMAGE_TOKENS = 1600;

/** A rough count of the tokens of a request. A picture counts by what it shows, not by its bytes. */
export function estimateRequest(body: RequestBody, text: string): number {
  const { count, length } = images(body.messages);
  return estimateTokens(text) - Math.floor(length / 4) + count * IMAGE_TOKENS;
}

/** How many pictures there are, and how many characters they take. */
function images(value: unknown): { readonly count: number; readonly length: number } {
  if (isObject(value)) {
    const { type, source } = value;
    if (type === 'image' && isObject(source) && typeof source.data === 'string') {
      return { count: 1, length: source.data.length };
    }
  }
  const inner = Array.isArray(value) ? value : isObject(value) ? [value.content] : [];
  return inner
    .map(images)
    .reduce((sum, each) => ({ count: sum.count + each.count, length: sum.length + each.length }), {
      count: 0,
      length: 0,
    });
}
